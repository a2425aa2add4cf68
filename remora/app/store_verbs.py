"""What a `Memory` says and does about its store: each verb in one place, each delegating to one module."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.checking import checked

if TYPE_CHECKING:
    from remora.app.accesses import Accesses
    from remora.app.backup import Backup
    from remora.app.doctor import Report
    from remora.app.stats import Stats
    from remora.app.wiring import Parts
    from remora.lifecycle.prune import PrunePlan

Progress = Callable[[str, int, int], None]


@checked
class StoreVerbs:
    """The verbs of `Memory` that look at the store as a whole and keep it in order."""

    _parts: Parts
    _lock: threading.RLock
    _accesses: Accesses

    def reminders(self, *, vectors: bool = False) -> tuple[str, ...]:
        """Return what stands in the way of good answers and is easily mended, a sentence each.

        Args:
            vectors: also say how many memories wait for a vector; asks for the embedding model.
        """
        from remora.app.reminders import reminders

        with self._lock:
            return reminders(self._parts, vectors=vectors)

    def stats(self) -> Stats:
        """Return what is stored: counts by type, turns, vectors, files, sizes."""
        from remora.app.stats import stats

        with self._lock:
            return stats(self._parts)

    def doctor(self) -> Report:
        """Check everything end to end: files, database, models; each finding says what to do."""
        from remora.app.doctor import examine

        with self._lock:
            return examine(self._parts)

    def reindex(self, *, progress: Progress | None = None) -> int:
        """Make derived data again: turns from the logs, vectors of the present model. Returns rows made."""
        from remora.app.worker import reindex

        with self._lock:
            return reindex(self._parts, progress)

    def catch_up(self, seconds: float | None = None, *, progress: Progress | None = None) -> int:
        """Embed what has no vector yet, for at most so many seconds; returns how many were embedded."""
        from remora.app.worker import catch_up

        with self._lock:
            return catch_up(self._parts, seconds, progress, code=True)

    def backup(self, path: str | os.PathLike[str]) -> Backup:
        """Copy everything of the project into one file, while others go on.

        Raises:
            Conflict: there is such a file already.
            StoreError: something cannot be read or written.
        """
        from remora.app.backup import backup

        with self._lock:
            return backup(self._parts.project.home, Path(path).expanduser().absolute())

    def prune(self, *, dry_run: bool = False) -> PrunePlan:
        """Forget what has expired, delete what was forgotten long ago; returns what was or would be done.

        What is deleted is gone from the tables, the indexes, the log of what was said and the bytes of the
        file. While another process reads, its bytes stay until the next pruning.
        """
        from remora.lifecycle import prune

        with self._lock:
            if not dry_run:
                self._accesses.flush(wait=None)
            used = self._accesses.waiting
            whole = prune.PrunePlan((), (), 0)
            for room in self._parts.rooms():
                with nullcontext() if dry_run else room.space.db.transaction():
                    wanted = prune.plan(room.space, self._parts.clock)
                    wanted = wanted._replace(forget=tuple(m for m in wanted.forget if m.id not in used))
                    if not dry_run:
                        prune.apply(room.space, self._parts.clock, wanted)
                if wanted.delete and not dry_run:
                    room.space.db.scrub()
                whole = prune.PrunePlan(
                    whole.forget + wanted.forget,
                    whole.delete + wanted.delete,
                    whole.cache_rows + wanted.cache_rows,
                )
            return whole
