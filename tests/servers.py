"""A real HTTP server on 127.0.0.1 that answers like a model server, and embeds by hashing words."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import struct
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self


class Request(NamedTuple):
    """What a server received; header names are lower-case."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Reply(NamedTuple):
    """What a server sends. `body` is JSON unless it is bytes; `cut` sends half of what it announces."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = {}
    delay: float = 0.0
    cut: bool = False


Answer = Any | Callable[[Request], Any]


class ModelServer:
    """A server with scripted routes. Use it as a context manager; `requests` records what came in."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._routes: dict[tuple[str, str], list[Answer]] = {}
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.005,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._http.server_port}"

    @property
    def url(self) -> str:
        """The server's URL without a path."""
        return f"http://{self.host}"

    def on(self, route: str, *answers: Answer) -> Self:
        """Answer a route ("POST /api/embed") with these, one a request; the last one stays.

        An answer is a `Reply`, a JSON body, or a function from the request to either.
        """
        method, _, path = route.partition(" ")
        self._routes[method, path] = list(answers)
        return self

    def paths(self) -> list[str]:
        """Return the paths that were asked for, in order."""
        return [request.path for request in self.requests]

    def bodies(self) -> list[Any]:
        """Return the bodies that came in, in order."""
        return [request.body for request in self.requests]

    def reply_to(self, request: Request) -> Reply:
        """Return the next reply of a route; what is not routed is not found."""
        self.requests.append(request)
        answers = self._routes.get((request.method, request.path))
        if not answers:
            return Reply(b"404 page not found", 404)
        answer = answers[0] if len(answers) == 1 else answers.pop(0)
        if callable(answer):
            answer = answer(request)
        return answer if isinstance(answer, Reply) else Reply(answer)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

            def _answer(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {k.lower(): v for k, v in self.headers.items()}
                body = json.loads(data) if data else None
                reply = server.reply_to(Request(self.command, self.path, headers, body))
                if reply.delay:
                    server._closing.wait(reply.delay)
                out = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(out)))
                    self.end_headers()
                    self.wfile.write(out[: len(out) // 2] if reply.cut else out)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = _answer  # noqa: N815

        return Handler


def free_port() -> int:
    """Return a port where nothing listens."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = server.server_port
    server.server_close()
    return port


def vector(text: str, dims: int) -> list[float]:
    """Return a vector of a text, not normalised: each word adds to the places that its hash names.

    One of the places is among the first 64, so that a vector that is cut is never zero.
    """
    numbers = [0.0] * dims
    for word in text.lower().split():
        digest = hashlib.sha256(word.encode()).digest()
        for at in range(0, 12, 2):
            numbers[int.from_bytes(digest[at : at + 2], "big") % dims] += 2.0
        numbers[digest[31] % min(64, dims)] += 1.0
    return numbers


def unit(numbers: list[float]) -> list[float]:
    """Return a vector at length 1."""
    length = math.sqrt(sum(n * n for n in numbers))
    return [n / length for n in numbers]


def packed(numbers: list[float]) -> str:
    """Return numbers as OpenAI's base64 of little-endian float32."""
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


def ollama_embed(native: int, *, cuts: bool = True) -> Callable[[Request], Any]:
    """Return the answer of /api/embed of a model with `native` dimensions."""

    def answer(request: Request) -> Any:
        length = min(native, request.body.get("dimensions", native)) if cuts else native
        vectors = [vector(text, native)[:length] for text in request.body["input"]]
        return {"model": request.body["model"], "embeddings": vectors, "total_duration": 1}

    return answer


def openai_embed(native: int, *, base64_too: bool = True, shuffled: bool = False) -> Callable[[Request], Any]:
    """Return the answer of /v1/embeddings of a model with `native` dimensions that can be cut."""

    def answer(request: Request) -> Any:
        length = request.body.get("dimensions", native)
        binary = base64_too and request.body.get("encoding_format") == "base64"
        vectors = [vector(text, native)[:length] for text in request.body["input"]]
        data = [
            {"object": "embedding", "index": i, "embedding": packed(v) if binary else v}
            for i, v in enumerate(vectors)
        ]
        return {"object": "list", "data": data[::-1] if shuffled else data, "usage": {"prompt_tokens": 1}}

    return answer
