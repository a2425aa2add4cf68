"""Transports of the MCP server: stdin and stdout, or HTTP with a bearer token, with a clean shutdown.

A host ends a server by closing its stdin, by SIGTERM, or by exiting, which closes stdin, too. A thread that
waits for stdin cannot be woken, so on a signal the memory is closed and the process exits at once instead of
waiting for another line.
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

PATIENCE = 2.0  # seconds that a running call gets when the process ends
LEAST_TOKEN = 16  # characters; a shorter token can be guessed
CONNECTIONS = 64  # open at the same time; a host opens one or two
INTERRUPTED = 130
PATH = "/mcp"
LOCAL = ("127.0.0.1", "localhost", "[::1]")


def over_stdio(server: Server, holder: Holder) -> None:
    """Serve until stdin ends; return when everything is closed."""
    try:
        anyio.run(server.run_stdio_async)
    except BaseExceptionGroup as group:
        if group.split((OSError, anyio.ClosedResourceError, anyio.BrokenResourceError))[1] is not None:
            raise
        leave(holder, 0)  # the host closed stdout
    finally:
        holder.close()


def over_http(server: Server, holder: Holder, bound: socket.socket, token: str, names: Iterable[str]) -> None:
    """Serve on a socket until a signal ends it.

    Args:
        server: the server.
        holder: its memory, which is closed at the end.
        bound: the listening socket.
        token: the bearer token that every request must have.
        names: host names of this server, in addition to the local ones, that requests may use.
    """
    import uvicorn

    config = uvicorn.Config(
        app_of(server, token, names),
        limit_concurrency=CONNECTIONS,
        log_config=None,  # the log goes to stderr, and requests are not logged
        log_level=logging.ERROR,  # a warning would be logged for each refused request
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=int(PATIENCE),
    )
    try:
        anyio.run(uvicorn.Server(config).serve, [bound])
    finally:
        holder.close()


def app_of(server: Server, token: str, names: Iterable[str] = ()) -> ASGIApp:
    """Return the server as an ASGI application behind a bearer token.

    The server is stateless: it keeps no sessions. Requests with an unknown host name are rejected, against
    DNS rebinding by a page in a browser.
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
    """ASGI middleware that passes requests with the token and answers all others with 401."""

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
        # Compare digests, so that the time reveals neither the length nor a matching prefix.
        same = hmac.compare_digest(_digest(token.strip()), self._wanted)
        return same and scheme.lower() == b"bearer"


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def token_from(environ: MutableMapping[str, str], name: str) -> str:
    """Remove the token from the environment, so that child processes do not inherit it, and return it.

    Raises:
        ConfigError: there is no token, it is too short, or it has spaces or non-ASCII characters.
    """
    token = environ.pop(name, "").strip()
    make = "python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
    hint = f"Set {name}, for example to the output of: {make}"
    if not token:
        raise ConfigError(f"no token is set in {name}; HTTP is not served without one", hint=hint)
    if len(token) < LEAST_TOKEN or not token.isascii() or any(c.isspace() for c in token):
        raise ConfigError(
            f"the token in {name} must be at least {LEAST_TOKEN} ASCII characters without spaces", hint=hint
        )
    return token


def end_on_signals(holder: Holder) -> None:
    """Install handlers for SIGINT, SIGTERM and SIGHUP that close the memory before exiting."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        leave(holder, INTERRUPTED if number == signal.SIGINT else 0)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def leave(holder: Holder, code: int) -> NoReturn:
    """Close the memory and end the process without waiting for other threads."""
    try:
        holder.close(PATIENCE)
    finally:
        os._exit(code)  # do not flush streams: the signal may have interrupted a write
