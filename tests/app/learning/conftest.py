"""The memory of a project whose sessions are learned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remora import Memory
from remora.core.clock import FixedClock
from tests.helpers import Repo, environment


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """A project without a model."""
    (tmp_path / "project").mkdir(exist_ok=True)
    with Memory.open(tmp_path / "project", environ=environment(tmp_path), clock=clock) as opened:
        yield opened


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """The project's folder as a repository without commits."""
    return Repo(tmp_path / "project").init()
