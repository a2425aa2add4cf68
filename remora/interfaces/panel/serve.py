"""Server of the panel: listen on this machine until a signal, then close all memories."""

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
ENDING = 2  # seconds that open requests get to finish


class Server(uvicorn.Server):
    """A server that stops on SIGTERM, SIGINT and SIGHUP, also with open streams, and then returns."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  uvicorn's signature
        """Stop without waiting for open streams; the signal is not raised again."""
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
        first: the memory that is shown first; it is closed at the end, as are all others.
        opener: opens the memory of a folder.
        bound: the listening socket.
        told: called with the address 0.2 seconds after the start.
        clock: the source of the current time.
        environ: the environment that names the data folder.
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
