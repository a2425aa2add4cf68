"""A fresh database for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.store.connection import Database
from remora.store.space import Space


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without rows, made once: a copy costs less than making it."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    Database.open(path).close()
    return path


@pytest.fixture
def space(tmp_path: Path, empty_file: Path) -> Iterator[Space]:
    """A new project database."""
    shutil.copy(empty_file, tmp_path / "memory.db")
    found = Space.open(tmp_path / "memory.db", realm="project", project_id="p1")
    yield found
    found.close()


@pytest.fixture
def db(space: Space) -> Database:
    """The file of `space`."""
    return space.db
