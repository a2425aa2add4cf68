"""What a `Memory` says to agents, and what it said: each verb in one place, each delegating to one module."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from remora.app.checking import checked
from remora.core.errors import RemoraError

if TYPE_CHECKING:
    from remora.app.loop import Loop
    from remora.app.memory import Memory
    from remora.app.spoken import Status, Why
    from remora.app.wiring import Parts, Room
    from remora.core.values import MemoryRecord
    from remora.store.injections import Injection


@checked
class SpeakingVerbs:
    """The verbs of `Memory` about what agents are told."""

    _parts: Parts
    _lock: threading.RLock

    def loop(self, session_id: str, *, host: str = "python") -> Loop:
        """Put memory into an agent's own loop: what to say at its four points, and learning at its end.

        Args:
            session_id: your own id of the session.
            host: what your program calls itself.

        Raises:
            InvalidInput: one of them is empty.
        """
        from remora.app.loop import Loop

        return Loop(self._whole(), session_id, host)

    def log(self, limit: int = 20, *, session_id: str | None = None) -> list[Injection]:
        """Return what was put in front of agents, newest first: when, at what, why, and what followed.

        Args:
            limit: how many at most.
            session_id: only of this session, by the host's own id or as "host:id".
        """
        from remora.app.spoken import log

        with self._lock:
            return log(self._parts, limit, session_id)

    def why(self, memory_id: str) -> Why:
        """Return where a memory comes from, how far to trust it, at what it is said and when it was.

        Raises:
            NotFound, Conflict: as for `show`.
        """
        from remora.app.spoken import why

        with self._lock:
            return why(self._whole(), memory_id)

    def status(self) -> Status:
        """Return what the project has, which sessions go on, and what one that began now would be told."""
        from remora.app.spoken import status

        with self._lock:
            return status(self._whole())

    def tell_session(self, memory_id: str) -> bool:
        """Tell the agents of the session that goes on in this project what one of them recorded.

        Args:
            memory_id: of what was recorded.

        Returns:
            Whether it is known which session that is.

        Raises:
            NotFound, Conflict: as for `show`.
        """
        from remora.app.spoken import tell_session

        with self._lock:
            return tell_session(self._whole(), memory_id)

    def as_said(self, text: str, told_at: Sequence[str] = ()) -> dict[str, Any]:
        """Return what makes a statement the person's, whose sentence an agent was asked to record.

        Args:
            text: the statement.
            told_at: what it is to be told at: what it forbids and wants, and when.

        Returns:
            Source, session and the sentence as fields of a draft, where the statement says what a person
            said in the session that goes on and nothing beyond; else nothing.
        """
        from remora.app.spoken import as_said

        with self._lock:
            return as_said(self._whole(), text, told_at)

    def _made_triggers(self, room: Room, records: Sequence[MemoryRecord]) -> None:
        """Make the triggers of memories; without them they are stored all the same."""
        from remora.app import triggers  # its patterns cost some milliseconds to load

        with suppress(RemoraError):
            triggers.take_in(room.space, records)

    def _whole(self) -> Memory:
        """Return this object as what it is: a `Memory` has these verbs, and nothing else does."""
        return cast("Memory", self)
