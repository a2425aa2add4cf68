"""One conversation: its durable log, and the search index that follows it.

The log is the source. A message is in it, safely, before it is indexed; if indexing fails, the next
append or search picks up from the offset where the index stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from remora.app.worker import embed_when_many
from remora.conversation.log import SessionLog
from remora.core.clock import to_iso
from remora.core.errors import Conflict, StoreError
from remora.core.values import Message, Redaction
from remora.lifecycle.intake import redact_json

if TYPE_CHECKING:
    from remora.app.wiring import Parts

INDEX_BYTES = 4_000_000  # of the log, read and indexed in one transaction


class Session:
    """A conversation of a project, by its id (`channel:chat`).

    Attributes:
        redactions: secrets taken out of what this object appended, by kind.
    """

    def __init__(self, parts: Parts, session_id: str, lock: threading.RLock) -> None:
        self._parts = parts
        self._lock = lock
        self._log = SessionLog(parts.sessions_folder, session_id, parts.clock)
        self.id = self._log.session_id
        self.redactions: tuple[Redaction, ...] = ()

    def append(
        self,
        /,
        role: str,
        content: str,
        *,
        external_id: str | None = None,
        time: str | None = None,
        **fields: Any,
    ) -> Message:
        """Append one message durably and return it as it stands in the log.

        Args:
            role: the speaker, any text that is not empty.
            content: what was said; secrets are taken out first.
            external_id: your own id; a message whose id is in the log already is not appended again.
            time: when it was said, ISO 8601 or in words; now by default.
            **fields: `tool_calls`, `tool_call_id`, `tool_name`, `metadata`.

        Raises:
            InvalidInput: the message cannot be stored; nothing was written.
        """
        message = {"role": role, "content": content, "external_id": external_id, "time": time, **fields}
        return self.extend([message])[0]

    def extend(self, messages: Iterable[Mapping[str, Any] | Message]) -> list[Message]:
        """Append many messages in one durable write, all or none; one message for each, in order."""
        counts: dict[str, int] = {r.kind: r.count for r in self.redactions}
        clean = [_redacted(_fields(m), counts) for m in messages]
        with self._lock:
            kept = self._log.extend(clean)
            self.redactions = tuple(Redaction(kind, number) for kind, number in sorted(counts.items()))
            follow(self._parts, self._log)
            embed_when_many(self._parts)
        return kept

    def messages(self) -> list[Message]:
        """Return the working context: from the latest compact or clear marker on."""
        return self._log.messages()

    def history(self) -> list[Message]:
        """Return everything ever said, oldest first."""
        return self._log.history()

    def count(self) -> int:
        """Return how many messages the working context has."""
        return self._log.count()

    def clear(self) -> None:
        """Start the working context anew; the history stays."""
        self._log.clear()


def follow(parts: Parts, log: SessionLog) -> int:
    """Index what a log holds beyond the index; returns how many turns were added.

    A failure here loses nothing: the log has the messages, and the next call goes on from the offset.
    """
    space = parts.room("project").space
    added = 0
    try:
        offset = space.turns.read_to(log.session_id)
        while True:
            try:
                messages, reached = log.read_from(offset, max_bytes=INDEX_BYTES)
            except Conflict:  # the file was replaced or edited: its turns are made again
                with space.db.transaction(durable=False):
                    space.turns.forget_session(log.session_id)
                offset = 0
                messages, reached = log.read_from(0, max_bytes=INDEX_BYTES)
            if reached == offset:
                return added
            at = to_iso(parts.clock.now())
            with space.db.transaction(durable=False):
                new = space.turns.add(log.session_id, log.path.name, messages, reached, at)
            added += len(new)
            offset = reached
    except StoreError:
        return added


def _fields(message: Mapping[str, Any] | Message) -> dict[str, Any]:
    """Return what was said; a message of another log leaves its number behind."""
    if isinstance(message, Message):
        return {k: v for k, v in message._asdict().items() if k not in ("seq", "time_text")}
    return dict(message)


def _redacted(message: dict[str, Any], counts: dict[str, int]) -> dict[str, Any]:
    for field in ("content", "tool_calls", "metadata"):
        if message.get(field) is not None:
            message[field] = redact_json(message[field], counts)
    return message
