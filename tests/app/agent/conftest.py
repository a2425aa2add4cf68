"""Projects by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora.app.memory import Memory

Open = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """A function that opens the memory of a project by its name, with settings."""

    def open_it(name: str = "project", **settings: str) -> Memory:
        (tmp_path / name).mkdir(exist_ok=True)
        environ = {"REMORA_HOME": str(tmp_path / "data"), "REMORA_EMBEDDING_PROVIDER": "none", **settings}
        return Memory.open(tmp_path / name, environ=environ, actor="person")

    return open_it
