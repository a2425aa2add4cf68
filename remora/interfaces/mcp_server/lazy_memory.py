"""Lazily opened memory of a server: opened by the first call that needs it, closed at the end.

A server runs as long as its host, while disks fill and files are moved. A failed opening is therefore retried
by the next call, and an unusable database is closed.
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

PASSES = (StoreBusy, StoreFull, StoreReadOnly)  # errors after which the database stays usable


class Holder:
    """Provide the memory of a project to one caller at a time."""

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
        self._fallback = False  # the memory was opened read-only because it cannot be written
        self._lock = threading.RLock()

    @contextmanager
    def use(self, *, writes: bool = False) -> Iterator[Memory]:
        """Yield the memory, locked for the block.

        If `writes` is False and the files cannot be written, it is opened read-only.

        Raises:
            RemoraError: the memory cannot be opened.
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
                if self._fallback:
                    self._let_go()  # the files may be writable at the next call

    def close(self, patience: float = -1.0) -> None:
        """Close the memory if it is open; the next call opens it again.

        Args:
            patience: seconds to wait for a call that is using it; without limit by default.
        """
        if self._lock.acquire(timeout=patience):
            try:
                self._let_go()
            finally:
                self._lock.release()

    def _ready(self, *, writes: bool) -> Memory:
        if self._memory is None:
            self._fallback = False
            try:
                self._memory = self._open(self.project, clock=self._clock, read_only=self.read_only)
            except (StoreReadOnly, StoreFull):
                if writes or self.read_only:
                    raise
                self._memory = self._open(self.project, clock=self._clock, read_only=True)
                self._fallback = True
        return self._memory

    def _let_go(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            with suppress(RemoraError, OSError):
                memory.close()


_SESSION = secrets.token_hex(4)  # a server has one client and runs as long as its session


def _open(project: str | os.PathLike[str], **how: Any) -> Memory:
    from remora.app.memory import Memory

    return Memory.open(project, actor=f"agent:mcp:{_SESSION}", **how)
