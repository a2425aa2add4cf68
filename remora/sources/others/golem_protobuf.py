"""Decode GolemCore's sessions from protocol buffers.

Since February 2026 GolemCore stores a session as one message of this shape (proto3; numbers are field
numbers):

    session  1 id, 2 channel, 3 chat, 4 message*, 5 metadata, 6 state, 7 created, 8 updated
    message  1 id, 2 role, 3 content, 4 channel, 5 chat, 6 sender, 7 tool call*, 8 answers call, 9 tool,
             10 metadata, 11 time, 12 voice bytes, 13 voice as text, 14 audio format
    call     1 id, 2 name, 3 arguments
    time     1 seconds, 2 nanoseconds
    map      an entry a field: 1 key, 2 value
    value    1 bool, 2 int64, 3 double, 4 text, 5 object {1 map}, 6 list {1 value*}, 7 null

Fields with other numbers are skipped, as the format requires. Any mismatch (a length beyond the end, a wrong
field type, text that is not UTF-8) makes the whole session unreadable: misread bytes would be worse than a
missing session.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

from remora.core.protobuf import FIXED64, LEN, VARINT, Damaged, fields, signed
from remora.sources.instant import instant
from remora.sources.others.files import MAX_DEPTH, Unreadable

_STATES = {0: "ACTIVE", 1: "ACTIVE", 2: "PAUSED", 3: "TERMINATED"}

Field = tuple[int, int, int | bytes]  # number, wire kind, value


def session(raw: bytes) -> dict[str, Any]:
    """Return a session in the shape of GolemCore's older JSON files.

    Raises:
        Unreadable: the bytes are not such a session.
    """
    found: dict[str, Any] = {"messages": [], "metadata": {}}
    for number, kind, value in _fields(raw):
        match number:
            case 1 | 2 | 3:
                found[("id", "channelType", "chatId")[number - 1]] = _text(kind, value)
            case 4:
                found["messages"].append(_message(_inner(kind, value)))
            case 5:
                found["metadata"].update(_entry(_inner(kind, value), 1))
            case 6:
                found["state"] = _STATES.get(_whole(kind, value), "")
            case 7 | 8:
                found["createdAt" if number == 7 else "updatedAt"] = _time(_inner(kind, value))
    return found


def _message(raw: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {"toolCalls": [], "metadata": {}}
    names = {1: "id", 2: "role", 3: "content", 4: "channelType", 5: "chatId", 6: "senderId"}
    names |= {8: "toolCallId", 9: "toolName", 13: "voiceTranscription"}
    for number, kind, value in _fields(raw):
        if number in names:
            found[names[number]] = _text(kind, value)
        elif number == 7:
            found["toolCalls"].append(_call(_inner(kind, value)))
        elif number == 10:
            found["metadata"].update(_entry(_inner(kind, value), 1))
        elif number == 11:
            found["timestamp"] = _time(_inner(kind, value))
        elif number == 12:
            found["voiceData"] = bool(_inner(kind, value))
    return found


def _call(raw: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {"arguments": {}}
    for number, kind, value in _fields(raw):
        if number in (1, 2):
            found["id" if number == 1 else "name"] = _text(kind, value)
        elif number == 3:
            found["arguments"].update(_entry(_inner(kind, value), 1))
    return found


def _entry(raw: bytes, depth: int) -> dict[str, Any]:
    """Return the single map entry of a field."""
    key, item = "", None
    for number, kind, value in _fields(raw):
        if number == 1:
            key = _text(kind, value)
        elif number == 2:
            item = _value(_inner(kind, value), depth)
    return {key: item}


def _value(raw: bytes, depth: int) -> Any:
    """Return a JSON value; of several fields the last one counts."""
    if depth > MAX_DEPTH:
        raise Unreadable("a session with values nested too deep")
    found: Any = None
    for number, kind, value in _fields(raw):
        match number:
            case 1:
                found = bool(_whole(kind, value))
            case 2:
                found = signed(_whole(kind, value))
            case 3:
                found = _double(kind, value)
            case 4:
                found = _text(kind, value)
            case 5:
                found = {}
                for inner, inner_kind, one in _fields(_inner(kind, value)):
                    if inner == 1:
                        found.update(_entry(_inner(inner_kind, one), depth + 1))
            case 6:
                items = _fields(_inner(kind, value))
                found = [_value(_inner(k, one), depth + 1) for inner, k, one in items if inner == 1]
            case 7:
                found = None
    return found


def _time(raw: bytes) -> str | None:
    seconds = nanoseconds = 0
    for number, kind, value in _fields(raw):
        if number in (1, 2):
            whole = signed(_whole(kind, value))
            seconds, nanoseconds = (whole, nanoseconds) if number == 1 else (seconds, whole)
    return instant(seconds + nanoseconds / 1e9) if abs(seconds) < 1e11 else None


def _fields(raw: bytes) -> Iterator[Field]:
    try:
        for number, kind, value, start, end in fields(raw):
            if not number:
                raise Unreadable("unknown session format")
            yield number, kind, value if kind == VARINT else raw[start:end]
    except Damaged:
        raise Unreadable("truncated, or not a session") from None


def _inner(kind: int, value: int | bytes) -> bytes:
    if kind != LEN or not isinstance(value, bytes):
        raise Unreadable("unknown session format")
    return value


def _whole(kind: int, value: int | bytes) -> int:
    if kind != VARINT or not isinstance(value, int):
        raise Unreadable("unknown session format")
    return value


def _double(kind: int, value: int | bytes) -> float | None:
    if kind != FIXED64 or not isinstance(value, bytes):
        raise Unreadable("unknown session format")
    found = float(struct.unpack("<d", value)[0])
    return found if math.isfinite(found) else None


def _text(kind: int, value: int | bytes) -> str:
    try:
        return _inner(kind, value).decode()
    except UnicodeDecodeError:
        raise Unreadable("a session with text that is not UTF-8") from None
