"""Remora's own events as JSON lines: the format for any other host, written and read without loss.

    {"remora": "events", "version": 1, "host": "my-agent"}
    {"kind": "user_prompt", "session_id": "s1", "key": "p1", "text": "make the tests pass"}
    {"kind": "tool_call", "session_id": "s1", "key": "c1:call", "step": 1, "call_id": "c1", "tool": "sh",
     "action": "run", "command": "make test"}

The first line identifies the format. Every other line is one event with the fields of
`remora.core.events.Event`; `kind`, `session_id` and `key` are required, the rest is optional. A key
identifies an event within its session. Unknown fields are kept in `extra`. Paths are used as given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from remora.core.events import ACTIONS, EVENT_KINDS, Event
from remora.core.text import sound
from remora.core.tool_calls import MAX_COMMAND, MAX_PATHS
from remora.sources.instant import instant
from remora.sources.transcripts.lines import Counts, Unusable
from remora.sources.transcripts.plain_lines import VERSION, header, line_of
from remora.sources.transcripts.texts import MAX_NAME, MAX_PROMPT, number, string

HOST = "plain"
MAX_EXTRA = 20_000  # characters of an event's `extra` as JSON; more is dropped

__all__ = ["HOST", "Plain", "dump", "header", "is_ours", "line_of"]


def is_ours(record: Mapping[str, Any]) -> bool:
    """Return whether a line has this format: its first line, or an event."""
    if record.get("remora") == "events":
        return True
    return record.get("kind") in EVENT_KINDS and all(
        isinstance(record.get(k), str) for k in ("session_id", "key")
    )


def dump(events: Iterable[Event], host: str) -> Iterator[str]:
    """Yield the lines of a file, each with its newline."""
    yield header(host) + "\n"
    for event in events:
        yield line_of(event) + "\n"


class Plain:
    """Turns lines into events."""

    def __init__(self, counts: Counts, named: Callable[[str], None] = lambda _: None) -> None:
        self._counts = counts
        self._newer = False
        self._named = named  # gets the name of the writing program

    def feed(self, record: Mapping[str, Any]) -> list[Event]:
        """Return the event of one line.

        Raises:
            Unusable: it is no event, or of an unknown version.
        """
        if record.get("remora") == "events":
            self._header(record)
            return []
        if self._newer:
            self._counts.skip("newer version")
            return []
        kind = record.get("kind")
        if kind not in EVENT_KINDS:
            self._counts.skip(string(kind, 60) or "no kind")
            return []
        return [_event(record)]

    def end(self) -> list[Event]:
        """Return nothing: every event is a line of the file."""
        return []

    def _header(self, record: Mapping[str, Any]) -> None:
        self._named(string(record.get("host"), 100) or HOST)
        version = number(record.get("version"))
        if version is None or version > VERSION:
            self._newer = True
            raise Unusable(f"unknown format version {record.get('version')!r}".replace("\n", " "))


def _event(record: Mapping[str, Any]) -> Event:
    for name in ("session_id", "key"):
        if not isinstance(record.get(name), str) or not record[name]:
            raise Unusable(f"an event without {name}")
    fields: dict[str, Any] = {
        name: string(record.get(name), limit) for name, limit in _TEXTS.items() if name in record
    }
    action = record.get("action", "")
    fields["action"] = action if action in ACTIONS or action == "" else "other"
    step, tokens = number(record.get("step")), number(record.get("tokens"))
    paths = record.get("paths")
    return Event(
        at=instant(record.get("at")),
        step=max(step or 0, 0),
        tokens=tokens if tokens is None or tokens >= 0 else None,
        error=record.get("error") is True,
        branch=string(record.get("branch"), 200) or None,
        paths=tuple(string(p, 4096) for p in paths[:MAX_PATHS] if isinstance(p, str) and p)
        if isinstance(paths, list)
        else (),
        extra=_extra(record),
        **fields,
    )


def _extra(record: Mapping[str, Any]) -> dict[str, Any] | None:
    given = record.get("extra")
    extra = dict(given) if isinstance(given, Mapping) else {}
    extra.update({k: v for k, v in record.items() if k not in Event._fields and k not in extra})
    try:
        # The result can be written anywhere: no infinities, no lone surrogates.
        text = sound(json.dumps(extra, ensure_ascii=False, allow_nan=False))
    except (RecursionError, ValueError):
        return None
    kept: dict[str, Any] = json.loads(text) if len(text) <= MAX_EXTRA else {}
    return kept or None


_TEXTS = {
    "kind": 40,
    "session_id": 200,
    "key": 300,
    "text": MAX_PROMPT,
    "tool": 200,
    "call_id": 200,
    "command": MAX_COMMAND,
    "pattern": MAX_NAME,
    "url": MAX_NAME,
    "agent": 200,
}
