"""Several machines, each with a project folder and a home of its own, around one folder that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.clock import Clock, SystemClock
from tests.helpers import environment

Machine = Callable[..., Memory]


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Return the folder that carries the log."""
    made = tmp_path / "carried"
    made.mkdir()
    return made


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Return a way to open the memory of a machine by its name."""
    opened: list[Memory] = []

    def make(name: str, clock: Clock | None = None, data: str = "data") -> Memory:
        root = tmp_path / name / "shop"
        root.mkdir(parents=True, exist_ok=True)
        environ = environment(tmp_path / name, REMORA_HOME=str(tmp_path / name / data))
        opened.append(Memory.open(root, environ=environ, clock=clock or SystemClock()))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def founder(
    machine: Machine, shared: Path, name: str, clock: Clock | None = None, *, automatic: bool = True
) -> Memory:
    """Open the memory of a machine that begins to share its project as Ann, and has sent that."""
    memory = machine(name, clock)
    memory.sharing.init(f"folder:{shared}", me="Ann", automatic=automatic)
    memory.sharing.sync()
    return memory


@pytest.fixture
def team(machine: Machine, shared: Path) -> dict[str, Memory]:
    """Return the memories of an admin, a steward, a member and a reader who share a project."""
    ann = founder(machine, shared, "ann")
    found = {"ann": ann}
    for name, role in (("stu", "steward"), ("mel", "member"), ("rita", "reader")):
        code = ann.sharing.invite(name.title(), role=role)
        found[name] = machine(name)
        found[name].sharing.join(code)
        found[name].sharing.sync()
    exchange(*found.values())
    return found


def exchange(*memories: Memory) -> None:
    """Let everybody send, then everybody take what the others sent."""
    for _ in range(2):
        for memory in memories:
            memory.sharing.sync()
