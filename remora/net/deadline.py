"""One deadline for a whole exchange: the timeouts of the HTTP library are for each step of it.

A server that sends a byte now and then is never late by those, and may hold a call for hours. So every
stream that the library opens is asked, at each read and each write, how long the whole may still take.
The library tells of its streams by its `trace` extension; the thread that makes the call does the
reading, so the deadline is the thread's.

Two things stay with the operating system: looking up a name, and trying its addresses one after another.
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
    """When the exchange of this thread must have ended."""

    def __init__(self) -> None:
        self._at = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Let what happens inside take so many seconds; reads and writes after them are a TimeoutError."""
        self._at = time.monotonic() + seconds
        try:
            yield
        finally:
            self._at = math.inf

    def left(self, timeout: float | None = None) -> float | None:
        """Return the seconds that one step may take: a timeout of its own, or less if less is left.

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
