"""Several conversations, each with its own memory, by their ids."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from remora.conversation.memory import ConversationMemory, MessageMemory
from remora.conversation.message_search import Found
from remora.conversation.persistent import PersistentMemory
from remora.conversation.sessions import list_sessions
from remora.core.argument_types import checked
from remora.core.clock import Clock


class FoundIn(NamedTuple):
    """A found message, and its conversation."""

    id: str
    found: Found


@checked
class Conversations:
    """The memories of many conversations. One memory object per id, made on first use.

    Args:
        make: returns the memory of an id.
        stored: returns the existing ids, including those not yet used.
    """

    def __init__(
        self,
        make: Callable[[str], MessageMemory] | None = None,
        stored: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._make = make or (lambda _id: ConversationMemory())
        self._stored = stored
        self._lock = threading.RLock()
        self._open: dict[str, MessageMemory] = {}

    @classmethod
    def in_folder(cls, folder: Path, clock: Clock, **options: Any) -> Conversations:
        """Return the conversations with logs in a folder; the options are those of a memory."""
        return cls(
            lambda session_id: PersistentMemory.open(folder, session_id, clock, **options),
            lambda: [session.id for session in list_sessions(folder)],
        )

    def get(self, conversation_id: str) -> MessageMemory:
        """Return the memory of a conversation, an empty one for a new id."""
        with self._lock:
            if conversation_id not in self._open:
                self._open[conversation_id] = self._make(conversation_id)
            return self._open[conversation_id]

    def ids(self) -> list[str]:
        """Return the ids of all conversations, in alphabetical order."""
        with self._lock:
            return sorted({*self._open, *self._stored()})

    def close(self, conversation_id: str) -> bool:
        """Release a memory, and return whether there was one. Its log is unchanged."""
        with self._lock:
            return self._open.pop(conversation_id, None) is not None

    def find(self, query: str, role: str | None = None, limit: int = 10) -> list[FoundIn]:
        """Return the matches in all conversations, the best of each first; see `message_search.find`."""
        found = [
            FoundIn(conversation_id, one)
            for conversation_id in self.ids()
            for one in self.get(conversation_id).find(query, role, limit)
        ]
        found.sort(key=lambda hit: (-hit.found.score, hit.id, -hit.found.place))
        return found[: max(0, limit)]

    def __contains__(self, conversation_id: object) -> bool:
        return conversation_id in self.ids()

    def __len__(self) -> int:
        return len(self.ids())
