"""What goes wrong under Remora, through every door: a sentence with a hint, no traceback, nothing lost."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from remora.app.memory import Memory
from remora.core.change import PERSON
from remora.core.clock import FixedClock
from remora.interfaces.mcp_server.holder import Holder
from remora.interfaces.mcp_server.tools import Tools
from remora.interfaces.panel.app import build
from remora.interfaces.panel.projects import Projects
from tests.interfaces.conftest import Run
from tests.interfaces.mcp_calls import Caller
from tests.interfaces.panel.conftest import HOST, KEY
from tests.servers import ModelServer, Reply

KNOWN = "Money is kept in cents"
LATER = "Tokens expire after a day"


class World:
    """A project with one memory, and three doors to it, each opened anew at every call."""

    def __init__(self, project: Path, run: Run, environ: dict[str, str], clock: FixedClock) -> None:
        self.project, self.run, self.environ, self.clock = project, run, environ, clock
        with self.opened() as memory:
            memory.remember(KNOWN, type="decision")
            self.home = memory.home

    def opened(self) -> Memory:
        """Open the memory in this process."""
        return Memory.open(self.project, clock=self.clock, actor=PERSON)

    def said(self, call: Callable[[Caller], str]) -> dict[str, str]:
        """Write at the command line and by a call over MCP, and return what is said."""
        by_hand = self.run("remember", LATER, "--type", "decision")
        told = {"command line": by_hand.stdout + by_hand.stderr}
        holder = Holder(self.project, clock=self.clock)
        try:
            told["MCP"] = call(Caller(Tools(holder, self.clock)))
        finally:
            holder.close()
        return told


@contextmanager
def newer(world: World) -> Iterator[None]:
    """A later Remora wrote the database."""
    path = world.home / "memory.db"
    with sqlite3.connect(path) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.execute("PRAGMA user_version = 9999")
    database.close()
    yield
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {version}")
    database.close()


@contextmanager
def damaged(world: World) -> Iterator[None]:
    """A disk lost the beginning of the file."""
    path = world.home / "memory.db"
    kept = {p: p.read_bytes() for p in world.home.glob("memory.db*")}
    path.write_bytes(b"\0" * 4096 + kept[path][4096:])
    yield
    for file in world.home.glob("memory.db*"):
        file.unlink()
    for file, data in kept.items():
        file.write_bytes(data)


@contextmanager
def misplaced(world: World) -> Iterator[None]:
    """There is a file where the project's data lie."""
    moved = world.home.with_name("moved")
    shutil.move(world.home, moved)
    world.home.write_text("no folder")
    yield
    world.home.unlink()
    shutil.move(moved, world.home)


@pytest.fixture
def world(project: Path, run: Run, environ: dict[str, str], clock: FixedClock) -> World:
    """A project whose memory is sound."""
    return World(project, run, environ, clock)


@pytest.mark.parametrize("fault", [newer, damaged, misplaced])
def test_each_door_says_what_is_wrong(world: World, fault: Callable[[World], Iterator[None]]) -> None:
    """And what to do; nothing that was acknowledged before is lost by it."""
    with fault(world):  # type: ignore[attr-defined]
        said = world.said(lambda call: call.error("record_memory", content=LATER, type="decision"))
    for door, text in said.items():
        assert "Traceback" not in text, door
        assert len(text.strip()) > 20, door
    assert "error:" in said["command line"]
    assert "hint:" in said["command line"]
    with world.opened() as memory:
        assert KNOWN in [record.content for record in memory.list()]


@pytest.mark.parametrize("answer", [Reply({}, 500), Reply("not json"), Reply({"data": []})])
def test_a_model_that_fails_costs_only_its_part(
    world: World, monkeypatch: pytest.MonkeyPatch, answer: Reply
) -> None:
    """A configured embedding server that fails: what is written is kept, and every door still answers."""
    with ModelServer().on("POST /v1/embeddings", answer) as server:
        monkeypatch.setenv("REMORA_EMBEDDING_PROVIDER", "openai")
        monkeypatch.setenv("REMORA_EMBEDDING_URL", f"{server.url}/v1")
        said = world.said(lambda call: call("record_memory", content=LATER, type="decision"))
        with world.opened() as memory:
            projects = Projects(world.environ, lambda _: memory, memory)
            app = build(projects, world.environ, world.clock, KEY, (HOST,))
            client = TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False)
            client.get(f"/?key={KEY}")
            page = client.get(f"/{memory.home.name}/memories?q=money")
    assert page.status_code == 200
    assert KNOWN in page.text
    assert all("Traceback" not in text for text in (*said.values(), page.text))
    with world.opened() as memory:
        assert {KNOWN, LATER} <= {record.content for record in memory.list()}
