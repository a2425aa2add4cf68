"""A world for each test, with a fake model and without one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieval.worlds import WordEmbedder, World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A project with the fake embedding model."""
    with World(tmp_path, embedder=WordEmbedder()) as made:
        yield made


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[World]:
    """A project without any model."""
    with World(tmp_path) as made:
        yield made
