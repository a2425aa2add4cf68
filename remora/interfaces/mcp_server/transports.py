"""Serve over stdin and stdout, or over HTTP with a bearer token; and leave nothing behind at the end.

A host ends a server by closing its stdin, by SIGTERM, or by its own death, which closes stdin as well. A
thread that waits for stdin cannot be woken, so on a signal the memory is closed and the process leaves at
once instead of waiting for one more line.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import signal
import socket
from collections.abc import Iterable, MutableMapping
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import anyio

from remora.core.errors import ConfigError
from remora.interfaces.mcp_server.lazy_memory import Holder

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from remora.interfaces.mcp_server.server import Server

PATIENCE = 2.0  # seconds that a call gets to end when the process is told to
LEAST_TOKEN = 16  # characters; fewer can be guessed
MOST_MESSAGES = 1000  # different ones that the log takes while the server runs
INTERRUPTED = 130
PATH = "/mcp"
LOCAL = ("127.0.0.1", "localhost", "[::1]")


def over_stdio(server: Server, holder: Holder) -> None:
    """Serve until stdin ends; returns when everything is closed."""
    try:
        anyio.run(server.run_stdio_async)
    except BaseExceptionGroup as group:
        if group.split((OSError, anyio.ClosedResourceError, anyio.BrokenResourceError))[1] is not None:
            raise
        leave(holder, 0)  # nobody read what was to be said
    finally:
        holder.close()


def over_http(server: Server, holder: Holder, bound: socket.socket, token: str, names: Iterable[str]) -> None:
    """Serve on a socket until a signal ends it.

    Args:
        server: what to serve.
        holder: its memory, to be closed at the end.
        bound: where to listen.
        token: what every request must bring.
        names: further names, beside those of this machine, by which hosts may call us.
    """
    import uvicorn

    from remora.interfaces.mcp_server.http_limits import CONNECTIONS, BoundedProtocol

    # What the loop says of connections that it cannot take says nothing new the second time.
    for name in ("asyncio", "uvicorn.error"):
        logging.getLogger(name).addFilter(_Once())
    config = uvicorn.Config(
        app_of(server, token, names),
        http=BoundedProtocol,
        limit_concurrency=2 * CONNECTIONS,
        backlog=CONNECTIONS,
        log_config=None,  # ours goes to stderr, and no request is logged
        log_level=logging.WARNING,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=int(PATIENCE),
    )
    try:
        anyio.run(uvicorn.Server(config).serve, [bound])
    finally:
        holder.close()


class _Once(logging.Filter):
    """Lets each message through once, and a thousand in all, so that a log cannot grow without bound."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether such a record is new."""
        told = f"{record.getMessage()} {record.exc_info[1]!r}" if record.exc_info else record.getMessage()
        if told in self._seen or len(self._seen) >= MOST_MESSAGES:
            return False
        self._seen.add(told)
        return True


def app_of(server: Server, token: str, names: Iterable[str] = ()) -> ASGIApp:
    """Return the server as an ASGI application behind a bearer token.

    No session is kept, so none is left behind. Requests under a name that is not ours are refused: a page in
    a browser could have made them by pointing its own name here.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    hosts = [pattern for name in (*LOCAL, *names) for pattern in (name, f"{name}:*")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=security
    )
    return Bearer(app, token)


class Bearer:
    """Lets requests through that bring a token, and answers all others with 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = _digest(token.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan" or self._allowed(scope):
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        body = b'{"error": "invalid_token", "error_description": "a bearer token is needed"}'
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"www-authenticate", b'Bearer error="invalid_token"'),
        ]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _allowed(self, scope: Scope) -> bool:
        given = [value for name, value in scope.get("headers", ()) if name.lower() == b"authorization"]
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(b" ")
        # Of digests, so that the time tells neither the length nor how much of it was right.
        same = hmac.compare_digest(_digest(token.strip()), self._wanted)
        return same and scheme.lower() == b"bearer"


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def token_from(environ: MutableMapping[str, str], name: str) -> str:
    """Take the token out of the environment, so that no process that is started later inherits it.

    Raises:
        ConfigError: there is none, or it is too short to protect anything.
    """
    token = environ.pop(name, "").strip()
    make = "python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
    hint = f"Set {name}, for instance to what this prints: {make}"
    if not token:
        raise ConfigError(f"no token is set in {name}; HTTP is not served without one", hint=hint)
    if len(token) < LEAST_TOKEN or not token.isascii() or any(c.isspace() for c in token):
        raise ConfigError(
            f"the token in {name} must be at least {LEAST_TOKEN} ASCII characters without spaces", hint=hint
        )
    return token


def end_on_signals(holder: Holder) -> None:
    """Let the signals that end a process close the memory first."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        leave(holder, INTERRUPTED if number == signal.SIGINT else 0)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def leave(holder: Holder, code: int) -> NoReturn:
    """Close the memory and end the process, whatever other threads wait for."""
    try:
        holder.close(PATIENCE)
    finally:
        os._exit(code)  # no stream is flushed: the signal may have come while it was being written
