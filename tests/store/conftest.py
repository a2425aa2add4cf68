"""A fresh database for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.store.connection import Connection
from remora.store.database import Database


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without rows, made once: a copy costs less than making it."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    Connection.open(path).close()
    return path


@pytest.fixture
def db(tmp_path: Path, empty_file: Path) -> Iterator[Database]:
    """A new project database."""
    shutil.copy(empty_file, tmp_path / "memory.db")
    found = Database(tmp_path / "memory.db", realm="project", project_id="p1")
    yield found
    found.close()


@pytest.fixture
def connection(db: Database) -> Connection:
    """The file of `db`."""
    return db.connection
