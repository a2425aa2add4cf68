"""The append-only log of one session: what is said goes in once and never leaves.

One file a session, one JSON object a line (`format`); what the lines mean together is `replay`. A
boundary moves by a marker at the end, so nothing that was ever said is removed or rewritten: `clear`
and `compact` change what `messages()` returns and leave `history()` as it is.

Writing. Every write takes the file's lock, ends a line that a crash left unfinished, reads what others
appended meanwhile, gives the next numbers and appends all its lines in one durable write. When it
returns, the lines are on the disk; when it raises, none of them is in the log. A process that dies in
between leaves the first lines of its batch or none; whoever repeats the batch with external ids gets
the rest appended and nothing twice.

Reading takes no lock and reads only what was added since the last time. It notices when the file was
replaced, cut or edited (by identity, size, time and the bytes before the last known end) and then
starts over. The newest messages are kept in memory up to `cache_bytes`; of older ones only their place
is, and they are read again when asked for. A reader may see lines of a write that is under way; only
`read_from`, which feeds indexes, waits for it to end.

Secrets are not looked for here: what is handed in is what is kept, so the caller redacts it first.
"""

from __future__ import annotations

import os
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from remora.conversation.format import STATES, VERSION, BadLine, decode, encode, number, prepare, read_message
from remora.conversation.replay import RESERVED, Boundary, Problem, Replay
from remora.core.clock import Clock, to_iso
from remora.core.errors import Conflict, InvalidInput, StoreBusy, StoreReadOnly, StoreTooNew
from remora.core.text import sound
from remora.core.values import Message as Message  # noqa: PLC0414 - a name of this module too
from remora.disk.files import append_line, finish_last_line, lock, os_errors
from remora.disk.names import safe_name

SUFFIX = ".jsonl"
CACHE_BYTES = 4 * 1024 * 1024
_TAIL = 64  # bytes before the end that must be the same for the file to be the one we know


class Added(NamedTuple):
    """What became of a batch: one message for each that was given, in order, as it stands in the log.

    `repeated` holds the positions (from 0) of those that were not appended because their external id
    was in the log already; `messages` has what the log holds under that id.
    """

    messages: tuple[Message, ...]
    repeated: tuple[int, ...]


class SessionLog:
    """The log of one session. Opening one makes no file; the first write does.

    One object may be used by several threads, and one file by several objects and processes.

    Args:
        folder: where the logs are; made at the first write.
        session_id: `channel:chat` by convention, any text that is not empty.
        clock: the time of messages and markers.
        cache_bytes: how much of the file's newest messages may stay in memory.
        lock_timeout: seconds a write waits for another writer.
    """

    def __init__(
        self,
        folder: Path,
        session_id: str,
        clock: Clock,
        *,
        cache_bytes: int = CACHE_BYTES,
        lock_timeout: float = 10.0,
    ) -> None:
        self.session_id = sound(session_id)
        self.path = folder / f"{safe_name(self.session_id)}{SUFFIX}"
        self._clock = clock
        self._cache_bytes = cache_bytes
        self._lock_timeout = lock_timeout
        self._mutex = threading.RLock()
        self._reset()

    # What was said

    def history(self) -> list[Message]:
        """Return everything ever said, oldest first."""
        with self._reading() as file:
            return self._load(file, range(len(self._replay.seqs)))

    def messages(self) -> list[Message]:
        """Return the working context: what was said since the latest clear or compact marker.

        After a compaction the first message is its summary (role "system", `seq` 0).
        """
        with self._reading() as file:
            replay = self._replay
            said = self._load(file, range(replay.context_from, len(replay.seqs)))
            summary = replay.boundary.summary_message() if replay.boundary else None
            return [summary, *said] if summary else said

    def count(self) -> int:
        """Return how many messages the working context has, a summary counted as one."""
        with self._reading():
            replay = self._replay
            summary = replay.boundary.summary_message() if replay.boundary else None
            return len(replay.seqs) - replay.context_from + (summary is not None)

    def total(self) -> int:
        """Return how many messages were ever said."""
        with self._reading():
            return len(self._replay.seqs)

    def read_from(self, offset: int = 0, *, max_bytes: int | None = None) -> tuple[list[Message], int]:
        """Return the messages from a byte offset on, and the offset to go on from; for indexes.

        Only finished writes count: it waits for a writer that is at work.

        Args:
            offset: 0, or what an earlier call returned.
            max_bytes: stop after about so many bytes (at least one message is returned); there is
                more as long as the offset moves.

        Raises:
            Conflict: no line begins at this offset. The file is not the one that the offset is from,
                or was edited by hand.
            StoreBusy: a writer did not come to an end in time.
        """
        with ExitStack() as stack:
            if self.path.exists():
                with suppress(StoreReadOnly):  # who may not write the lock may still read
                    stack.enter_context(lock(self.path, timeout=self._lock_timeout))
            file = stack.enter_context(self._reading())
            if not self._begins_line(file, offset):
                raise Conflict(
                    f"{self.path} has no line that begins at byte {offset}",
                    hint="The file was replaced or edited: read from 0 and replace what was indexed of it.",
                )
            offsets = self._replay.offsets
            first, last = bisect_left(offsets, offset), len(offsets)
            if max_bytes is not None:
                last = min(last, max(first + 1, bisect_left(offsets, offset + max_bytes)))
            return self._load(file, range(first, last)), offsets[last] if last < len(offsets) else self._end

    @property
    def metadata(self) -> dict[str, Any]:
        """`version`, `key`, `state`, `createdAt` (once the file exists) and what callers added; a copy."""
        with self._reading():
            return deepcopy(self._base() | self._replay.metadata)

    @property
    def boundary(self) -> Boundary | None:
        """The latest clear or compact marker; None while everything is in the context."""
        with self._reading():
            return self._replay.boundary

    @property
    def consolidated(self) -> int:
        """The `seq` up to which the journal holds the session; 0 before the first time."""
        with self._reading():
            return self._replay.consolidated

    @property
    def problem_count(self) -> int:
        """How many lines were skipped or read only in part."""
        with self._reading():
            return self._replay.problem_count + self._torn

    def problems(self) -> list[Problem]:
        """Return the lines that were skipped or read only in part, at most a thousand, with the reason."""
        with self._reading():
            found = list(self._replay.problems)
            if self._torn:
                reason = "unfinished: a write is under way or was cut off; it is judged at the next append"
                found.append(Problem(self._replay.lines + 1, reason))
            return found

    # What is to be kept

    def append(self, message: Mapping[str, Any] | Message) -> Message:
        """Append one message durably and return it as it stands in the log; see `add`."""
        return self.add([message]).messages[0]

    def extend(self, messages: Iterable[Mapping[str, Any] | Message]) -> list[Message]:
        """Append messages in one durable write and return them as they stand in the log; see `add`."""
        return list(self.add(messages).messages)

    def add(self, messages: Iterable[Mapping[str, Any] | Message]) -> Added:
        """Append messages in one durable write, and say which of them were there already.

        A message is a mapping: `role` and `content` (text), and if wanted `time`, `time_text`,
        `external_id`, `tool_calls` (each `id`, `name`, `arguments`), `tool_call_id`, `tool_name` and
        `metadata`. A message whose `external_id` the log holds is not appended again.

        Raises:
            InvalidInput: one of the messages cannot be used; none was appended.
            StoreBusy: another writer held the file for too long; none was appended.
            StoreFull, StoreReadOnly, StoreTooNew: the file cannot be written; none was appended.
        """
        prepared = prepare(messages, self._now())
        if not prepared:
            return Added((), ())
        with self._writing() as replay:
            lines: list[bytes] = []
            places: list[int] = []
            repeated: list[int] = []
            known: dict[str, int] = {}
            for position, message in enumerate(prepared):
                name = message.external_id
                place = None if name is None else replay.external.get(name, known.get(name))
                if place is not None:
                    repeated.append(position)
                else:
                    place = len(replay.seqs) + len(lines)
                    lines.append(number(message, replay.last_seq + len(lines) + 1))
                    if name is not None:
                        known[name] = place
                places.append(place)
            if lines:
                self._commit(replay, lines)
            with self._reading() as file:
                return Added(tuple(self._load(file, places)), tuple(repeated))

    def clear(self) -> int:
        """Empty the working context and return how many messages left it. The history stays."""
        with self._writing() as replay:
            left = len(replay.seqs) - replay.context_from
            if left or (replay.boundary and replay.boundary.summary):
                self._mark(replay, {"_type": "clear", "timestamp": self._now()})
            return left

    def compact(
        self,
        summary: str,
        kept_from: int,
        *,
        archive_name: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Put a summary in the place of the messages before one. The history stays.

        Whoever keeps archives writes the archive first: the marker says that it is there.

        Args:
            summary: what stands in the working context from now on.
            kept_from: the `seq` of the first message that stays in it; the last one plus 1 keeps none.
            archive_name: where the summary was archived.
            details: anything else worth knowing about it, as JSON.

        Raises:
            InvalidInput: an empty summary, or no such message.
            Conflict: those messages are out of the context already; another compaction or a clear
                was faster. Nothing was written.
        """
        if not isinstance(summary, str) or not summary.strip():
            raise InvalidInput("a compaction needs a summary")
        with self._writing() as replay:
            if not 1 <= kept_from <= replay.last_seq + 1:
                raise InvalidInput(
                    f"kept_from is {kept_from}; the session has messages 1 to {replay.last_seq}"
                )
            place = replay.context_from
            begins = replay.seqs[place] if place < len(replay.seqs) else replay.last_seq + 1
            if kept_from <= begins:
                raise Conflict(
                    f"the working context begins at message {begins}: nothing before {kept_from} is in it",
                    hint="Read the context again; it was cleared or compacted meanwhile.",
                )
            record = {
                "_type": "compact",
                "archivedAt": self._now(),
                "archiveName": archive_name,
                "keptFrom": kept_from,
                "summary": summary,
                "details": details,
            }
            self._mark(replay, {key: value for key, value in record.items() if value is not None})

    def set_state(self, state: str) -> None:
        """Set the session's state: ACTIVE, PAUSED or TERMINATED. It hinders nobody from appending.

        Raises:
            InvalidInput: another state.
        """
        if state not in STATES:
            raise InvalidInput(f"state is {state!r}", hint=f"Choose one of {', '.join(STATES)}.")
        with self._writing() as replay:
            if (self._base() | replay.metadata)["state"] != state:
                self._mark(replay, {"_type": "state", "state": state, "timestamp": self._now()})

    def update_metadata(self, values: Mapping[str, Any]) -> None:
        """Set metadata of the caller's own; a value of None takes the key away.

        Raises:
            InvalidInput: a key that the log itself uses, a key that is not text, or no JSON.
        """
        wrong = [str(key) for key in values if not isinstance(key, str) or key in RESERVED]
        if wrong:
            raise InvalidInput(f"metadata cannot have the key {', '.join(sorted(wrong))}")
        with self._writing() as replay:
            self._mark(replay, self._metadata_line(replay) | dict(values))

    def mark_consolidated(self, up_to: int) -> None:
        """Note that the journal holds the messages up to a `seq`. It never moves back.

        Raises:
            InvalidInput: the session has no such message.
        """
        with self._writing() as replay:
            if not 0 <= up_to <= replay.last_seq:
                raise InvalidInput(f"up_to is {up_to}; the session has messages 1 to {replay.last_seq}")
            if up_to > replay.consolidated:
                self._mark(replay, {"_type": "consolidated", "upTo": up_to, "timestamp": self._now()})

    # Writing

    def _now(self) -> str:
        return to_iso(self._clock.now())

    @contextmanager
    def _writing(self) -> Iterator[Replay]:
        with lock(self.path, timeout=self._lock_timeout):
            finish_last_line(self.path)
            with self._reading():
                replay = self._replay
            yield replay

    def _mark(self, replay: Replay, record: Mapping[str, Any]) -> None:
        try:
            line = encode(record) + b"\n"
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(f"this cannot be written as JSON: {error}") from None
        self._commit(replay, [line], describes=record["_type"] == "metadata")

    def _commit(self, replay: Replay, lines: Sequence[bytes], *, describes: bool = False) -> None:
        first = b"" if replay.metadata or describes else encode(self._metadata_line(replay)) + b"\n"
        append_line(self.path, first + b"".join(lines))

    def _metadata_line(self, replay: Replay) -> dict[str, Any]:
        """Return a whole metadata line, so that a reader who takes only the last one misses nothing."""
        created = {"createdAt": self._now()}
        return {"_type": "metadata"} | self._base() | created | replay.metadata

    def _base(self) -> dict[str, Any]:
        return {"version": VERSION, "key": self.session_id, "state": STATES[0]}

    # Reading

    def _reset(self) -> None:
        self._replay = Replay(self.session_id)
        self._stamp = (0, 0, 0, 0)  # device, file, size, time of the last look
        self._end = 0  # after the last complete line that was read
        self._tail = b""  # the bytes before `_end`
        self._torn = False
        self._cached: list[Message] = []  # the newest messages
        self._sizes: list[int] = []  # their lines' sizes
        self._cached_size = 0

    @contextmanager
    def _reading(self) -> Iterator[BinaryIO | None]:
        """Bring the replay up to date and hold it still; the file is None where there is none."""
        with self._mutex, os_errors(self.path, "read"), ExitStack() as stack:
            try:
                file = stack.enter_context(self.path.open("rb"))
            except FileNotFoundError:
                self._reset()
                yield None
                return
            self._catch_up(file)
            if self._replay.version > VERSION:
                raise StoreTooNew(
                    f"{self.path} has version {self._replay.version}; this Remora reads {VERSION}",
                    hint="Update Remora; the file is fine.",
                )
            yield file

    def _catch_up(self, file: BinaryIO) -> None:
        status = os.fstat(file.fileno())
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if stamp == self._stamp:
            return
        if not self._goes_on(file, stamp):
            self._reset()
        file.seek(self._end)
        self._torn = False
        for raw in file:
            if not raw.endswith(b"\n"):
                self._torn = True
                break
            self._take(raw)
        self._stamp = stamp

    def _goes_on(self, file: BinaryIO, stamp: tuple[int, int, int, int]) -> bool:
        """Say whether the file is what we know, with something added at the end."""
        if stamp[:2] != self._stamp[:2] or stamp[2] < self._end or stamp[2] == self._stamp[2]:
            return False
        file.seek(self._end - len(self._tail))
        return file.read(len(self._tail)) == self._tail

    def _take(self, raw: bytes) -> None:
        message = self._replay.feed(raw, self._end)
        self._end += len(raw)
        self._tail = (self._tail + raw[-_TAIL:])[-_TAIL:]
        if message is None:
            return
        self._cached.append(message)
        self._sizes.append(len(raw))
        self._cached_size += len(raw)
        if self._cached_size > self._cache_bytes:
            drop = 0
            while self._cached_size > self._cache_bytes // 2:
                self._cached_size -= self._sizes[drop]
                drop += 1
            del self._cached[:drop], self._sizes[:drop]

    def _load(self, file: BinaryIO | None, places: Sequence[int]) -> list[Message]:
        """Return the messages at some positions, from memory or from their lines."""
        in_memory_from = len(self._replay.seqs) - len(self._cached)
        found = []
        for place in places:
            if place >= in_memory_from:
                found.append(_own(self._cached[place - in_memory_from]))
            else:
                assert file is not None
                found.append(self._read_line(file, place))
        return found

    def _read_line(self, file: BinaryIO, place: int) -> Message:
        offset = self._replay.offsets[place]
        file.seek(offset)
        try:
            raw = file.readline()
            record = decode(raw.removeprefix(b"\xef\xbb\xbf") if offset == 0 else raw)
            return read_message(record or {}, self._replay.seqs[place])[0]
        except BadLine:
            self._reset()
            raise StoreBusy(f"{self.path} was changed while it was being read", hint="Try again.") from None

    def _begins_line(self, file: BinaryIO | None, offset: int) -> bool:
        if offset == 0 or file is None:
            return offset == 0
        if not 0 < offset <= self._end:
            return False
        file.seek(offset - 1)
        return file.read(1) == b"\n"


def _own(message: Message) -> Message:
    """Return a message whose inside the caller may change without changing what we keep."""
    if message.metadata is None and not message.tool_calls:
        return message
    return message._replace(metadata=deepcopy(message.metadata), tool_calls=deepcopy(message.tool_calls))
