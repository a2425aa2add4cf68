"""A database of its own for each test, a clock that stands still, and what changes memories in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remora.core.clock import FixedClock
from remora.core.values import MemoryDraft, MemoryRecord
from remora.lifecycle.intake import Intake
from remora.lifecycle.upkeep import Upkeep
from remora.store.database import Database
from tests.helpers import NOW


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands still until it is moved."""
    return FixedClock(NOW)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    opened = Database(tmp_path / "memory.db", realm="project", project_id="p1")
    yield opened
    opened.close()


@pytest.fixture
def intake(db: Database, clock: FixedClock) -> Intake:
    """What takes drafts in."""
    return Intake(db, clock)


@pytest.fixture
def upkeep(db: Database, clock: FixedClock, intake: Intake) -> Upkeep:
    """What changes memories that exist."""
    return Upkeep(db, clock, intake)


@pytest.fixture
def take(intake: Intake) -> Callable[..., MemoryRecord]:
    """Remember a text with fields of a draft."""

    def remember(content: str, *, revive: bool = True, **fields: object) -> MemoryRecord:
        return intake.remember(MemoryDraft(content, **fields), revive=revive)  # type: ignore[arg-type]

    return remember
