"""The MCP server over HTTP, in this process: who is let in, under which names, and with what."""

from __future__ import annotations

import logging
import socket
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from remora.core.clock import FixedClock
from remora.core.errors import ConfigError, InvalidInput
from remora.interfaces.mcp_server.lazy_memory import Holder
from remora.interfaces.mcp_server.server import build
from remora.interfaces.mcp_server.tools import Tools
from remora.interfaces.mcp_server.transports import Bearer, app_of, token_from
from remora.net.listeners import listen
from tests.interfaces.mcp_calls import MODES, text_of

TOKEN = "only-for-this-test-0123456789"
URL = "http://127.0.0.1:8765/mcp"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPTED = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
Headers = dict[str, str]


def post(holder: Holder, clock: FixedClock, *given: Headers, url: str = URL) -> list[httpx2.Response]:
    """Post a ping with each of some headers and return the answers."""
    server = build(Tools(holder, clock))
    app = app_of(server, TOKEN, ["remora.test"])

    async def run() -> list[httpx2.Response]:
        async with server.session_manager.run(), _http(app) as http:
            return [await http.post(url, json=PING, headers={**ACCEPTED, **headers}) for headers in given]

    return anyio.run(run)


def _http(app: Any, **more: Any) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), **more)


@pytest.mark.parametrize("mode", MODES)
def test_a_client_with_the_token(holder: Holder, clock: FixedClock, mode: str) -> None:
    """A client that brings the token calls tools as over stdin."""
    server = build(Tools(holder, clock))
    app = app_of(server, TOKEN)

    async def run() -> tuple[str, str]:
        async with (
            server.session_manager.run(),
            _http(app, headers={"Authorization": f"Bearer {TOKEN}"}) as http,
            Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
        ):
            stored = await client.call_tool("record_memory", {"content": "Tokens expire after 24 h"})
            found = await client.call_tool("search_memory", {"query": "tokens"})
        return text_of(stored), text_of(found)

    stored, found = anyio.run(run)
    assert stored.split()[0] in found


NO_TOKENS: tuple[Headers, ...] = (
    {},
    {"Authorization": ""},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer "},
    {"Authorization": f"Bearer {TOKEN}x"},
    {"Authorization": f"Bearer {TOKEN[:-1]}"},
    {"Authorization": f"Basic {TOKEN}"},
    {"Authorization": TOKEN},
    {"X-Authorization": f"Bearer {TOKEN}"},
)


def test_without_the_token(holder: Holder, clock: FixedClock, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody gets in without the token, nothing is opened for them, and no token is logged."""
    with caplog.at_level(logging.DEBUG):
        answers = post(holder, clock, *NO_TOKENS)
    for answer in answers:
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in answer.text + caplog.text
    assert holder._memory is None


RIGHT = {"Authorization": f"Bearer {TOKEN}"}
NAMES: tuple[tuple[Headers, int], ...] = (
    ({"Host": "evil.example:8765"}, 421),
    ({"Host": "127.0.0.1.evil.example"}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"Host": "localhost"}, 200),
    ({"Host": "remora.test:8765"}, 200),
    ({"Origin": "http://localhost:3000"}, 200),
    ({"Authorization": f"BEARER {TOKEN}"}, 200),
)


def test_names(holder: Holder, clock: FixedClock) -> None:
    """Even with the token, a name or an origin that is not ours is refused: a browser may be led here."""
    answers = post(holder, clock, *({**RIGHT, **headers} for headers, _ in NAMES))
    assert [answer.status_code for answer in answers] == [status for _, status in NAMES]
    elsewhere = post(holder, clock, {}, RIGHT, url="http://127.0.0.1:8765/")
    assert [answer.status_code for answer in elsewhere] == [401, 404]  # no path answers without the token


def test_two_headers_and_sockets_of_the_web() -> None:
    """Two headers are no token, nor is what no text can be; a socket of the web is closed."""
    reached: list[str] = []
    sent: list[Any] = []

    async def app(scope: Any, *_: object) -> None:
        reached.append(scope["type"])

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError

    guard = Bearer(app, TOKEN)
    right = (b"authorization", f"Bearer {TOKEN}".encode())
    for scope in (
        {"type": "http", "headers": [right, right]},
        {"type": "http", "headers": [(b"authorization", b"Bearer \xff\xe4")]},
        {"type": "websocket", "headers": []},
        {"type": "lifespan"},
        {"type": "http", "headers": [right]},
    ):
        anyio.run(guard, scope, receive, send)
    assert reached == ["lifespan", "http"]
    assert [m.get("status") or m.get("code") for m in sent if "body" not in m] == [401, 401, 1008]


def test_the_token_of_the_environment() -> None:
    """It is taken out, so nobody inherits it; none, one to guess or one that fits no header is refused."""
    environ = {"A_TOKEN": f" {TOKEN}\n", "PATH": "/bin"}
    assert token_from(environ, "A_TOKEN") == TOKEN
    assert environ == {"PATH": "/bin"}
    for value in ("", "  ", "short", "fifteen letters", "two words of which", "ä" * 40):
        for given in ({"A_TOKEN": value}, {}):
            with pytest.raises(ConfigError) as error:
                token_from(given, "A_TOKEN")
            assert "A_TOKEN" in str(error.value)
            assert "token_urlsafe" in error.value.hint
            assert not value.strip() or value not in str(error.value) + error.value.hint


def test_listen() -> None:
    """A free port is taken; one that is in use, and an address that is nobody's, are said in words."""
    with listen("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        assert bound.family == socket.AF_INET
        with pytest.raises(InvalidInput, match=f"cannot listen at 127.0.0.1:{port}"):
            listen("127.0.0.1", port)
    with pytest.raises(InvalidInput, match="cannot listen at 203"):
        listen("203.0.113.1", 0)
