"""The MCP server as a process: what it loads, what it writes, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remora.app.memory import Memory
from tests.interfaces.conftest import Run, command_line

HEAVY = (
    "numpy",
    "onnxruntime",
    "tokenizers",
    "tree_sitter",
    "rich",
    "markdown_it",
    "apsw",
    "remora.app.memory",
)
CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "a test", "version": "1"},
}
# A server that says on stderr what it has loaded, when it begins to serve and after the first call.
WHAT_IS_LOADED = """
import sys
sys.path.insert(0, {where!r})
from remora.interfaces.mcp_server import transports
from remora.interfaces.mcp_server.server import Server

def say(when):
    print(when, *(m for m in {heavy!r} if m in sys.modules), file=sys.stderr, flush=True)

serve, call = transports.over_stdio, Server.call_tool

def over_stdio(server, holder):
    say("serving")
    serve(server, holder)

async def call_tool(self, *arguments):
    answer = await call(self, *arguments)
    say("called")
    return answer

transports.over_stdio, Server.call_tool = over_stdio, call_tool
sys.argv = ["remora", "mcp"]
from remora.interfaces.cli import main
main()
"""

Start = Callable[..., "Serving"]


class Serving:
    """A server in a process of its own, and a host that writes lines to it."""

    def __init__(self, command: list[str]) -> None:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(command, text=True, **pipes)  # type: ignore[call-overload]
        self.process: subprocess.Popen[str] = process
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self.number = 0

    def ask(self, method: str, **params: Any) -> Any:
        """Return the result of a request, which must be on the next line of stdout."""
        self.number += 1
        self._write({"id": self.number, "method": method, "params": params})
        answer = json.loads(self.stdout.readline())
        assert answer["id"] == self.number
        return answer["result"]

    def hello(self) -> Any:
        """Shake hands and return what the server says of itself."""
        found = self.ask("initialize", **CLIENT)
        self._write({"method": "notifications/initialized"})
        return found

    def call(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool's answer."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return str(result["content"][0]["text"])

    def _write(self, message: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def write(self, text: str) -> None:
        """Write to its stdin."""
        self.stdin.write(text)
        self.stdin.flush()

    def rest(self) -> tuple[int, str, str]:
        """Close its stdin, wait for its end and return its exit code and what else it wrote."""
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


@pytest.fixture
def start(project: Path) -> Iterator[Start]:
    """Start servers; those that are left at the end are killed."""
    running: list[Serving] = []

    def begin(*command: str) -> Serving:
        running.append(Serving([*(command or (*command_line(), "mcp"))]))
        return running[-1]

    yield begin
    for one in running:
        one.process.kill()
        one.process.wait()
        for stream in (one.stdin, one.stdout, one.stderr):
            stream.close()


def open_files(folder: Path) -> list[str]:
    """Return what SQLite has beside databases below a folder: there is some as long as one is open."""
    return sorted(p.name for p in folder.rglob("*") if p.name.endswith(("-wal", "-shm", "-journal")))


def test_over_stdin_and_stdout(
    start: Start, project: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stdout holds the protocol, in English; at the end of stdin the server ends, and all is closed."""
    monkeypatch.setenv("REMORA_LANG", "fr")
    serving = start()
    hello = serving.hello()
    assert hello["serverInfo"]["name"] == "remora"
    assert "Remora is this project's memory" in hello["instructions"]
    stored = serving.call("record_memory", content="Tokens expire after 24 h", type="decision")
    assert "stored as decision" in stored
    memory_id = stored.split()[0]
    found = serving.call("search_memory", query="tokens expire")
    assert memory_id in found
    assert "just now" in found
    serving.call("record_memory", content="Berths are booked by the hour \ud83d")  # cut inside an emoji
    assert "booked by the hour ?" in serving.call("search_memory", query="berths booked \udc00 \U0001f6a2")
    assert open_files(Path(environ["REMORA_HOME"]))
    assert serving.rest() == (0, "", "")
    assert open_files(Path(environ["REMORA_HOME"])) == []
    with Memory.open(project, read_only=True) as memory:
        assert memory.show(memory_id).access_count == 1


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it(start: Start, environ: dict[str, str], number: int, code: int) -> None:
    """On a signal the server closes the memory and leaves, though its host keeps stdin open."""
    serving = start()
    serving.hello()
    serving.call("record_memory", content="Tokens expire after 24 h")
    assert open_files(Path(environ["REMORA_HOME"]))
    serving.process.send_signal(number)
    assert serving.process.wait(10) == code
    assert open_files(Path(environ["REMORA_HOME"])) == []
    assert serving.stdout.read() == ""


@pytest.mark.slow
def test_only_a_closed_stream_ends_it(start: Start) -> None:
    """What is no message does not; when its host is gone altogether, it leaves without a traceback."""
    serving = start()
    serving.hello()
    serving.write("\n{\n[]\nhello\n")
    serving._write({"id": 77, "method": "tools/call", "params": {"name": "review", "arguments": {}}})
    answers: list[Any] = []
    while not answers or answers[-1].get("id") != 77:
        answers.append(json.loads(serving.stdout.readline()))
    assert answers[-1]["result"]["content"][0]["text"] == "Nothing waits for review."
    serving.stdout.close()
    serving._write({"id": 78, "method": "tools/list", "params": {}})
    serving.stdin.close()
    assert serving.process.wait(20) == 0
    assert serving.stderr.read() == ""


def test_it_is_thin_to_start(start: Start) -> None:
    """Serving begins without a database or a model; a call opens the memory, and without a model no more."""
    where = str(Path(command_line.__code__.co_filename).parent.parent.parent)
    serving = start(sys.executable, "-c", WHAT_IS_LOADED.format(where=where, heavy=HEAVY))
    serving.hello()
    serving.call("review")
    serving.call("search_memory", query="tokens")
    code, out, err = serving.rest()
    assert (code, out) == (0, "")
    assert err.splitlines() == ["serving", *["called apsw remora.app.memory"] * 2]


def test_over_http(project: Path) -> None:
    """Without a token HTTP is not served; with one it is, to so many at once, unlogged, until a signal."""
    from remora.interfaces.mcp_server.transports import CONNECTIONS

    command = [*command_line(), "mcp", "--http", "--port", "0", "--token-env", "THE_TOKEN"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 3
    assert "no token is set in THE_TOKEN; HTTP is not served without one" in refused.stderr
    token = "only-for-this-test-0123456789"
    env, pipe = {**os.environ, "THE_TOKEN": token}, subprocess.PIPE
    with subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        assert said.startswith("Serving MCP at http://127.0.0.1:")
        port = int(said.split("127.0.0.1:")[1].split("/")[0])
        with contextlib.ExitStack() as opened:

            def answered() -> bytes:
                one = opened.enter_context(socket.create_connection(("127.0.0.1", port), 5))
                one.sendall(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
                return one.recv(12)

            told = [answered() for _ in range(CONNECTIONS + 1)]  # none of them is logged
        assert told == [b"HTTP/1.1 401"] * (CONNECTIONS - 1) + [b"HTTP/1.1 503"] * 2
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")
    assert token not in said


def test_without_the_package(process: Callable[..., Any], project: Path) -> None:
    """Where the extra is not installed, the error says how to install it."""
    (project / "hide").mkdir()
    (project / "hide" / "mcp.py").write_text("raise ModuleNotFoundError('No module named mcp', name='mcp')\n")
    done = process("mcp", env={**os.environ, "PYTHONPATH": str(project / "hide")})
    assert done.returncode == 2
    assert "needs the package mcp, 2.3 or later" in done.stderr
    assert 'pip install "remora[mcp]"' in done.stderr
    assert done.stdout == ""


def test_the_entry_for_a_host(answer: Callable[..., Any], run: Run, project: Path) -> None:
    """With --json it prints what a host's configuration needs; never a token, only the variable's name."""
    result = run("mcp", "--port", "8000")
    assert result.exit_code == 2
    assert "need --http" in result.stderr
    servers = answer("mcp")["mcpServers"]
    assert servers == {
        "remora": {"type": "stdio", "command": sys.executable, "args": ["-P", "-m", "remora", "mcp"]}
    }
    words = answer("mcp", "--read-only", "--project", "sub")["mcpServers"]["remora"]["args"]
    assert words[3:] == ["mcp", "--read-only", "--project", str(project / "sub")]
    http = answer("mcp", "--http", "--host", "::1", "--port", "9000", "--token-env", "T")
    assert http["mcpServers"]["remora"] == {
        "type": "http",
        "url": "http://[::1]:9000/mcp",
        "headers": {"Authorization": "Bearer ${T}"},
    }
