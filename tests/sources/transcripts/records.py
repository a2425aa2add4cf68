"""Lines of transcripts, made byte by byte; helpers of the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from remora.core.events import Event
from remora.sources.transcripts.paths import Roots
from remora.sources.transcripts.reader import Reading, read

ROOT = "/w/app"


def claude(kind: str, uuid: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a line of Claude Code; `mid` is its message's id, `at` the second of its time."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if "mid" in fields:
        message["id"] = fields.pop("mid")
    if "usage" in fields:
        message["usage"] = fields.pop("usage")
    at = fields.pop("at", 0)
    base = {
        "type": kind,
        "uuid": uuid,
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s1",
        "cwd": ROOT,
        "gitBranch": "main",
        "timestamp": f"2026-01-05T12:00:{at:02d}.000Z",
        "message": message,
    }
    return {**base, **fields}


def use(tool: str, identity: str, **given: Any) -> list[dict[str, Any]]:
    """Return the content of a line that asks for a tool."""
    return [{"type": "tool_use", "id": identity, "name": tool, "input": given}]


def result(identity: str, content: Any, **fields: Any) -> list[dict[str, Any]]:
    """Return the content of a line that answers a call."""
    return [{"type": "tool_result", "tool_use_id": identity, "content": content, **fields}]


_OF_LINES = frozenset("mid usage at parentUuid isSidechain agentId sessionId cwd gitBranch".split())


def asks(uuid: str, tool: str, identity: str, **fields: Any) -> dict[str, Any]:
    """Return a line of Claude Code that asks for a tool: its arguments, and the fields of the line."""
    given = {name: value for name, value in fields.items() if name not in _OF_LINES}
    more = {name: value for name, value in fields.items() if name in _OF_LINES}
    return claude("assistant", uuid, use(tool, identity, **given), **more)


def answers(uuid: str, identity: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a line of Claude Code that answers a call; `is_error` is of the answer, the rest of the line."""
    failed = {"is_error": fields.pop("is_error")} if "is_error" in fields else {}
    return claude("user", uuid, result(identity, content, **failed), **fields)


def codex(kind: str, at: int = 0, **payload: Any) -> dict[str, Any]:
    """Return a line of Codex; `kind` is "envelope" or "envelope/type"."""
    envelope, _, inner = kind.partition("/")
    held = {"type": inner, **payload} if inner else payload
    return {"timestamp": f"2026-01-05T12:00:{at:02d}.000Z", "type": envelope, "payload": held}


def codex_says(role: str, text: str, at: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a message of Codex."""
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("response_item/message", at, role=role, content=[{"type": kind, "text": text}], **fields)


def codex_calls(name: str, identity: str, given: Any, at: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a line of Codex that asks for a tool."""
    arguments = given if isinstance(given, str) else json.dumps(given)
    asked = {"name": name, "call_id": identity, "arguments": arguments, **fields}
    return codex("response_item/function_call", at, **asked)


def codex_gives(identity: str, output: Any, at: int = 0) -> dict[str, Any]:
    """Return a line of Codex that answers a call."""
    return codex("response_item/function_call_output", at, call_id=identity, output=output)


def put(path: Path, records: list[Any]) -> Path:
    """Write records as lines; a string or bytes goes in as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        r if isinstance(r, bytes) else r.encode() if isinstance(r, str) else json.dumps(r).encode()
        for r in records
    ]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def events(path: Path, *records: Any, **options: Any) -> list[Event]:
    """Write records to a file and return its events."""
    return list(reading(path, *records, **options)[1])


def reading(path: Path, *records: Any, **options: Any) -> tuple[Reading, list[Event]]:
    """Write records to a file, read it to its end, and return the reading and the events."""
    opened = read(put(path, list(records)), **options)
    return opened, list(opened)


def roots(*folders: str) -> Roots:
    """Return roots that know some working directories."""
    made = Roots()
    for folder in folders or (ROOT,):
        made.met(folder)
    return made


def brief(given: list[Event]) -> list[tuple[str, int, str]]:
    """Return kind, step and text (or tool) of each event."""
    return [(e.kind, e.step, e.text or e.tool) for e in given]
