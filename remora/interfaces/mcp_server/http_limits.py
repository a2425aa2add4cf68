"""HTTP protocol for uvicorn with limits on connections, request time and request size.

Uvicorn limits requests, not connections, and waits for the first request of a connection without a timeout. A
few hundred silent connections used up the file descriptors, and each refused one was logged.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS = 64  # open at the same time; a host opens one or two
REQUEST_SECONDS = 10.0  # from connection or last response to a request's head; again from there to its end
REQUEST_BYTES = 4_000_000  # of a request; the largest tool call is much smaller


class BoundedProtocol(H11Protocol):
    """Close connections above the limit at once, and those whose request does not arrive in time."""

    request_seconds = REQUEST_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._waiting: asyncio.TimerHandle | None = None
        self._received = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or close it if there are too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Receive data; close the connection if the request is too large."""
        self._received += len(data)
        if self._received > REQUEST_BYTES:
            self.transport.abort()
            return
        super().data_received(data)

    def handle_events(self) -> None:
        """Handle parsed events; the timer runs only while a request is incomplete."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._wait()
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self._stop()

    def on_response_complete(self) -> None:
        """Start the timer for the next request; a pipelined one begins at once."""
        self._received = 0
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop()
        self._waiting = self.loop.call_later(self.request_seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
