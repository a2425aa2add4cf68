"""A project with a memory for each adapter, and the examples of docs/adapters.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from tests.helpers import FakeEmbedder, environment, git_environment
from tests.interfaces.adapters.talking import SpeakingMemory

PAGE = Path(__file__).resolve().parents[3] / "docs" / "adapters.md"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without git; the environment points below tmp_path, so a program's own opening does, too."""
    for name, value in {**environment(tmp_path), **git_environment()}.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def memory(place: Path) -> Iterator[Memory]:
    """The project's memory, without any model."""
    with Memory.open(place) as found:
        yield found


@pytest.fixture
def speaking(memory: Memory) -> Any:
    """The project's memory, with loops that speak at every point in place of its own."""
    return SpeakingMemory(memory)


@pytest.fixture
def able(place: Path) -> Iterator[Memory]:
    """The project's memory, with a model that takes texts with the same words as near each other."""
    with Memory.open(place, embedder=FakeEmbedder("fake:words:256", 256)) as found:
        yield found


@pytest.fixture
def example(place: Path) -> Callable[..., dict[str, Any]]:
    """Run the examples of a section of docs/adapters.md, one after the other, and return what they define."""

    def run(heading: str, **given: Any) -> dict[str, Any]:
        page = PAGE.read_text("utf-8")
        section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
        assert section, f"there is no section {heading!r}"
        blocks = re.findall(r"```py\n(.*?)```", section[1], re.DOTALL)
        assert blocks, f"the section {heading!r} has no example"
        names = dict(given)
        for block in blocks:
            exec(compile(block, f"docs/adapters.md, {heading}", "exec"), names)
        return names

    return run
