"""A conversation memory that outlives its process: the same interface over a session's log.

Adding appends durably. Pruning and clearing move the log's boundary by a marker; no message is removed, and
the log's `history` has all of them. The boundary of a log is one position: everything after it is in the
context. Pruning keeps more than that, at least the system messages before it, so the marker lists their
numbers:

    {"_type":"compact", "keptFrom":41, "summary":"…", "details":{"pruned":{
        "kept":[1,17,18],     numbers before keptFrom that stay
        "upTo":52,            system messages up to this number stand at the front
        "summary":false}}}    whether the summary is one; otherwise it only states the omission

A program without support for this reads a log as always: the summary and the messages after the boundary.

A second pruning may drop only messages that the first had kept from before the boundary. The boundary cannot
move then, so the new list is written as the session's metadata, under `pruned`, with the position of its
marker. Tags are metadata too, under `messageTags`, since a line of the log never changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.conversation.calls import is_instruction
from remora.conversation.flatten import FLATTENED_TO, flatten, working_context
from remora.conversation.format import SUMMARY_HEAD, copied
from remora.conversation.log import SessionLog
from remora.conversation.memory import (
    MessageMemory,
    Which,
    checked_tags,
    places,
    several,
    tags_of,
    with_tags,
    words_in,
)
from remora.conversation.pruning import (
    SUMMARY_TOKENS,
    Outcome,
    Pruned,
    Summarise,
    is_summary,
    summary_message,
)
from remora.conversation.replay import Boundary
from remora.conversation.strategies import Strategy
from remora.core.argument_types import checked
from remora.core.clock import Clock
from remora.core.errors import Conflict
from remora.core.tokens import Estimator
from remora.core.values import Message

if TYPE_CHECKING:
    from remora.conversation.memory import Messages

PRUNED = "pruned"  # key in a marker's details, and in the session's metadata
MESSAGE_TAGS = "messageTags"
NO_SUMMARY = "Earlier messages did not fit. The session's log has them."

PATIENCE = 60.0  # seconds to wait for another process that prunes or compacts; its model may take its time


class _Record(NamedTuple):
    """The data of a marker, or of the metadata that amends it, about a pruning."""

    kept: tuple[int, ...]
    up_to: int
    summary: str | None  # the text, where it is not the marker's; None: the marker's
    shown: bool


@checked
class PersistentMemory(MessageMemory):
    """A conversation in a session's log. See `MessageMemory` for its methods.

    Another program may append to the log meanwhile; its messages are visible at the next call. As in the log,
    secrets are not removed here: redact them before.

    Args:
        log: the session.
        counter, strategy, summarise, summary_tokens: as in `MessageMemory`.
    """

    def __init__(
        self,
        log: SessionLog,
        *,
        counter: str | Estimator = "scripts",
        strategy: str | Strategy = "recency",
        summarise: Summarise | None = None,
        summary_tokens: int = SUMMARY_TOKENS,
    ) -> None:
        super().__init__(
            counter=counter, strategy=strategy, summarise=summarise, summary_tokens=summary_tokens
        )
        self.log = log
        self._earlier: tuple[object, list[Message]] = (None, [])

    @classmethod
    def open(cls, folder: Path, session_id: str, clock: Clock, **options: Any) -> PersistentMemory:
        """Return the memory of a session in a folder of logs; the options are those of the class."""
        return cls(SessionLog(folder, session_id, clock), **options)

    def add_many(self, messages: Messages) -> None:
        """Append messages durably, all or none. None is ignored.

        Raises:
            InvalidInput: a message is invalid; none was added.
            StoreError: the log cannot be written; none was added.
        """
        self.log.add(several(messages))

    def get_all(self) -> list[Message]:
        """Return the conversation, oldest first, with the system messages kept by a pruning at the front."""
        return self._look()[0]

    def clear(self) -> None:
        """Delete the conversation, including system messages. The log keeps its history."""
        self.log.clear()

    def prune(self, max_tokens: int, strategy: str | Strategy | None = None) -> Pruned:
        """Shorten the conversation to a budget by moving the log's boundary; see `MessageMemory`.

        If nothing is dropped, nothing is written. Concurrent prunings and compactions of the session, in any
        processes, run one after the other.

        Raises:
            InvalidInput: the budget is not positive, or no strategy has that name.
            Conflict: the session was cleared meanwhile; nothing was changed.
            StoreBusy: another one took longer than a minute; nothing was changed.
            StoreError: the log cannot be written; nothing was changed.
        """
        with self.log.shortening(PATIENCE):
            messages, boundary = self._look()
            outcome = self._outcome(messages, max_tokens, strategy)
            if outcome.pruned.dropped:
                self._write(messages, boundary, outcome)
        return outcome.pruned

    def tag(self, which: Which, *tags: str) -> int:
        """Tag messages, and return how many got a new tag; see `MessageMemory`.

        A summary has no number in the log and cannot be tagged.
        """
        wanted = checked_tags(tags)
        messages = self.get_all()
        meant = [messages[place] for place in places(messages, which) if messages[place].seq]
        tagged = 0

        def joined(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
            nonlocal tagged
            known = dict(_mapping(metadata.get(MESSAGE_TAGS)))
            for message in meant:
                there = (*tags_of(message), *words_in(known.get(str(message.seq))))
                if not set(wanted) <= set(there):
                    known[str(message.seq)] = list(dict.fromkeys((*there, *wanted)))
                    tagged += 1
            return {MESSAGE_TAGS: known} if tagged else {}

        self.log.update_metadata(joined)
        return tagged

    # Reading

    def _look(self) -> tuple[list[Message], Boundary | None]:
        said, boundary = self.log.context()
        metadata = self.log.metadata
        messages = working_context(said, boundary)
        record = _record(boundary, metadata)
        if record is not None and boundary is not None:
            messages = self._restored(boundary, record, messages)
        tags = _mapping(metadata.get(MESSAGE_TAGS))
        if tags:
            messages = [_tagged(message, tags.get(str(message.seq))) for message in messages]
        return messages, boundary

    def _restored(self, boundary: Boundary, record: _Record, messages: list[Message]) -> list[Message]:
        """Return a context with the messages that a pruning kept from before the boundary, in its order."""
        summary = [message for message in messages[:1] if message.seq == 0]
        said = self._kept_before(boundary, record.kept) + messages[len(summary) :]
        if not record.shown:
            summary = []
        elif record.summary is not None:
            summary = [summary_message(record.summary)]
        front = [m for m in said if is_instruction(m) and m.seq <= record.up_to]
        rest = [m for m in said if not (is_instruction(m) and m.seq <= record.up_to)]
        return [*front, *summary, *rest]

    def _kept_before(self, boundary: Boundary, kept: tuple[int, ...]) -> list[Message]:
        """Return the kept messages from before the boundary; cached per boundary and list."""
        if not kept:
            return []
        key = (boundary.offset, boundary.at, kept)
        if self._earlier[0] != key:
            history, up_to = self.log.history(), (boundary.details or {}).get(FLATTENED_TO)
            if isinstance(up_to, int):
                history = flatten(history, up_to)
            wanted = set(kept)
            self._earlier = (key, [message for message in history if message.seq in wanted])
        return [copied(message) for message in self._earlier[1]]

    # Writing

    def _write(self, messages: Sequence[Message], boundary: Boundary | None, outcome: Outcome) -> None:
        """Move the boundary, or record further drops before it."""
        kept = {messages[place].seq for place in (*outcome.instructions, *outcome.conversation)} - {0}
        numbers = sorted({message.seq for message in messages} - {0})
        begins = boundary.kept_from if boundary else 1
        gone = [seq for seq in numbers if seq >= begins and seq not in kept]
        kept_from = begins
        if gone:  # what follows the last that is gone is the unbroken rest
            kept_from = next((seq for seq in numbers if seq > gone[-1]), numbers[-1] + 1)
        summaries = [m.content for m in outcome.pruned.kept if m.seq == 0 and is_summary(m)]
        text = summaries[-1].removeprefix(SUMMARY_HEAD).strip() if summaries else ""
        record = {
            "kept": sorted(seq for seq in kept if seq < kept_from),
            "upTo": numbers[-1],
            "summary": bool(text),
        }
        if self.log.boundary != boundary:
            raise Conflict("the session was compacted or cleared meanwhile", hint="Prune again.")
        if boundary is not None and not gone:
            amended = record | {"marker": boundary.offset, "text": text}
            self.log.update_metadata({PRUNED: amended})
            return
        flattened = (boundary.details or {}).get(FLATTENED_TO) if boundary else None
        details = {PRUNED: record} | ({} if flattened is None else {FLATTENED_TO: flattened})
        self.log.compact(text or NO_SUMMARY, kept_from, details=details)


def _record(boundary: Boundary | None, metadata: Mapping[str, Any]) -> _Record | None:
    """Return the pruning data of the latest marker, or of its amendment; None if it is no pruning."""
    if boundary is None or boundary.kind != "compact":
        return None
    own, amended = _mapping((boundary.details or {}).get(PRUNED)), _mapping(metadata.get(PRUNED))
    valid = bool(amended) and amended.get("marker") == boundary.offset
    source = amended if valid else own
    if not source:
        return None
    kept, up_to, text = source.get("kept"), source.get("upTo"), source.get("text")
    return _Record(
        tuple(seq for seq in kept if isinstance(seq, int)) if isinstance(kept, list) else (),
        up_to if isinstance(up_to, int) else 0,
        text if valid and isinstance(text, str) else None,
        source.get("summary") is not False,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _tagged(message: Message, tags: object) -> Message:
    known = words_in(tags)
    return with_tags(message, known) if known else message
