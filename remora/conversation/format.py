"""The lines of a session log: messages and markers to JSON, and back.

A log is JSON Lines in UTF-8. A line without `_type` is a message; a line with `_type` describes the session
or moves a boundary. `docs/session-log.md` describes the format for other implementations; this module is the
only one here. It is pure: the log passes it bytes and the time.

Writing and reading differ in strictness. A file may have been edited by hand or written by another program,
so it is read as far as it is valid (`read_message`), and every problem is reported. A caller's message in
which reading finds a problem is rejected as a whole (`prepare`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any, NamedTuple

from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.core.text import sound
from remora.core.times import instant_of, is_canonical, iso_of
from remora.core.values import Message, ToolCall

VERSION = 1
STATES = ("ACTIVE", "PAUSED", "TERMINATED")
SUMMARY_HEAD = "[Conversation summary]"
MAX_SEQ = 2**53  # what every JSON reader holds exactly
MAX_DEPTH = 64  # of metadata and tool arguments; deeper ones make parsers run out of stack
FIELDS = tuple("role content time time_text external_id tool_calls tool_call_id tool_name metadata".split())

_BOM = b"\xef\xbb\xbf"
_HALF_SIGN = b"\\ud"  # how JSON writes half of a sign; rare, and worth a second look
_MILLISECONDS_FROM = 1e11  # as seconds this is the year 5138; as milliseconds, 1973


class Prepared(NamedTuple):
    """A checked message without its number: the JSON object without `seq`, and the message that it says."""

    body: bytes
    message: Message


class BadLine(ValueError):
    """A line that cannot be read; the message is the reason."""


def encode(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line of JSON without its line end.

    Raises:
        ValueError, TypeError, RecursionError: the record holds a value that JSON or `decode` rejects.
    """
    if _too_deep(record):
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return sound(text).encode()


def decode(raw: bytes) -> dict[str, Any] | None:
    """Return the object of a line; None for a blank line.

    Raises:
        BadLine: the line is not a JSON object in UTF-8.
    """
    try:
        text = raw.removeprefix(_BOM).decode().strip()
        if not text:
            return None
        record = json.loads(text)
    except UnicodeDecodeError as error:
        raise BadLine(f"not UTF-8 (byte {error.start + 1})") from None
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not JSON ({error})") from None
    if not isinstance(record, dict):
        raise BadLine("JSON, but not an object")
    if _too_deep(record):
        raise BadLine(f"nested more than {MAX_DEPTH} deep")
    if _HALF_SIGN in raw.lower():
        return dict(json.loads(sound(json.dumps(record, ensure_ascii=False))))
    return record


def number(prepared: Prepared, seq: int) -> bytes:
    """Return the whole line of a prepared message, line end included."""
    return b'{"seq":%d,' % seq + prepared.body[1:] + b"\n"


def prepare(messages: Iterable[Mapping[str, Any] | Message], now: str) -> list[Prepared]:
    """Check a batch of messages and encode them.

    Args:
        messages: mappings with the keys of `FIELDS`, or messages of another log (their `seq` is dropped).
        now: the time of messages that have none, ISO 8601.

    Raises:
        InvalidInput: a message is invalid; the error names it and the reason.
    """
    if isinstance(messages, str | Mapping | Message) or not isinstance(messages, Iterable):
        raise InvalidInput(
            "messages must be a list of messages, not one", hint="Use append for a single one."
        )
    batch = list(messages)
    prepared = []
    for position, message in enumerate(batch, 1):
        try:
            prepared.append(_prepare_one(message, now))
        except BadLine as error:
            place = f"message {position} of {len(batch)}: " if len(batch) > 1 else ""
            raise InvalidInput(
                f"{place}{error}", hint="Nothing was appended. Correct the message and try again."
            ) from None
    return prepared


def _prepare_one(message: Mapping[str, Any] | Message, now: str) -> Prepared:
    if isinstance(message, Message):
        message = {k: v for k, v in message._asdict().items() if k != "seq"}
    if not isinstance(message, Mapping):
        raise BadLine(f"a message is a mapping with role and content, not {type(message).__name__}")
    unknown = [repr(key) for key in message if key not in FIELDS]
    if unknown:
        raise BadLine(f"unknown field {', '.join(unknown)}; put your own fields under 'metadata'")
    own_words, told = message.get("time_text"), message.get("time")
    timestamp, time_text = said_at(own_words if told is None else told, now)
    calls, metadata = message.get("tool_calls") or None, message.get("metadata")
    if isinstance(calls, list | tuple):
        calls = [call._asdict() if isinstance(call, ToolCall) else call for call in calls]
    given = {
        "role": message.get("role"),
        "content": message.get("content"),
        "timestamp": timestamp,
        "timeText": time_text if own_words is None else own_words,
        "externalId": message.get("external_id"),
        "toolCalls": calls,
        "toolCallId": message.get("tool_call_id"),
        "toolName": message.get("tool_name"),
        "metadata": dict(metadata) if isinstance(metadata, Mapping) else metadata,
    }
    record = {key: value for key, value in given.items() if value is not None}
    try:
        body = encode(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadLine(f"it cannot be written as JSON ({error})") from None
    read, doubts = read_message(decode(body) or {}, 0)
    if doubts:
        raise BadLine(doubts[0].partition(";")[0])
    return Prepared(body, read)


def said_at(value: object, now: str) -> tuple[str | None, str | None]:
    """Return the time of a message, ISO 8601 in UTC, and the caller's own text if it differs.

    ISO 8601 text that begins with year-month-day, datetimes and numbers become UTC; without a zone they are
    taken as UTC. Numbers are seconds since 1970, from 1e11 on milliseconds. Other text that names a day is
    read in the ways people write it, and kept as well. Text that names no day is kept, and the time is
    unknown: None.

    Raises:
        BadLine: a number outside the years 1000 to 9999, or neither text, number nor datetime.

    >>> said_at("2024-03-15T14:00:00+02:00", "2026-01-01T00:00:00.000Z")
    ('2024-03-15T12:00:00.000Z', None)
    >>> said_at("1:56 pm on 8 May, 2023", "2026-01-01T00:00:00.000Z")
    ('2023-05-08T13:56:00.000Z', '1:56 pm on 8 May, 2023')
    >>> said_at("last Friday", "2026-01-01T00:00:00.000Z")
    (None, 'last Friday')
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return now, None
    if isinstance(value, str):
        stamp = iso_of(value)
        return (stamp, None) if stamp else (instant_of(value), value)
    if isinstance(value, bool) or not isinstance(value, int | float | datetime):
        raise BadLine(f"time must be text, a number or a datetime, not {_show(value)}")
    try:
        if isinstance(value, datetime):
            seconds = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        else:
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
        stamp = to_iso(seconds)
    except (ValueError, OverflowError, OSError):
        stamp = ""
    if not is_canonical(stamp):
        raise BadLine(f"time {value!r} is out of range")
    return stamp, None


def _too_deep(record: Mapping[str, Any]) -> bool:
    level: list[Any] = [value for value in record.values() if isinstance(value, dict | list | tuple)]
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        inner: list[Any] = []
        for value in level:
            inner.extend(value.values() if isinstance(value, dict) else value)
        level = [value for value in inner if isinstance(value, dict | list | tuple)]
    return bool(level)


def _show(value: object) -> str:
    """Return the display of an invalid value in a message: short text as it is, otherwise only the type."""
    if value is None:
        return "missing"
    return repr(value[:40]) if isinstance(value, str) else type(value).__name__


def read_message(record: Mapping[str, Any], seq: int) -> tuple[Message, list[str]]:
    """Return the message of a line, and the problems found in it.

    Raises:
        BadLine: the line is no message: its role or content is not text.
    """
    role, content = record.get("role"), record.get("content")
    if not isinstance(role, str) or not role.strip():
        raise BadLine(f"role is {_show(role)}")
    if not isinstance(content, str):
        raise BadLine(f"content is {_show(content)}")
    doubts: list[str] = []

    def text(key: str) -> str | None:
        value = record.get(key)
        if value is None or (isinstance(value, str) and value.strip()):
            return value
        doubts.append(f"{key} is {_show(value)}; left out")
        return None

    stamp, time_text = text("timestamp"), text("timeText")
    time = iso_of(stamp) if stamp else None
    if stamp and time is None:
        time_text = time_text or stamp
        doubts.append(f"timestamp {_show(stamp)} is not ISO 8601; kept as text")
    metadata = record.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        doubts.append(f"metadata is {_show(metadata)}; left out")
        metadata = None
    message = Message(
        seq=seq,
        role=role,
        content=content,
        time=time,
        external_id=text("externalId"),
        tool_calls=_read_calls(record.get("toolCalls"), doubts),
        tool_call_id=text("toolCallId"),
        tool_name=text("toolName"),
        metadata=metadata,
        time_text=time_text,
    )
    return message, doubts


def copied(message: Message) -> Message:
    """Return a deep copy of a message."""
    if message.metadata is None and not message.tool_calls:
        return message
    calls = tuple(call._replace(arguments=deepcopy(call.arguments)) for call in message.tool_calls)
    return message._replace(metadata=deepcopy(message.metadata), tool_calls=calls)


def _read_calls(value: object, doubts: list[str]) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    calls = []
    for call in value if isinstance(value, list) else [value]:
        if isinstance(call, dict) and isinstance(call.get("name"), str) and call["name"]:
            calls.append(ToolCall(str(call.get("id") or ""), call["name"], call.get("arguments")))
        else:
            doubts.append(f"a tool call is {_show(call)}; left out")
    return tuple(calls)
