"""The append-only log of one session: messages are added once and never removed.

One file per session, one JSON object per line (`format`); `replay` interprets the lines. A boundary moves by
a marker at the end, so no message is ever removed or rewritten: `clear` and `compact` change the result of
`messages()` and leave `history()` unchanged.

Writing. Every write takes the file's lock, ends a line that a crash left unfinished, reads the lines appended
meanwhile, assigns the next numbers and appends all its lines in one durable write. When it returns, the lines
are on the disk; when it raises, none of them is in the log. A process that dies in between leaves the first
lines of its batch or none; repeating the batch with external ids appends the rest without duplicates.

Reading takes no lock (`reader` describes how it follows other writers), so it may see lines of a write in
progress; only `read_from`, which feeds indexes, waits for its end.

Secrets are not removed here: the caller must redact them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from remora.conversation.format import STATES, VERSION, Prepared, encode, number, prepare
from remora.conversation.reader import LogReader
from remora.conversation.replay import RESERVED, Boundary, Problem, Replay
from remora.core.clock import Clock, to_iso
from remora.core.errors import Conflict, InvalidInput, StoreReadOnly
from remora.core.text import sound
from remora.core.values import Message as Message
from remora.disk.files import append_line, finish_last_line, lock, os_errors
from remora.disk.names import safe_name

SUFFIX = ".jsonl"


class Added(NamedTuple):
    """The result of a batch: one message for each given one, in order, as in the log.

    `repeated` holds the positions (from 0) of those not appended because their external id was already in the
    log; `messages` has the log's message with that id.
    """

    messages: tuple[Message, ...]
    repeated: tuple[int, ...]


class SessionLog:
    """The log of one session. Opening one creates no file; the first write does.

    One object may be used by several threads, and one file by several objects and processes.

    Args:
        folder: of the logs; created at the first write.
        session_id: `channel:chat` by convention, any text that is not empty.
        clock: the time of messages and markers.
        lock_timeout: seconds a write waits for another writer.
        created_at: when the session began, ISO 8601, if this object creates its file and it was not now.
    """

    def __init__(
        self,
        folder: Path,
        session_id: str,
        clock: Clock,
        *,
        lock_timeout: float = 10.0,
        created_at: str | None = None,
    ) -> None:
        if not isinstance(session_id, str) or not session_id:
            raise InvalidInput("a session id must be a non-empty string")
        self.session_id = sound(session_id)
        self.path = folder / f"{safe_name(self.session_id)}{SUFFIX}"
        self._clock = clock
        self._lock_timeout = lock_timeout
        self._created_at = created_at
        self._reader = LogReader(self.path, self.session_id)

    # Reading

    def history(self) -> list[Message]:
        """Return all messages ever added, oldest first."""
        with self._reader.current() as view:
            return view.load(range(view.replay.total))

    def since(self, seq: int) -> list[Message]:
        """Return all messages after a number, oldest first."""
        with self._reader.current() as view:
            return view.load(range(view.replay.place_of(seq + 1), view.replay.total))

    def messages(self) -> list[Message]:
        """Return the working context: the messages since the latest clear or compact marker.

        After a compaction the first message is its summary (role "system", `seq` 0).
        """
        return self.context()[0]

    def context(self) -> tuple[list[Message], Boundary | None]:
        """Return the working context, and the boundary at which it begins."""
        with self._reader.current() as view:
            said = view.load(range(view.replay.context_from, view.replay.total))
            summary = view.replay.summary
            return [summary, *said] if summary else said, view.replay.boundary

    def count(self) -> int:
        """Return the number of messages in the working context, a summary counted as one."""
        with self._reader.current() as view:
            return view.replay.total - view.replay.context_from + (view.replay.summary is not None)

    def total(self) -> int:
        """Return the number of messages ever added."""
        with self._reader.current() as view:
            return view.replay.total

    def read_from(self, offset: int = 0) -> tuple[list[Message], int]:
        """Return the messages from a byte offset on, and the next offset; for indexes.

        Only finished writes count: it waits for an active writer.

        Args:
            offset: 0, or the result of an earlier call.

        Raises:
            StoreBusy: a writer did not finish in time.
        """
        with os_errors(self.path, "read"), ExitStack() as stack:
            if self.path.exists():
                with suppress(StoreReadOnly):  # without write access to the lock, still read
                    stack.enter_context(lock(self.path, timeout=self._lock_timeout))
            view = stack.enter_context(self._reader.current())
            return view.load(range(view.replay.place_at(offset), view.replay.total)), view.end

    @property
    def metadata(self) -> dict[str, Any]:
        """`version`, `key`, `state`, `createdAt` (once the file exists) and the callers' own keys; a copy."""
        with self._reader.current() as view:
            return deepcopy(self._base() | view.replay.metadata)

    @property
    def boundary(self) -> Boundary | None:
        """The latest clear or compact marker; None if everything is in the context."""
        with self._reader.current() as view:
            return view.replay.boundary

    @property
    def consolidated(self) -> int:
        """The `seq` up to which the session is in the journal; 0 before the first time."""
        with self._reader.current() as view:
            return view.replay.consolidated

    @property
    def last_seq(self) -> int:
        """The number of the last message; 0 before the first."""
        with self._reader.current() as view:
            return view.replay.last_seq

    def problems(self) -> list[Problem]:
        """Return the lines that were skipped or read only in part, at most a thousand, with the reason."""
        with self._reader.current() as view:
            found = list(view.replay.problems)
            if view.torn:
                reason = "unfinished: a write is in progress or was interrupted; the next append resolves it"
                found.append(Problem(view.replay.lines + 1, reason))
            return found

    # Adding

    def append(self, message: Mapping[str, Any] | Message) -> Message:
        """Append one message durably and return it as stored; see `add`."""
        return self.add([message]).messages[0]

    def extend(self, messages: Iterable[Mapping[str, Any] | Message]) -> list[Message]:
        """Append messages in one durable write and return them as stored; see `add`."""
        return list(self.add(messages).messages)

    def add(self, messages: Iterable[Mapping[str, Any] | Message]) -> Added:
        """Append messages in one durable write, and return which of them already existed.

        A message is a mapping: `role` and `content` (text), and optionally `time`, `time_text`,
        `external_id`, `tool_calls` (each `id`, `name`, `arguments`), `tool_call_id`, `tool_name` and
        `metadata`. A message whose `external_id` is in the log is not appended again.

        Raises:
            InvalidInput: a message is invalid; none was appended.
            Conflict: the log has the `external_id` of a message with another role or text; none was appended.
            StoreBusy: another writer held the file for too long; none was appended.
            StoreFull, StoreReadOnly, StoreTooNew: the file cannot be written; none was appended.
        """
        now = self._now()
        prepared = prepare(messages, now)
        if not prepared:
            return Added((), ())
        with self._writing() as replay:
            fresh: list[Prepared] = []
            places: list[int] = []
            repeated: list[int] = []
            known = dict[str, int]()  # of this batch
            for position, one in enumerate(prepared):
                name = one.message.external_id
                place = None if name is None else replay.external.get(name, known.get(name))
                if place is not None:
                    earlier = place - replay.total
                    before = fresh[earlier].message if earlier >= 0 else replay.messages[place]
                    if (before.role, before.content) != (one.message.role, one.message.content):
                        raise Conflict(
                            f"the session has external_id {name!r} with another text; nothing was stored",
                            hint="Append the amended message under another external_id.",
                        )
                    repeated.append(position)
                else:
                    place = replay.total + len(fresh)
                    fresh.append(one)
                    if name is not None:
                        known[name] = place
                places.append(place)
            if fresh:
                lines = [number(one, replay.last_seq + n) for n, one in enumerate(fresh, 1)]
                self._commit(replay, lines, now)
            with self._reader.current() as view:
                return Added(tuple(view.load(places)), tuple(repeated))

    def clear(self) -> int:
        """Empty the working context and return the number of messages that left it. The history stays."""
        with self._writing() as replay:
            left = replay.total - replay.context_from
            if left or replay.summary:
                now = self._now()
                self._mark(replay, {"_type": "clear", "timestamp": now}, now)
            return left

    def compact(
        self,
        summary: str,
        kept_from: int,
        *,
        archive_name: str | None = None,
        details: Mapping[str, Any] | None = None,
        replaces: Boundary | None = None,
    ) -> None:
        """Replace the messages before one by a summary. The history stays.

        Write the archive first, if there is one: the marker states that it exists.

        Args:
            summary: the new beginning of the working context.
            kept_from: the `seq` of the first message that stays in it; the last one plus 1 keeps none.
            archive_name: the archive of the summary.
            details: further data about it, as JSON.
            replaces: the boundary whose place it takes, if no message leaves the context with it.

        Raises:
            InvalidInput: an empty summary, or no such message.
            Conflict: those messages have already left the context through another compaction or a clear.
                Nothing was written.
        """
        if not isinstance(summary, str) or not summary.strip():
            raise InvalidInput("a compaction needs a summary")
        with self._writing() as replay:
            begins, last = replay.context_begins, replay.last_seq
            if not 1 <= kept_from <= last + 1:
                raise InvalidInput(f"kept_from is {kept_from}; the session has messages 1 to {last}")
            if kept_from <= begins and (replaces is None or replaces != replay.boundary):
                raise Conflict(
                    f"the working context begins at message {begins}: nothing before {kept_from} is in it",
                    hint="Read the context again; it was cleared or compacted meanwhile.",
                )
            now = self._now()
            record = {
                "_type": "compact",
                "archivedAt": now,
                "archiveName": archive_name,
                "keptFrom": kept_from,
                "summary": summary,
                "details": details,
            }
            self._mark(replay, {key: value for key, value in record.items() if value is not None}, now)

    def shortening(self, timeout: float) -> AbstractContextManager[None]:
        """Hold the lock for shortening the context, among all processes.

        A compaction or pruning holds it from reading the context to writing the marker. Appends continue
        meanwhile, and a `clear` does not wait: the marker after it is a Conflict.

        Args:
            timeout: seconds to wait for another holder, which may be waiting for its model.

        Raises:
            StoreBusy: another holder took longer.
        """
        return lock(self.path.with_suffix(".compacting"), timeout=timeout)

    def set_state(self, state: str) -> None:
        """Set the session's state: ACTIVE, PAUSED or TERMINATED. No state prevents appending.

        Raises:
            InvalidInput: another state.
        """
        if state not in STATES:
            raise InvalidInput(f"state is {state!r}", hint=f"Choose one of {', '.join(STATES)}.")
        with self._writing() as replay:
            if (self._base() | replay.metadata)["state"] != state:
                now = self._now()
                self._mark(replay, {"_type": "state", "state": state, "timestamp": now}, now)

    def update_metadata(
        self, values: Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]]
    ) -> None:
        """Set metadata of the caller's own; a value of None removes the key.

        Args:
            values: the values, or a function that returns them from a copy of the current metadata, while no
                other writer can change it. If it returns nothing, nothing is written.

        Raises:
            InvalidInput: a key reserved by the log, a key that is not text, or no JSON.
        """
        with self._writing() as replay:
            new = values(deepcopy(replay.metadata)) if callable(values) else values
            wrong = [str(key) for key in new if not isinstance(key, str) or key in RESERVED]
            if wrong:
                raise InvalidInput(f"metadata cannot have the key {', '.join(sorted(wrong))}")
            if new:
                now = self._now()
                self._mark(replay, self._metadata_line(replay, now) | dict(new), now)

    def mark_consolidated(self, up_to: int) -> None:
        """Record that the journal holds the messages up to a `seq`. It never moves back.

        Raises:
            InvalidInput: the session has no such message.
        """
        with self._writing() as replay:
            if not 0 <= up_to <= replay.last_seq:
                raise InvalidInput(f"up_to is {up_to}; the session has messages 1 to {replay.last_seq}")
            if up_to > replay.consolidated:
                now = self._now()
                self._mark(replay, {"_type": "consolidated", "upTo": up_to, "timestamp": now}, now)

    # Writing

    def _now(self) -> str:
        return to_iso(self._clock.now())

    @contextmanager
    def _writing(self) -> Iterator[Replay]:
        with lock(self.path, timeout=self._lock_timeout):
            finish_last_line(self.path)
            with self._reader.current() as view:
                replay = view.replay
            yield replay

    def _mark(self, replay: Replay, record: Mapping[str, Any], now: str) -> None:
        try:
            line = encode(record) + b"\n"
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(f"this cannot be written as JSON: {error}") from None
        self._commit(replay, [line], now, describes=record["_type"] == "metadata")

    def _commit(self, replay: Replay, lines: list[bytes], now: str, *, describes: bool = False) -> None:
        needed = not (replay.metadata or describes)
        first = encode(self._metadata_line(replay, now)) + b"\n" if needed else b""
        append_line(self.path, first + b"".join(lines))

    def _metadata_line(self, replay: Replay, now: str) -> dict[str, Any]:
        """Return a whole metadata line, so that reading only the last one is enough."""
        return {"_type": "metadata"} | self._base(self._created_at or now) | replay.metadata

    def _base(self, created: str | None = None) -> dict[str, Any]:
        """Return the fields of every session, in the order of the first line."""
        at = {"createdAt": created} if created else {}
        return {"version": VERSION, "key": self.session_id} | at | {"state": STATES[0]}
