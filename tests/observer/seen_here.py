"""What a few sessions showed, in a database of their own."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterable
from pathlib import Path
from tempfile import mkdtemp

from remora.core.events import Observation, Signal
from remora.store.database import Database
from remora.store.session_reader import SessionReader


class SeenHere(SessionReader):
    """What the sessions showed that were added to it."""

    def __init__(self) -> None:
        folder = Path(mkdtemp())
        weakref.finalize(self, shutil.rmtree, folder)
        self._db = Database(folder / "memory.db", realm="project", project_id="p1")
        super().__init__(self._db.connection, "p1")

    def add(self, session: Observation, more: Iterable[Signal] = ()) -> None:
        """Count a session, with signals beyond its own (see `promotion.tallies`)."""
        with self._db.transaction():
            self._db.sessions.record(session, [], "", "2026-02-01T00:00:00.000Z", tuple(more))
