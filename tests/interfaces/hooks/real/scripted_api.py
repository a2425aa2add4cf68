"""A Messages API on this machine that plays a script and keeps what it was sent.

A script says, for each thing that a person or a parent agent asks, the turns of the model: texts and tool
calls. A request is answered with the next turn of the last ask that its messages hold; one that holds none,
or whose turns are over, gets a few words: that for a title, that for a summary of what is compacted. Answers
are streamed, as the real service does.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

Message = dict[str, Any]


class Say(NamedTuple):
    """The model says something."""

    text: str


class Use(NamedTuple):
    """The model uses a tool."""

    tool: str
    given: Mapping[str, Any]


Turn = Sequence[Say | Use]
Script = Mapping[str, Sequence[Turn]]

OVER = "There is nothing more to do."


class Asked(NamedTuple):
    """One request.

    Attributes:
        ask: of the script, that it was answered for; empty where it was for none.
        body: as it came.
    """

    ask: str
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[Message]:
        """The conversation by then."""
        return list(self.body.get("messages", ()))


class ScriptedApi:
    """The service. Use it with `with`.

    Attributes:
        asked: every request for a message, in the order in which they came.
        other: paths of requests for something else.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.other: list[str] = []
        self._script: dict[str, list[Turn]] = {}
        self._calls = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def play(self, script: Script) -> None:
        """Answer by this script from now on."""
        with self._lock:
            self._script = {ask: list(turns) for ask, turns in script.items()}

    @property
    def left(self) -> dict[str, int]:
        """How many turns of each ask were not played."""
        return {ask: len(turns) for ask, turns in self._script.items() if turns}

    def answer(self, body: Mapping[str, Any]) -> Message:
        """Return the answer to a request, and keep the request."""
        with self._lock:
            ask = self._ask(body)
            self.asked.append(Asked(ask, body))
            turns = self._script.get(ask)
            turn = turns.pop(0) if turns else (Say(OVER),)
            blocks = [self._block(part) for part in turn]
        return {
            "id": f"msg_{len(self.asked):04d}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": blocks,
            "stop_reason": "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def _ask(self, body: Mapping[str, Any]) -> str:
        """Return the last ask that a person's messages hold; none for a request without tools."""
        if not body.get("tools"):
            return ""
        said = "\n".join(text for message in body["messages"] for text in texts_of(message, "user"))
        places = {ask: said.rfind(ask) for ask in self._script}
        found = max(places, key=lambda ask: places[ask], default="")
        return found if found and places[found] >= 0 else ""

    def _block(self, part: Say | Use) -> Message:
        if isinstance(part, Say):
            return {"type": "text", "text": part.text}
        self._calls += 1
        name = f"toolu_{self._calls:04d}"
        return {"type": "tool_use", "id": name, "name": part.tool, "input": dict(part.given)}


def texts_of(message: Message, role: str) -> list[str]:
    """Return the texts of a message of one role; results of tools are none."""
    if message.get("role") != role:
        return []
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or () if block.get("type") == "text"]


def _handler(api: ScriptedApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name of the base class
            """Keep stderr clean."""

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            api.other.append(self.path)
            self._send(b"{}", "application/json", status=404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            path = self.path.partition("?")[0]
            if path == "/v1/messages":
                message = api.answer(body)
                if body.get("stream"):
                    self._send(_streamed(message), "text/event-stream")
                else:
                    self._send(json.dumps(message).encode(), "application/json")
            else:
                api.other.append(self.path)
                self._send(b'{"input_tokens": 100}', "application/json")

        def _send(self, data: bytes, kind: str, *, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _streamed(whole: Message) -> bytes:
    """Return a message as the events in which the service sends it."""
    start = {**whole, "content": [], "stop_reason": None}
    events: list[Message] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
