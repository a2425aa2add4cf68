"""Serve the panel on this machine until a signal ends it, and leave nothing behind."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from remora.core.clock import Clock
from remora.interfaces.panel.app import build
from remora.interfaces.panel.projects import Projects

if TYPE_CHECKING:
    from remora.app.memory import Memory

HOST = "127.0.0.1"
LOCAL = ("127.0.0.1", "localhost")
ENDING = 2  # seconds that open requests get at the end


class Server(uvicorn.Server):
    """A server that ends on SIGTERM, SIGINT and SIGHUP, streams included, and lets its caller clean up."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  as uvicorn calls it
        """End, without waiting for browsers that look at a stream; the signal is not raised again."""
        self.should_exit = self.force_exit = True


def address(port: int, key: str) -> str:
    """Return the address that opens the panel once."""
    return f"http://{HOST}:{port}/?key={key}"


def serve(
    first: Memory,
    opener: Callable[[str], Memory],
    bound: socket.socket,
    told: Callable[[str], None],
    *,
    clock: Clock,
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Serve on a socket until a signal comes.

    Args:
        first: the memory that is shown first; it is closed at the end, like every other.
        opener: opens the memory of a folder.
        bound: where to listen.
        told: is given the address as soon as it answers.
        clock: what time it is.
        environ: where the data folder is.
    """
    port = bound.getsockname()[1]
    key = secrets.token_urlsafe(24)
    projects = Projects(environ, opener, first)
    app = build(projects, environ, clock, key, tuple(f"{name}:{port}" for name in LOCAL))
    config = uvicorn.Config(
        app, log_level=logging.WARNING, access_log=False, lifespan="off", timeout_graceful_shutdown=ENDING
    )
    server = Server(config)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, server.handle_exit)
    threading.Timer(0.2, told, (address(port, key),)).start()
    try:
        server.run(sockets=[bound])
    finally:
        projects.close()
