"""Worlds in which the hook is called."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.memories import triggers
from remora.interfaces.hooks.main import answer
from tests.helpers import Repo, environment
from tests.interfaces.hooks.called import DECISION, LESSON, World


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository and its memory, to be copied for each test."""
    folder = tmp_path_factory.mktemp("world")
    repo = Repo(folder / "shop").init()
    repo.commit("first", {"cart.py": "key = tenant\n"})
    with Memory.open(repo.root, environ=environment(folder)) as memory:
        memory.remember(LESSON, type="gotcha", related_files=["cart.py"])
        memory.remember(DECISION, type="decision")
        triggers.refresh(memory._project)
    return folder


@pytest.fixture
def world(made: Path, tmp_path: Path) -> World:
    """A world of its own for each test."""
    for name in ("shop", "data"):
        shutil.copytree(made / name, tmp_path / name)
    return World(tmp_path)


@pytest.fixture
def ask(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Answer an event in this process; returns the object that is printed, None for nothing."""
    for name in [n for n in os.environ if n.startswith(("REMORA_", "CLAUDE", "CURSOR_", "GEMINI_"))]:
        monkeypatch.delenv(name)
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)

    def call(given: Mapping[str, Any], host: str = "claude-code") -> Any:
        printed = answer(["--host", host], json.dumps(given).encode())
        return json.loads(printed) if printed else None

    return call
