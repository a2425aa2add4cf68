"""The JSON client against a real server: every failure in our words, and never a key in them."""

from __future__ import annotations

import logging
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from remora.core.errors import ProviderBusy, ProviderError
from remora.net.hosts import ApiKey
from remora.net.http import JsonClient, retry_after, said_too_long, server_said, with_retries
from tests.servers import ModelServer, Reply, free_port

KEY = "sk-live-4f9a8b7c6d5e"


def client(server: ModelServer, **more) -> closing[JsonClient]:
    """Return a client of a server."""
    return closing(JsonClient(server.url, **more))


def test_a_good_answer_is_returned_and_the_key_is_sent_as_a_bearer_token():
    """The request is a POST of UTF-8 JSON, half signs replaced, with the key in the authorization header."""
    with ModelServer().on("POST /v1/x", {"ok": [1]}) as server:
        with closing(JsonClient(server.url + "/v1/", key=ApiKey(KEY))) as http:
            assert http.post_json("/x", {"text": "日本\ud800"}) == {"ok": [1]}
            assert repr(http) == f"JsonClient({server.host}/v1)"
        assert server.requests[0].body == {"text": "日本?"}
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "bad input"}}, '{"error": {"message": "bad input"}}'),
        (b"plain\n\x1b[31mtext", "plain text"),
        (b"", "answered 400"),
        (b"y" * 100_000, "yyy…"),
    ],
)
def test_a_refusal_carries_the_servers_own_words(body, words):
    """Host, path, status and the server's error text stand in the message, whatever its shape."""
    with ModelServer().on("POST /x", Reply(body, 400)) as server, client(server) as http:
        with pytest.raises(ProviderError) as caught:
            http.post_json("/x", {})
        message = str(caught.value)
        assert message.startswith(f"POST {server.host}/x answered 400")
        assert message.endswith(words)
        assert len(message) < 400
        assert caught.value.status == 400
        assert not caught.value.retryable


def test_no_key_in_messages_logs_or_tracebacks(caplog):
    """A server that repeats the key, whole or half masked, does not make us repeat it."""
    caplog.set_level(logging.DEBUG)
    words = f"Incorrect API key provided: {KEY} (sk-pr***********wxyz), see Bearer {KEY}"
    echo = {"error": {"message": words}}
    with ModelServer().on("POST /x", Reply(echo, 401)) as server:
        url = server.url.replace("http://", "http://me:hunter2secret@")
        with closing(JsonClient(url, key=ApiKey(KEY, hint="Check the key in MY_KEY."))) as http:
            with pytest.raises(ProviderError) as caught:
                http.post_json("/x", {"text": "hello"})
            seen = [str(caught.value), repr(caught.value), repr(http), repr(vars(http).keys()), caplog.text]
            seen += traceback.format_exception(caught.value)
            for text in seen:
                assert KEY not in text
                assert "wxyz" not in text
                assert "hunter2secret" not in text
            assert caught.value.hint == "Check the key in MY_KEY."
            assert caught.value.status == 401


@pytest.mark.parametrize(("said", "seconds"), [("soon", None), ("inf", None), ("-3", 0.0), ("2.5", 2.5)])
def test_nonsense_in_retry_after_is_as_if_nothing_was_said(said, seconds):
    """A negative number is now."""
    assert retry_after({"retry-after": said}) == seconds


class Waiting:
    """A clock that moves only by sleeping."""

    def __init__(self) -> None:
        self.time = 0.0
        self.left: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.time += seconds

    def busy(self, retry: float | None):
        """Return a call that is always answered with "busy"."""

        def call(left: float) -> None:
            self.left.append(left)
            raise ProviderBusy("busy", retry_after=retry)

        return call


def test_retries_never_wait_longer_than_the_budget():
    """A wait that does not fit into the budget is not begun."""
    clock = Waiting()
    with pytest.raises(ProviderBusy):
        with_retries(clock.busy(20.0), budget=10.0, sleep=clock.sleep, now=lambda: clock.time)
    assert clock.time == 0.0
    with pytest.raises(ProviderBusy):
        with_retries(clock.busy(4.0), budget=10.0, sleep=clock.sleep, now=lambda: clock.time)
    assert clock.time == 8.0
    assert clock.left[1:] == [10.0, 6.0, 2.0]


def test_retries_end_after_six_attempts():
    """A server that is busy for ever is not asked for ever, even when it asks for no wait at all."""
    clock = Waiting()
    with pytest.raises(ProviderBusy):
        with_retries(clock.busy(0.0), budget=1e9, sleep=clock.sleep, now=lambda: clock.time)
    assert len(clock.left) == 6


def test_nobody_there_is_busy_and_says_where():
    """A refused connection names host and path, and may work later."""
    port = free_port()
    with closing(JsonClient(f"http://127.0.0.1:{port}")) as http, pytest.raises(ProviderBusy) as caught:
        http.get_json("/api/tags")
    assert f"GET 127.0.0.1:{port}/api/tags cannot be reached" in str(caught.value)
    assert caught.value.status == 0


def test_a_server_that_hangs_times_out():
    """No answer within the timeout is ProviderBusy, and it does not take longer than that."""
    with ModelServer().on("GET /x", Reply({}, delay=30)) as server, client(server, timeout=0.2) as http:
        begun = time.monotonic()
        with pytest.raises(ProviderBusy, match=r"did not answer within 0.2 s"):
            http.get_json("/x")
        assert time.monotonic() - begun < 2.0


def test_a_server_that_trickles_its_answer_is_stopped_at_the_timeout():
    """The timeout is for the whole answer, not for each byte of it."""

    def trickle(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            peer.sendall(b"H")
            time.sleep(0.05)

    with _peer(trickle) as url:
        begun = time.monotonic()
        late = pytest.raises(ProviderBusy, match=r"did not answer within 0.3 s")
        with closing(JsonClient(url, timeout=0.3)) as http, late:
            http.get_json("/x")
        assert time.monotonic() - begun < 1.0


@contextmanager
def _peer(serve: Callable[[socket.socket], object]) -> Iterator[str]:
    """Let a function speak to the one who connects; give the URL to connect to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError), listener.accept()[0] as peer:
                serve(peer)

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def test_a_server_that_hangs_up_before_it_answers_is_busy():
    """A connection that is closed without a word may be a server that restarts."""
    lost = pytest.raises(ProviderBusy, match="cannot be reached")
    with _peer(lambda peer: None) as url, closing(JsonClient(url)) as http, lost:
        http.get_json("/x")


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b"", b'{"a": ', b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_not_json_is_an_error(body):
    """A web page, nothing, half an object or endless nesting: each says that it is not JSON."""
    with ModelServer().on("GET /x", Reply(body)) as server, client(server) as http:
        with pytest.raises(ProviderError, match="not JSON") as caught:
            http.get_json("/x")
        assert caught.value.status == 200


def test_a_huge_answer_is_not_read_to_its_end(monkeypatch):
    """More bytes than allowed are an error, not memory."""
    monkeypatch.setattr("remora.net.http.MAX_BYTES", 1000)
    stopped = pytest.raises(ProviderError, match="more than 1,000 bytes")
    with ModelServer().on("GET /x", Reply(b"1" * 50_000)) as server, client(server) as http, stopped:
        http.get_json("/x")


def test_a_redirect_is_not_followed():
    """Text and key stay with the host that was asked."""
    move = Reply({}, 308, {"Location": "http://elsewhere.example/x?key=secret"})
    with ModelServer().on("POST /x", move) as server, client(server) as http:
        with pytest.raises(ProviderError, match="answered 308") as caught:
            http.post_json("/x", {})
        assert "secret" not in str(caught.value)


def test_no_proxy_for_this_machine(monkeypatch):
    """A proxy in the environment never sees what is meant for this machine."""
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with ModelServer().on("GET /x", {"ok": 1}) as server, client(server) as http:
        assert http.get_json("/x") == {"ok": 1}


def test_the_environments_proxy_is_used_for_other_hosts(monkeypatch):
    """A company's proxy is asked for hosts that are not this machine."""
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with ModelServer().on("GET http://models.example/x", {"via": "proxy"}) as server:
        monkeypatch.setenv("http_proxy", server.url)
        with closing(JsonClient("http://models.example")) as http:
            assert http.get_json("/x") == {"via": "proxy"}


def test_the_servers_words_can_be_asked_for_without_the_path():
    """`server_said` looks at what the server said, not at where it was asked."""
    error = ProviderError("POST h/api/embeddings answered 400: dimensions not supported", status=400)
    assert server_said(error, "Dimensions")
    assert not server_said(error, "embeddings")
    assert not said_too_long(error)
    assert said_too_long(ProviderError("POST h/x answered 413: no", status=413))
    assert said_too_long(ProviderError("POST h/x answered 500: input is too large", status=500))
    assert not said_too_long(ProviderBusy("POST h/x answered 429: quota exceeded", status=429))


def test_a_login_in_the_url_is_sent_as_basic_authorization():
    """A user and password in the URL reach the server and stay out of the request's line."""
    with ModelServer().on("GET /x", {}) as server:
        with closing(JsonClient(server.url.replace("http://", "http://me:p%40ss@"))) as http:
            http.get_json("/x")
        assert server.requests[0].headers["authorization"] == "Basic bWU6cEBzcw=="
        assert server.requests[0].headers["host"] == server.host
