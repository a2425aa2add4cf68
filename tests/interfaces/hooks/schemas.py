"""What each host takes as the output of a hook, event by event, and a strict check against it.

A schema is a type, a constant, or an object: every key of it may be there and no other may; "key!" must be
there. An event that is not listed takes nothing but silence. Hosts that take more than this (decisions,
permissions) are asked for nothing of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from remora.interfaces.hooks.hosts import HOSTS
from tests.tables import table

LIMIT = 10_000  # bytes of a text, which no host takes as more than it can hold


def goldens(host: str) -> dict[str, dict[str, Any]]:
    """Return the events of a host, and what is expected of each, by the names of their files."""
    files = sorted((Path(__file__).parent / "golden" / host).glob("*.json"))
    return {path.stem: json.loads(path.read_text("utf-8")) for path in files}


_TYPES = {"<str>": str, "<bool>": bool, "<dict>": dict, "<any>": object}


def _schema(value: Any, event: str) -> Any:
    if isinstance(value, dict):
        return {key: _schema(inner, event) for key, inner in value.items()}
    return event if value == "<event>" else _TYPES.get(value, value)


SCHEMAS: dict[str, dict[str, Any]] = {host: {} for host in HOSTS}
for _host, _events, _text in table(__file__, "schemas"):
    SCHEMAS[_host] |= {event: _schema(json.loads(_text), event) for event in _events.split()}
# A host that does not name an event, or names it in two ways: the parts that tell it.
_COPILOT = {"toolResult": "postToolUse", "tool_result": "postToolUse", "agentName": "subagentStart"}


def event_of(host: str, payload: dict[str, Any]) -> str:
    """Return the event of a payload as the schemas call it."""
    if host == "copilot":
        named = payload.get("hook_event_name") or payload.get("hookEventName")
        if isinstance(named, str) and named:
            return named[:1].lower() + named[1:]
        return next((event for part, event in _COPILOT.items() if part in payload), "")
    keys = {"vscode": ("hook_event_name", "hookEventName"), "opencode": ("event",)}
    named = [payload.get(key) for key in keys.get(host, ("hook_event_name",))]
    return next((name for name in named if isinstance(name, str) and name), "")


def wrong(host: str, payload: dict[str, Any], output: dict[str, Any] | None) -> str:
    """Return what is wrong with an output; empty when the host takes it."""
    if output is None:
        return ""
    event = event_of(host, payload)
    schema = SCHEMAS[host].get(event)
    if schema is None:
        return f"{host} takes nothing at {event!r}"
    return _wrong(output, schema, event) or ("" if output else "an empty object says nothing")


def _wrong(value: Any, schema: Any, where: str) -> str:
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return f"{where}: no object"
        allowed = {key.rstrip("!"): inner for key, inner in schema.items()}
        if unknown := value.keys() - allowed.keys():
            return f"{where}: {sorted(unknown)} unknown"
        if missing := [key for key in schema if key.endswith("!") and key[:-1] not in value]:
            return f"{where}: {missing} missing"
        found = (_wrong(inner, allowed[key], f"{where}.{key}") for key, inner in value.items())
        return next((one for one in found if one), "")
    if not isinstance(schema, type):
        same = value is schema or (type(value) is str and value == schema)
        return "" if same else f"{where}: not {schema!r}"
    if not isinstance(value, schema):
        return f"{where}: no {schema.__name__}"
    if isinstance(value, str) and len(value.encode()) > LIMIT:
        return f"{where}: {len(value)} characters"
    return ""
