"""Collect the examples of README, docs and docstrings as tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

from tests.example_repository import make


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of collected tests, which would slow what is timed."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A small repository and a data folder of its own, for examples."""
    folder = tmp_path_factory.mktemp("example")
    path = make(folder / "shop")
    before = dict(os.environ)
    os.environ.update(REMORA_HOME=str(folder / "data"), HOME=str(folder), REMORA_EMBEDDING_PROVIDER="onnx")
    yield str(path)
    os.environ.clear()
    os.environ.update(before)


markdown = Sybil(
    parsers=[PythonCodeBlockParser()],
    patterns=["README.md", "docs/*.md"],
    fixtures=["repository"],
)
docstrings = Sybil(parsers=[DocTestParser()], patterns=["remora/**/*.py"])

pytest_collect_file = (markdown + docstrings).pytest()
