"""One consolidation at a time: first come, first served in a process, one process at a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from remora.core.errors import StoreBusy
from remora.disk.files import lock


class _Line:
    """Threads that wait for the same resource, in order of arrival."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[object] = []

    @contextmanager
    def turn(self, wait: float) -> Iterator[bool]:
        """Wait for the turn; yields whether it came within `wait` seconds."""
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
        try:
            with self._changed:
                mine = self._changed.wait_for(lambda: self._waiting[0] is ticket, wait)
            yield mine
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                self._changed.notify_all()


_lines: WeakValueDictionary[tuple[int, str], _Line] = WeakValueDictionary()
_guard = threading.Lock()


@contextmanager
def turn(path: Path, wait: float) -> Iterator[None]:
    """Hold the turn for a file: among the threads of this process in order, then among processes.

    Args:
        path: the guarded file; the lock is its sibling, as in `disk.files.lock`.
        wait: seconds to wait for both.

    Raises:
        StoreBusy: others held it all the time.
    """
    deadline = time.monotonic() + wait
    with _guard:
        # After a fork no thread is left that could take its turn, so a process has its own lines.
        line = _lines.setdefault((os.getpid(), str(path.absolute())), _Line())
    with line.turn(wait) as came:
        if not came:
            raise StoreBusy(
                f"other consolidations of {path.parent} took longer than {wait:g} s",
                hint="Nothing was consolidated and nothing is lost; try again.",
            )
        with lock(path, timeout=max(0.0, deadline - time.monotonic())):
            yield
