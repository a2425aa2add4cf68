"""Collect the examples of README, docs and docstrings as tests."""

from __future__ import annotations

import gc
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import settings
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

from remora.embeddings import onnx
from remora.store import connection
from tests.example_repository import make

# Each run tries other examples: the gate a few of them, `--hypothesis-profile=full` many.
settings.register_profile("gate", max_examples=25, deadline=None)
settings.register_profile("full", max_examples=200, deadline=None)
settings.load_profile("gate")

ROOT = Path(__file__).parent

onnx._loaded = {}  # is not released between two tests: the bundled model takes 0.2 s to load


def pytest_collection() -> None:
    """Spare the garbage collector the thousands of tests while they are collected."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Spare it them afterwards, too: they would slow what is timed."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)  # tests of the code make millions of objects, few of them in cycles
    gc.enable()


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as it is made, with nothing in it."""
    path = tmp_path_factory.mktemp("new") / "new.db"
    connection.Connection.open(path).close()
    return path


@pytest.fixture(autouse=True)
def databases_are_copies(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, new_database: Path
) -> None:
    """Begin a new database as a copy of an empty one: a thousand tests need one, and to make it takes 10 ms.

    The tests of the store itself make their own, and so does every process that a test starts.
    """
    if "tests/store/" in request.node.nodeid or "test_doctor" in request.node.nodeid:
        return
    opened = connection._opened

    def copied(path: Path, flags: int, form: connection.Form, **more: Any) -> apsw.Connection:
        if form is connection.MEMORY and flags & apsw.SQLITE_OPEN_CREATE and not path.exists():
            copy = path.with_name(f".{uuid.uuid4().hex}")
            with suppress(OSError):
                try:
                    shutil.copy2(new_database, copy)
                    os.link(copy, path)  # fails where somebody else was faster
                finally:
                    copy.unlink(missing_ok=True)
        return opened(path, flags, form, **more)

    monkeypatch.setattr(connection, "_opened", copied)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small repository and a data folder of its own, for examples."""
    folder = tmp_path_factory.mktemp("example")
    path = make(folder / "shop")
    before = dict(os.environ)
    os.environ.update(REMORA_HOME=str(folder / "data"), HOME=str(folder), REMORA_EMBEDDING_PROVIDER="onnx")
    os.environ["REMORA_TRIAL_SHARE"] = "0"  # nothing is held back by chance
    yield str(path)
    os.environ.clear()
    os.environ.update(before)


markdown = Sybil(
    parsers=[PythonCodeBlockParser()],
    patterns=["README.md", "docs/*.md"],
    fixtures=["repository"],
)
docstrings = Sybil(parsers=[DocTestParser()], patterns=["*.py"])
examples = {path for path in (ROOT / "remora").rglob("*.py") if b">>> " in path.read_bytes()}
collected = (markdown + docstrings).pytest()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Collect a file's examples; a module without one is not parsed."""
    return collected(file_path, parent) if file_path.suffix == ".md" or file_path in examples else None
