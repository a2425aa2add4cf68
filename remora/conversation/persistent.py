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

Tags are in the session's metadata, under `messageTags`, since a line of the log never changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remora.conversation.calls import is_instruction
from remora.conversation.flatten import FLATTENED_TO, working_context
from remora.conversation.format import SUMMARY_HEAD
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
from remora.conversation.pruning import SUMMARY_TOKENS, Pruned, Summarise, is_summary
from remora.conversation.replay import Boundary
from remora.conversation.strategies import Strategy
from remora.core.argument_types import checked
from remora.core.clock import Clock
from remora.core.tokens import Estimator
from remora.core.values import Message

if TYPE_CHECKING:
    from remora.conversation.memory import Messages

PRUNED = "pruned"  # key in a marker's details
MESSAGE_TAGS = "messageTags"
NO_SUMMARY = "Earlier messages did not fit. The session's log has them."

PATIENCE = 60.0  # seconds to wait for another process that prunes or compacts; its model may take its time


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
            pruned = self._pruned(messages, max_tokens, strategy)
            if pruned.dropped:
                self._write(messages, boundary, pruned)
        return pruned

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
        messages = working_context(said, boundary)
        record = _mapping((boundary.details or {}).get(PRUNED)) if boundary else {}
        if boundary is not None and record:
            messages = self._restored(boundary, record)
        tags = _mapping(self.log.metadata.get(MESSAGE_TAGS))
        if tags:
            messages = [_tagged(message, tags.get(str(message.seq))) for message in messages]
        return messages, boundary

    def _restored(self, boundary: Boundary, record: Mapping[str, Any]) -> list[Message]:
        """Return the context after a pruning, with the messages that it kept from before the boundary."""
        listed, up_to = record.get("kept"), record.get("upTo")
        kept = {seq for seq in listed if isinstance(seq, int)} if isinstance(listed, list) else set()
        moved = up_to if isinstance(up_to, int) else 0
        said = [
            message
            for message in working_context(self.log.history(), boundary)
            if message.seq >= boundary.kept_from or message.seq in kept
        ]
        summary = boundary.summary_message() if record.get("summary") is not False else None
        front = [m for m in said if is_instruction(m) and m.seq <= moved]
        rest = [m for m in said if not (is_instruction(m) and m.seq <= moved)]
        return [*front, *([summary] if summary else []), *rest]

    # Writing

    def _write(self, messages: Sequence[Message], boundary: Boundary | None, pruned: Pruned) -> None:
        """Write a marker whose boundary is behind the last message that goes."""
        kept = {message.seq for message in pruned.kept} - {0}
        numbers = sorted({message.seq for message in messages} - {0})
        begins = boundary.kept_from if boundary else 1
        gone = [seq for seq in numbers if seq >= begins and seq not in kept]
        kept_from = begins
        if gone:  # what follows the last that is gone is the unbroken rest
            kept_from = next((seq for seq in numbers if seq > gone[-1]), numbers[-1] + 1)
        summaries = [message.content for message in pruned.kept if message.seq == 0 and is_summary(message)]
        text = summaries[-1].removeprefix(SUMMARY_HEAD).strip() if summaries else ""
        record = {
            "kept": sorted(seq for seq in kept if seq < kept_from),
            "upTo": numbers[-1],
            "summary": bool(text),
        }
        flattened = (boundary.details or {}).get(FLATTENED_TO) if boundary else None
        details = {PRUNED: record} | ({} if flattened is None else {FLATTENED_TO: flattened})
        self.log.compact(text or NO_SUMMARY, kept_from, details=details, replaces=boundary)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _tagged(message: Message, tags: object) -> Message:
    known = words_in(tags)
    return with_tags(message, known) if known else message
