"""Decode GolemCore's sessions from protocol buffers.

Since February 2026 GolemCore stores a session as one proto3 message; `_MESSAGES` lists the fields that are
read. Fields with other numbers are skipped, as the format requires. Any mismatch (a length beyond the end, a
wrong field type, text that is not UTF-8) makes the whole session unreadable: misread bytes would be worse
than a missing session.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from remora.core.protobuf import FIXED64, LEN, VARINT, Damaged, fields, signed
from remora.sources.instant import instant
from remora.sources.others.files import MAX_DEPTH
from remora.sources.others.import_result import Unreadable

# The fields of each message by number: name in GolemCore's JSON, and type; a * marks a repeated field.
# A null value (field 7) is read as a value without fields.
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "session": {
        1: ("id", "text"),
        2: ("channelType", "text"),
        3: ("chatId", "text"),
        4: ("messages", "message*"),
        5: ("metadata", "map"),
        6: ("state", "state"),
        7: ("createdAt", "time"),
        8: ("updatedAt", "time"),
    },
    "message": {
        1: ("id", "text"),
        2: ("role", "text"),
        3: ("content", "text"),
        4: ("channelType", "text"),
        5: ("chatId", "text"),
        6: ("senderId", "text"),
        7: ("toolCalls", "call*"),
        8: ("toolCallId", "text"),
        9: ("toolName", "text"),
        10: ("metadata", "map"),
        11: ("timestamp", "time"),
        12: ("voiceData", "audio"),
        13: ("voiceTranscription", "text"),
    },
    "call": {1: ("id", "text"), 2: ("name", "text"), 3: ("arguments", "map")},
    "entry": {1: ("key", "text"), 2: ("value", "value")},
    "value": {
        1: ("value", "bool"),
        2: ("value", "integer"),
        3: ("value", "double"),
        4: ("value", "text"),
        5: ("value", "object"),
        6: ("value", "list"),
    },
    "object": {1: ("value", "map")},
    "list": {1: ("value", "value*")},
    "time": {1: ("seconds", "integer"), 2: ("nanoseconds", "integer")},
}
_WIRE = {"bool": VARINT, "integer": VARINT, "state": VARINT, "double": FIXED64}  # of other types LEN
_STATES = {0: "ACTIVE", 1: "ACTIVE", 2: "PAUSED", 3: "TERMINATED"}


def session(raw: bytes) -> dict[str, Any]:
    """Return a session in the shape of GolemCore's older JSON files.

    Raises:
        Unreadable: the bytes are not such a session.
    """
    try:
        return _message(raw, "session", 0)
    except Damaged:
        raise Unreadable("truncated, or not a session") from None
    except UnicodeDecodeError:
        raise Unreadable("a session with text that is not UTF-8") from None


def _message(raw: bytes, what: str, depth: int) -> dict[str, Any]:
    """Return the fields of a message inside `depth` values; of several with one name the last one counts."""
    if depth > MAX_DEPTH:
        raise Unreadable("a session with values nested too deep")
    known = _MESSAGES[what]
    found: dict[str, Any] = {name: [] for name, kind in known.values() if kind.endswith("*")}
    found |= {name: {} for name, kind in known.values() if kind == "map"}
    for number, wire, whole, start, end in fields(raw):
        name, kind = known.get(number, ("", ""))
        if not number or (name and wire != _WIRE.get(kind, LEN)):
            raise Unreadable("unknown session format")
        if kind == "map":
            entry = _message(raw[start:end], "entry", depth)
            found[name][entry.get("key", "")] = entry.get("value")
        elif kind.endswith("*"):
            found[name].append(_value(kind[:-1], whole, raw[start:end], depth))
        elif name:
            found[name] = _value(kind, whole, raw[start:end], depth)
    return found


def _value(kind: str, whole: int, raw: bytes, depth: int) -> Any:
    """Return the value of a field, from its varint or its bytes."""
    match kind:
        case "text":
            return raw.decode()
        case "audio":  # is not imported; only whether there is any
            return bool(raw)
        case "bool":
            return bool(whole)
        case "integer":
            return signed(whole)
        case "double":
            double: float = struct.unpack("<d", raw)[0]
            return double if math.isfinite(double) else None
        case "state":
            return _STATES.get(whole, "")
        case "time":
            time = _message(raw, "time", depth)
            seconds = time.get("seconds", 0)
            return instant(seconds + time.get("nanoseconds", 0) / 1e9) if abs(seconds) < 1e11 else None
        case "value":
            return _message(raw, "value", depth + 1).get("value")
        case "object" | "list":
            return _message(raw, kind, depth)["value"]
        case _:
            return _message(raw, kind, depth)
