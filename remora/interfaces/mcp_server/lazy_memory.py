"""The memory behind a server: opened by the first call that needs it, closed at the end.

A server lives as long as its host, while disks fill and files are moved. So an opening that fails is
tried again by the next call, and a database that turns out to be unusable is let go of.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from remora.core.errors import RemoraError, StoreBusy, StoreError, StoreFull, StoreReadOnly

if TYPE_CHECKING:
    from remora.app.memory import Memory
    from remora.core.clock import Clock

OPENERS = (StoreReadOnly, StoreFull)  # what reading only may get around
PASSES = (StoreBusy, StoreFull, StoreReadOnly)  # after these the database can be used as before


class Holder:
    """Hands out the memory of a project, one caller at a time."""

    def __init__(
        self,
        project: str | os.PathLike[str] = ".",
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        opener: Callable[..., Memory] | None = None,
    ) -> None:
        self.project = project
        self.read_only = read_only
        self._clock = clock
        self._open = opener or _open
        self._memory: Memory | None = None
        self._refused: RemoraError | None = None  # why it was opened for reading only
        self._lock = threading.RLock()

    @contextmanager
    def use(self, *, writes: bool = False) -> Iterator[Memory]:
        """Give the memory to a caller for a while.

        Where nothing is to be written and the files cannot be, it is opened for reading only.

        Raises:
            RemoraError: it cannot be opened.
        """
        with self._lock:
            memory = self._ready(writes=writes)
            try:
                yield memory
            except StoreError as error:
                if not isinstance(error, PASSES):
                    self._let_go()
                raise
            finally:
                if isinstance(self._refused, StoreFull):
                    self._let_go()  # who reads without room for a shared file keeps all others out

    def close(self, patience: float = -1.0) -> None:
        """Close the memory if it is open, and stay usable: the next call opens it again.

        Args:
            patience: seconds to wait for a call that is using it; for ever by default.
        """
        if self._lock.acquire(timeout=patience):
            try:
                self._let_go()
            finally:
                self._lock.release()

    def _ready(self, *, writes: bool) -> Memory:
        if self._memory is not None and writes and self._refused is not None:
            self._let_go()  # perhaps it can be written by now
        if self._memory is None:
            try:
                self._memory = self._open(self.project, clock=self._clock, read_only=self.read_only)
                self._refused = None
            except OPENERS as error:
                if writes or self.read_only:
                    raise
                self._memory = self._open(self.project, clock=self._clock, read_only=True)
                self._refused = error
        return self._memory

    def _let_go(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            with suppress(RemoraError, OSError):
                memory.close()


_SESSION = secrets.token_hex(4)  # a server has one client, and lives as long as its session


def _open(project: str | os.PathLike[str], **how: Any) -> Memory:
    from remora.app.memory import Memory

    return Memory.open(project, actor=f"agent:mcp:{_SESSION}", **how)
