"""One deadline for a whole exchange: the timeouts of the HTTP library apply to each step of it.

A server that sends a byte now and then never exceeds those timeouts, and may hold a call for hours. So every
stream that the library opens checks, at each read and each write, the remaining time. The library reports its
streams through its `trace` extension; the thread that makes the call does the reading, so the deadline
belongs to the thread.

Two steps remain with the operating system: the name lookup, and trying several addresses in turn.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PIECE = 16_384  # bytes written at once, so that who takes them slowly is noticed in between
_OPENING = (".connect_tcp.started", ".start_tls.started")
_OPENED = (".connect_tcp.complete", ".start_tls.complete")


class Deadline(threading.local):
    """The end of this thread's exchange."""

    def __init__(self) -> None:
        self._at = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit the block to a number of seconds; later reads and writes raise TimeoutError."""
        self._at = time.monotonic() + seconds
        try:
            yield
        finally:
            self._at = math.inf

    def left(self, timeout: float | None = None) -> float | None:
        """Return the seconds of one step: its own timeout, or the remaining time if that is less.

        Raises:
            TimeoutError: none is left.
        """
        left = self._at - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        if left == math.inf:
            return timeout
        return left if timeout is None else min(timeout, left)

    def trace(self, event: str, info: Any) -> None:
        """Bind each stream that the HTTP library opens; give it to a request as its `trace` extension."""
        if event.endswith(_OPENING):
            info["timeout"] = self.left(info["timeout"])
        elif event.endswith(_OPENED):
            self._bind(info["return_value"])

    def _bind(self, stream: Any) -> None:
        read, write = stream.read, stream.write

        def read_in_time(max_bytes: int, timeout: float | None = None) -> Any:
            return read(max_bytes, self.left(timeout))

        def write_in_time(buffer: bytes, timeout: float | None = None) -> None:
            for start in range(0, len(buffer), PIECE):
                write(buffer[start : start + PIECE], self.left(timeout))

        stream.read, stream.write = read_in_time, write_in_time
