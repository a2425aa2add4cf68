"""Read a log line by line and track the state of the session.

`Replay` is fed the complete lines of one file, in order, and holds everything about the session: the
messages with their positions (`offsets`), the external ids, the metadata, the boundary and the unreadable
lines. It is pure; the log feeds it from a file, and starts a new one if the file was replaced.

Numbers. A message's `seq` is that of its line, if it is above the previous one; otherwise it is the previous
one plus 1. So a log edited by hand, or written by a program without `seq`, still has unique ascending
numbers, and every reader agrees on them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from remora.conversation.format import (
    MAX_SEQ,
    STATES,
    SUMMARY_HEAD,
    VERSION,
    BadLine,
    decode,
    read_message,
)
from remora.core.values import Message

RESERVED = frozenset({"_type", "version", "key", "createdAt", "state"})

_MAX_PROBLEMS = 1000  # kept with their place; the rest is only counted


class Problem(NamedTuple):
    """A line that was skipped or read in part; lines count from 1."""

    line: int
    reason: str


class Boundary(NamedTuple):
    """The beginning of the working context: the latest clear or compact marker.

    `kept_from` is the first `seq` that is still in the context. `details` is the data added by the writer of
    a compact marker, `offset` the position of the marker's line in the file.
    """

    kind: Literal["clear", "compact"]
    kept_from: int
    at: str
    offset: int
    summary: str = ""
    archive_name: str | None = None
    details: Mapping[str, Any] | None = None

    def summary_message(self) -> Message | None:
        """Return the summary as the first message of the working context; None without a summary."""
        if not self.summary:
            return None
        archive = {"archiveName": self.archive_name} if self.archive_name else None
        return Message(0, "system", f"{SUMMARY_HEAD}\n{self.summary}", time=self.at, metadata=archive)


class Replay:
    """The state of a session after the lines fed so far."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.messages: list[Message] = []
        self.offsets: array[int] = array("Q")  # of the messages
        self.lines = 0
        self.external: dict[str, int] = {}  # external id to position in `offsets`
        self.metadata: dict[str, Any] = {}
        self.version = VERSION
        self.boundary: Boundary | None = None
        self.consolidated = 0
        self.problems: list[Problem] = []

    @property
    def last_seq(self) -> int:
        """The number of the last message; 0 before the first."""
        return self.messages[-1].seq if self.messages else 0

    @property
    def total(self) -> int:
        """The number of messages."""
        return len(self.messages)

    @property
    def context_from(self) -> int:
        """The position of the first message in the working context."""
        return self.place_of(self.boundary.kept_from) if self.boundary else 0

    @property
    def context_begins(self) -> int:
        """The number of the first message in the working context, or of the next one if it is empty."""
        place = self.context_from
        return self.messages[place].seq if place < self.total else self.last_seq + 1

    @property
    def summary(self) -> Message | None:
        """The summary at the front of the working context."""
        return self.boundary.summary_message() if self.boundary else None

    def place_of(self, seq: int) -> int:
        """Return the position of the first message with a number or a higher one."""
        return bisect_left(self.messages, seq, key=lambda message: message.seq)

    def place_at(self, offset: int) -> int:
        """Return the position of the first message that begins at or after a byte offset."""
        return bisect_left(self.offsets, offset)

    def feed(self, raw: bytes, offset: int) -> None:
        """Take the next complete line, which begins at a byte offset."""
        self.lines += 1
        try:
            record = decode(raw)
            if record is None:
                return
            kind = record.get("_type", "message")
            if kind == "message":
                self._message(record, offset)
                return
            marker = self._MARKERS.get(kind) if isinstance(kind, str) else None
            if marker is not None:  # a marker of a later version says nothing to us
                marker(self, record, offset)
        except BadLine as error:
            self._doubt(f"skipped: {error}")

    def _message(self, record: dict[str, Any], offset: int) -> None:
        follows = self.last_seq + 1
        seq = _number(record, "seq", follows, MAX_SEQ)
        message, doubts = read_message(record, follows if seq is None else seq)
        if seq is None and record.get("seq") is not None:
            doubts.append(f"seq {_show(record, 'seq')} does not follow {self.last_seq}; counted as {follows}")
        for doubt in doubts:
            self._doubt(doubt)
        if message.external_id is not None:
            self.external.setdefault(message.external_id, self.total)
        self.messages.append(message)
        self.offsets.append(offset)

    def _read_metadata(self, record: dict[str, Any], _offset: int) -> None:
        version = _number({"version": VERSION, **record}, "version", 1, MAX_SEQ)
        if version is None:
            self._doubt(f"version {_show(record, 'version')} is not a number")
        self.version = max(self.version, version or VERSION)
        first: dict[str, Any] = {n: self.metadata[n] for n in ("key", "createdAt") if n in self.metadata}
        if record.get("state") is not None and record["state"] not in STATES:
            self._doubt(f"state {_show(record, 'state')} is unknown")
            record.pop("state")
        if "key" not in first and record.get("key") != self.key:
            self._doubt(f"the key is {_show(record, 'key')}, the file is named for {self.key!r}")
        self.metadata.update(record)
        self.metadata.update(first)
        self.metadata.pop("_type")
        for name in [name for name, value in self.metadata.items() if value is None]:
            del self.metadata[name]

    def _read_state(self, record: dict[str, Any], _offset: int) -> None:
        if record.get("state") not in STATES:
            raise BadLine(f"state {_show(record, 'state')} is unknown")
        self.metadata["state"] = record["state"]

    def _read_clear(self, record: dict[str, Any], offset: int) -> None:
        self.boundary = Boundary("clear", self.last_seq + 1, _text(record, "timestamp"), offset)

    def _read_compact(self, record: dict[str, Any], offset: int) -> None:
        kept_from, details = _number(record, "keptFrom", 1, self.last_seq + 1), record.get("details")
        if kept_from is None:
            raise BadLine(f"compact: keptFrom {_show(record, 'keptFrom')} is not the number of a message")
        self.boundary = Boundary(
            "compact",
            kept_from,
            _text(record, "archivedAt"),
            offset,
            _text(record, "summary"),
            _text(record, "archiveName") or None,
            details if isinstance(details, dict) else None,
        )

    def _read_consolidated(self, record: dict[str, Any], _offset: int) -> None:
        up_to = _number(record, "upTo", 0, self.last_seq)
        if up_to is None:
            raise BadLine(f"consolidated: upTo {_show(record, 'upTo')} is not the number of a message")
        self.consolidated = max(self.consolidated, up_to)

    _MARKERS: ClassVar[dict[str, Callable[[Replay, dict[str, Any], int], None]]] = {
        "metadata": _read_metadata,
        "state": _read_state,
        "clear": _read_clear,
        "compact": _read_compact,
        "consolidated": _read_consolidated,
    }

    def _doubt(self, reason: str) -> None:
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(Problem(self.lines, reason))


def _number(record: Mapping[str, Any], key: str, low: int, high: int) -> int | None:
    """Return an integer of a record; None if it is none, or outside low..high."""
    value = record.get(key)
    usable = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    return value if usable else None


def _show(record: Mapping[str, Any], key: str) -> str:
    return repr(record.get(key))[:60]


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
