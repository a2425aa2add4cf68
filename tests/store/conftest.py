"""A fresh database for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.store.connection import Connection
from remora.store.database import Database
from tests.store.makers import database


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
    with database(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def connection(db: Database) -> Connection:
    """The file of `db`."""
    return db.connection
