"""Silent connections take neither the server's descriptors nor its log, and whoever asks is answered."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

uvicorn = pytest.importorskip("uvicorn")

from remora.interfaces.mcp_server.http_limits import CONNECTIONS, REQUEST_BYTES, BoundedProtocol  # noqa: E402
from remora.interfaces.mcp_server.transports import _Once  # noqa: E402

REQUEST = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


class Quick(BoundedProtocol):
    """The protocol with a shorter patience."""

    request_seconds = 0.6


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer every request, when its body is there; under `/slow` a little later."""
    while (await receive()).get("more_body"):
        pass
    if scope["path"] == "/slow":
        await asyncio.sleep(0.7)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def port() -> Iterator[int]:
    """Serve on a free port of this machine."""
    bound = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=Quick, lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join(5)
    bound.close()


def opened(port: int, number: int = 1) -> list[socket.socket]:
    """Return connections that say nothing."""
    return [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(number)]


def is_closed(one: socket.socket) -> bool:
    """Return whether the other side has ended a connection."""
    one.settimeout(0.05)
    try:
        return one.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def answer(one: socket.socket) -> bytes:
    """Return a whole answer; head and body may come apart."""
    found = b""
    while not found.endswith(b"ok") and (more := one.recv(1_000)):
        found += more
    return found


def test_a_request_is_answered_and_the_connection_kept_for_the_next(port: int):
    """Two requests on one connection."""
    (one,) = opened(port)
    for _ in range(2):
        one.sendall(REQUEST)
        assert b"200 OK" in answer(one)
    one.close()


def test_there_are_few_connections_at_once(port: int):
    """Those above the limit are closed at once; the others wait."""
    silent = opened(port, CONNECTIONS + 20)
    time.sleep(0.1)
    closed = sum(map(is_closed, silent[CONNECTIONS:]))
    assert closed == 20
    assert not is_closed(silent[0])
    for one in silent:
        one.close()


def test_a_request_that_does_not_come_ends_the_connection(port: int):
    """Nothing, half a line, a head without its end; others are answered afterwards."""
    silent = opened(port, CONNECTIONS)
    for number, one in enumerate(silent):
        one.sendall((b"", b"GET / HT", REQUEST[:-2])[number % 3])
    time.sleep(1.2)
    ended = [is_closed(one) for one in silent]
    for one in silent:
        one.close()
    assert all(ended)
    (asking,) = opened(port)
    asking.sendall(REQUEST)
    assert b"200 OK" in answer(asking)
    asking.close()


def test_a_body_that_does_not_come_ends_the_connection(port: int):
    """A head alone, and a body that comes a byte at a time: neither holds a place for long."""
    head = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n"
    silent, slow = opened(port, 2)
    for one in (silent, slow):
        one.sendall(head)
    for _ in range(8):
        time.sleep(0.15)
        with contextlib.suppress(OSError):
            slow.sendall(b"x")
    assert is_closed(silent)
    assert is_closed(slow)
    for one in (silent, slow):
        one.close()


def test_a_body_that_comes_in_parts_is_answered(port: int):
    """The clock begins anew with the body."""
    (one,) = opened(port)
    one.sendall(b"POST / HTTP/1.1\r\nhost: x\r\n")
    time.sleep(0.4)
    one.sendall(b"content-length: 2\r\n\r\nx")
    time.sleep(0.4)
    one.sendall(b"x")
    assert b"200 OK" in answer(one)
    one.close()


def test_the_second_of_two_requests_at_once_may_take_its_time(port: int):
    """Only who asks is hurried, not who answers: each answer takes longer than a request may."""
    (one,) = opened(port)
    one.sendall(REQUEST.replace(b"GET /", b"GET /slow") * 2)
    assert [b"200 OK" in answer(one) for _ in range(2)] == [True, True]
    one.close()


def test_an_endless_request_ends(port: int):
    """No memory is filled with it."""
    (one,) = opened(port)
    one.sendall(b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
    chunk = b"ffff\r\n" + b"x" * 65_535 + b"\r\n"
    with pytest.raises(OSError):
        one.sendall(chunk * (4 * REQUEST_BYTES // len(chunk)))
    one.close()


def test_a_log_says_each_thing_once():
    """However often the loop cannot take a connection."""
    once = _Once()
    record = logging.LogRecord("asyncio", logging.ERROR, "/x.py", 7, "out of descriptors", None, None)
    assert [once.filter(record) for _ in range(3)] == [True, False, False]
    other = logging.LogRecord("asyncio", logging.ERROR, "/x.py", 7, "unhandled error", None, None)
    assert once.filter(other)
