"""A fresh database for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.store.connection import Database
from remora.store.space import Space


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Space]:
    """A new project database."""
    found = Space.open(tmp_path / "memory.db", realm="project", project_id="p1")
    yield found
    found.close()


@pytest.fixture
def db(space: Space) -> Database:
    """The file of `space`."""
    return space.db
