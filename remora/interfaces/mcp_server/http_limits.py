"""An HTTP protocol for uvicorn that holds few connections, and none that sends nothing.

Uvicorn limits requests, not connections, and waits for the first request of a connection without end. A few
hundred silent connections took every file descriptor, and the log grew with each that could not be accepted.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS = 64  # at once; a host opens one or two
REQUEST_SECONDS = 10.0  # from the connection, or the end of an answer, to a request's head; again to its end
REQUEST_BYTES = 4_000_000  # of a request's body; the largest tool call is far below


class BoundedProtocol(H11Protocol):
    """Closes a connection above the limit at once, and one whose request does not come in time."""

    request_seconds = REQUEST_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._waiting: asyncio.TimerHandle | None = None
        self._received = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or close it where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what was sent; a request that is too large ends."""
        self._received += len(data)
        if self._received > REQUEST_BYTES:
            self.transport.abort()
            return
        super().data_received(data)

    def handle_events(self) -> None:
        """Answer what was understood of it; the clock runs only while the rest of a request is to come."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._wait()
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self._stop()

    def on_response_complete(self) -> None:
        """Wait for the next request of the connection; one that came with the last begins at once."""
        self._received = 0
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop()
        self._waiting = self.loop.call_later(self.request_seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
