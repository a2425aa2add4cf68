"""Git apart from the machine's own configuration, a project folder and its memory with a fake model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.core.clock import FixedClock
from tests.helpers import NOW, FakeEmbedder, Repo, environment, git_environment

Opens = Callable[..., Memory]


@pytest.fixture(autouse=True)
def _own_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the machine's git configuration and any enclosing repository out of the tests."""
    for name, value in git_environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp()))


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands still until it is moved."""
    return FixedClock(NOW)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment whose data lie in a folder of the test's, without any model."""
    return environment(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project folder without git."""
    made = tmp_path / "shop"
    made.mkdir()
    return made


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository without commits."""
    return Repo(tmp_path / "shop").init()


@pytest.fixture
def memory(repo: Repo, opens: Opens) -> Iterator[Memory]:
    """The memory of the repository, without any model."""
    with opens() as opened:
        yield opened


@pytest.fixture
def embedder() -> FakeEmbedder:
    """A fast deterministic model."""
    return FakeEmbedder()


@pytest.fixture
def opens(tmp_path: Path, clock: FixedClock) -> Opens:
    """A function that opens the memory of a project's folder, with parts and SETTINGS by their names."""

    def open_it(project: str = "shop", **parts: Any) -> Memory:
        settings = {name: parts.pop(name) for name in list(parts) if name.isupper()}
        (tmp_path / project).mkdir(exist_ok=True)
        given = {"environ": environment(tmp_path, **settings), "clock": clock, **parts}
        return Memory.open(tmp_path / project, **given)

    return open_it


@pytest.fixture
def bare(folder: Path, opens: Opens) -> Iterator[Memory]:
    """The memory of a folder, without any model."""
    with opens() as memory:
        yield memory


@pytest.fixture
def able(folder: Path, opens: Opens, embedder: FakeEmbedder) -> Iterator[Memory]:
    """The memory of a folder, with the fake model."""
    with opens(embedder=embedder) as memory:
        yield memory
