"""What goes wrong under Remora, at every door: a sentence with a hint, no traceback, nothing lost."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest
from starlette.testclient import TestClient

from remora.app.memory import Memory
from remora.core.change import PERSON
from remora.core.clock import FixedClock
from remora.core.errors import (
    EXIT_CODES,
    HTTP_STATUS,
    InvalidInput,
    RemoraError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)
from remora.interfaces.hooks.main import main as hook
from remora.interfaces.mcp_server.lazy_memory import Holder
from remora.interfaces.mcp_server.tools import Tools
from remora.interfaces.panel.app import Projects, build
from remora.net.listeners import listen
from tests.helpers import no_file_above, unprivileged
from tests.interfaces.conftest import Run
from tests.interfaces.mcp_calls import Caller, text_of
from tests.interfaces.panel.conftest import HOST, KEY, Browser
from tests.servers import ModelServer, Reply

POST = "POST "
KNOWN = "Money is kept in cents"
CODES: Mapping[str, Mapping[type[RemoraError], int]] = {
    "command line": EXIT_CODES,
    "MCP": dict.fromkeys(EXIT_CODES, 1),
    "panel": HTTP_STATUS,
}
CHANGE = {"file_path": "cart.py", "old_string": "a", "new_string": "b"}
EVENTS: Mapping[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "PreToolUse": {"tool_name": "Edit", "tool_input": CHANGE},
}
SAID = {  # what an error looks like: one sentence, then the hint
    "command line": re.compile(r"error: [^\n]+\nhint: (?P<hint>[^\n]+)\n"),
    "MCP": re.compile(r"Error executing tool \w+: .+?[.] (?P<hint>[A-Z`].+)"),
    "panel": re.compile(r'(?s).*(?:"hint": |role="alert">[^<]+</p>\n<p>)(?P<hint>[^\n]+).*'),
}


class World:
    """A project with a memory, and every door to it; a door that is not open opens at its first request.

    Attributes:
        project: its folder; the panel shows another project first.
        home: folder of the project's data.
        known: id of the one memory.
    """

    def __init__(self, project: Path, run: Run, environ: dict[str, str], clock: FixedClock) -> None:
        self.project, self._run, self._clock = project, run, clock
        with self.opened(project) as memory:
            self.known = memory.remember(KNOWN, type="decision", related_files=["cart.py"]).id
            self.home = memory.home
        self._holder = Holder(project, clock=clock)
        self._caller = Caller(Tools(self._holder, clock))
        other = project.with_name("other")
        other.mkdir()
        self._projects = Projects(environ, self.opened, self.opened(other))
        app = build(self._projects, environ, clock, KEY, (HOST,))
        self._client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)
        self._client.get(f"/?key={KEY}")
        self._token = Browser(self._client, f"/{self._projects.first}").token()

    def opened(self, root: str | Path) -> Memory:
        """Open a memory for a person."""
        return Memory.open(root, clock=self._clock, actor=PERSON)

    def close(self) -> None:
        """Close the doors that stay open between two requests."""
        self._holder.close()
        self._projects.close()

    def ask(self, door: str, request: str, *more: str, **form: str) -> tuple[int, str]:
        """Ask at a door: a verb with words, a tool with arguments, or a page with the fields of a form.

        Returns:
            The door's code for what went wrong, 0 for nothing, and all that it says.
        """
        if door == "command line":
            done = self._run(request, *more)
            return done.exit_code, done.stdout + done.stderr
        if door == "MCP":
            result = self._caller.result(request, form)
            return int(result.is_error), text_of(result)
        path = f"/{self.home.name}/{request.removeprefix(POST)}"
        if request.startswith(POST):
            data = {"token": self._token, **form}
            answer = self._client.post(path, data=data, follow_redirects=False)
        else:
            answer = self._client.get(path)
        return answer.status_code if answer.status_code >= 400 else 0, html.unescape(answer.text)

    def write(self, door: str, text: str) -> tuple[int, str]:
        """Store a decision at a door."""
        if door == "command line":
            return self.ask(door, "remember", text, "--type", "decision")
        if door == "MCP":
            return self.ask(door, "record_memory", content=text, type="decision")
        return self.ask(door, f"{POST}teach/text", do="store", type="decision", text=text)

    def reads(self, door: str) -> Iterator[tuple[int, str]]:
        """Ask for what is known, at a door, in every way that may ask a model."""
        if door == "command line":
            yield self.ask(door, "search", "money")
            yield self.ask(door, "ask", "how is money kept")
        elif door == "MCP":
            yield self.ask(door, "search_memory", query="money")
            yield self.ask(door, "context_for_task", task="keep the money")
            yield self.ask(door, "why", memory_id=self.known)
        else:
            yield self.ask(door, "memories?q=money&format=json")
            yield self.ask(door, "ask?q=how+is+money+kept&format=json")

    def hook(self, event: str, **more: Any) -> tuple[int, bytes]:
        """Call the hook as a host does; returns its exit code and all that it prints."""
        given = {"session_id": "s1", "cwd": str(self.project), "hook_event_name": event, **more}
        (asked, asks), (says, said) = os.pipe(), os.pipe()
        os.write(asks, json.dumps(given).encode())
        child = os.fork()  # a process of its own, by whoever is the user now
        if not child:
            for number, stream in enumerate((asked, said, said)):
                os.dup2(stream, number)
            os.close(asks)
            hook(["--host", "claude-code"])
        for one in (asked, asks, said):
            os.close(one)
        with os.fdopen(says, "rb") as printed:
            text = printed.read()
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


# The faults: each lasts as long as its block


@contextmanager
def full(_: World) -> Iterator[None]:
    """Nothing can be written any more, as on a full disk."""
    with no_file_above(1_000):
        yield


@contextmanager
def read_only(world: World) -> Iterator[None]:
    """The data belong to somebody else, and can only be read."""
    everything = [world.project.parent, *world.project.parent.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    with unprivileged():
        yield
    for path in everything:
        path.chmod(0o755)


@contextmanager
def busy(world: World) -> Iterator[None]:
    """Another program holds the database for longer than anybody waits."""
    with closing(apsw.Connection(str(world.home / "memory.db"))) as holder:
        holder.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def killed(world: World) -> Iterator[None]:
    """A process that held the memory was killed while it wrote."""
    script = f"""if True:
        import sqlite3
        database = sqlite3.connect({str(world.home / "memory.db")!r}, isolation_level=None)
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN IMMEDIATE")
        database.execute("UPDATE memory_revisions SET fields = hex(zeroblob(100000))")
        print("written", flush=True)
        input()"""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as writer:  # type: ignore[call-overload]
        assert writer.stdout.read(7) == b"written"
        writer.kill()
    yield


def changed(world: World, sql: str) -> list[Any]:
    """Change the database behind Remora's back, or ask it."""
    with closing(apsw.Connection(str(world.home / "memory.db"))) as database:
        return list(database.execute(sql))


@contextmanager
def newer(world: World) -> Iterator[None]:
    """A later Remora wrote the database."""
    ((version,),) = changed(world, "PRAGMA user_version")
    changed(world, "PRAGMA user_version = 9999")
    yield
    changed(world, f"PRAGMA user_version = {version}")


@contextmanager
def damaged(world: World) -> Iterator[None]:
    """A disk lost the beginning of the file."""
    path, lost = world.home / "memory.db", b"\0" * 4_096
    with path.open("r+b") as file:
        kept = file.read(len(lost))
        file.seek(0)
        file.write(lost)
    yield
    with path.open("r+b") as file:
        if file.read(len(lost)) == lost:
            file.seek(0)
            file.write(kept)


@contextmanager
def misplaced(world: World) -> Iterator[None]:
    """There is a file where the project's data lie."""
    moved = world.home.with_name("moved")
    shutil.move(world.home, moved)
    world.home.write_text("no folder")
    yield
    world.home.unlink()
    shutil.move(moved, world.home)


@contextmanager
def no_revision(world: World) -> Iterator[None]:
    """What is known of a change is half a text."""
    changed(world, "UPDATE memory_revisions SET fields = '{\"content\": '")
    yield


def models(answer: Reply) -> Callable[[World], AbstractContextManager[None]]:
    """Return the fault of a server of both models that always gives the same answer."""

    @contextmanager
    def fault(_: World) -> Iterator[None]:
        with ModelServer() as server, pytest.MonkeyPatch.context() as patch:
            server.on("POST /v1/embeddings", answer).on("POST /v1/chat/completions", answer)
            for kind in ("EMBEDDING", "LLM"):
                patch.setenv(f"REMORA_{kind}_PROVIDER", "openai")
                patch.setenv(f"REMORA_{kind}_URL", f"{server.url}/v1")
                patch.setenv(f"REMORA_{kind}_MODEL", "small")
                patch.setenv(f"REMORA_{kind}_TIMEOUT", "0.05")
            yield

    return fault


class Row(NamedTuple):
    """A fault, and what is said of it at every door.

    Attributes:
        fault: makes it, and mends it.
        kind: of the error; None where nothing but a part of an answer is missing.
        hint: words of the hint.
        blind: doors that cannot read, either.
        still: a door that was open before may still write.
        asked: what meets the fault, by door, where writing does not; ID is the known memory.
    """

    fault: Callable[[World], AbstractContextManager[None]]
    kind: type[RemoraError] | None = None
    hint: str = ""
    blind: tuple[str, ...] = ()
    still: bool = False
    asked: Mapping[str, tuple[str, ...]] = {}


ROWS = {
    "a full disk": Row(full, StoreFull, "Free some disk space", ("panel",)),
    "a read-only home": Row(read_only, StoreReadOnly, "you may write to it", ("panel",), still=True),
    "a busy database": Row(busy, StoreBusy, "Try again; nothing was written"),
    "a writer that was killed": Row(killed),
    "a newer schema": Row(newer, StoreTooNew, "Update Remora", tuple(CODES)),
    "a damaged database": Row(damaged, StoreCorrupt, "Move the file away", tuple(CODES), still=True),
    "a file for a folder": Row(misplaced, StoreError, "move it away", tuple(CODES), still=True),
    "a damaged revision": Row(
        no_revision,
        StoreCorrupt,
        "`remora recover` skips",
        asked={"command line": ("show", "ID", "--history"), "panel": ("memories/ID",)},
    ),
    "models that fail": Row(models(Reply({}, 500))),
    "models that are slow": Row(models(Reply({}, delay=1))),
}


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that every user of the machine may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def world(
    project: Path, run: Run, environ: dict[str, str], clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> World:
    """A project whose memory is sound, and where nobody waits for long."""
    monkeypatch.setattr("remora.store.connection.BUSY_TIMEOUT_MS", 20)
    return World(project, run, environ, clock)


def is_said(door: str, row: Row, code: int, text: str) -> bool:
    """Check what is said of a fault, and return whether anything was."""
    assert "Traceback" not in text, text
    if code:
        said = SAID[door].fullmatch(text)
        assert row.kind is not None, (door, text)
        assert said is not None, (door, text)
        assert code == CODES[door][row.kind], (door, code, text)
        assert row.hint in said["hint"], (door, text)
    return bool(code)


def rows() -> Iterator[Any]:
    """Return every row, and once more for doors that were open before, where that matters."""
    for name, row in ROWS.items():
        yield pytest.param(row, False, id=name)
        if row.kind and not row.asked:
            yield pytest.param(row, True, id=f"{name}, later")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(("row", "before"), list(rows()))
def test_each_door_says_what_is_wrong(world: World, row: Row, *, before: bool) -> None:
    """And what to do; nothing that was acknowledged is lost, and a door that was open may read on."""
    acknowledged = {KNOWN}
    if before:
        assert not any(code for door in CODES for code, _ in world.reads(door))
    with row.fault(world):
        for door in CODES:
            text = f"Builds of the {door} run on Mondays"
            refused = is_said(door, row, *world.write(door, text))
            expected = row.kind is not None and not row.asked
            assert refused == expected or (before and row.still), door
            if not refused:
                acknowledged.add(text)
            for code, said in world.reads(door):
                assert is_said(door, row, code, said) or KNOWN in said, (door, said)
                assert bool(code) == (door in row.blind) or (before and not code), (door, said)
        for door, words in row.asked.items():
            assert is_said(door, row, *world.ask(door, *(w.replace("ID", world.known) for w in words))), door
        for event, more in EVENTS.items():
            code, printed = world.hook(event, **more)
            assert code == 0
            assert not printed or json.loads(printed)
        world.close()
    with world.opened(world.project) as memory:
        assert {record.content for record in memory.list()} == acknowledged


def test_the_doctor_finds_a_damaged_revision(world: World) -> None:
    """And what it advises keeps the memory; a stream of the panel says what is wrong, or is asked again."""
    with no_revision(world):
        assert "unreadable changes of memories: 1" in world.ask("command line", "doctor")[1]
        assert world.ask("command line", "recover")[0] == 0
        assert world.ask("command line", "show", world.known, "--history")[0] == 0
        assert KNOWN in world.ask("command line", "list")[1]
    with damaged(world):
        assert "Move the file away" in world.ask("panel", "ask/stream?q=money")[1]
        assert world.ask("panel", "said/live") == (0, "")


def test_a_port_that_is_taken(run: Run) -> None:
    """The panel says where it cannot listen, and what to do."""
    row = Row(full, InvalidInput, "Choose another --port.")
    with listen("127.0.0.1", 0) as bound:
        done = run("panel", "--no-open", "--port", str(bound.getsockname()[1]))
    assert is_said("command line", row, done.exit_code, done.stdout + done.stderr)
