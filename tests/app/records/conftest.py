"""Conversations of a project, without a model and with one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from remora import Memory, Session
from remora.llm.scripted import ScriptedModel
from tests.app.talks import memory_of, talk


@pytest.fixture
def session(bare: Memory) -> Session:
    """A session that has said nothing yet."""
    return bare.session("cli:42")


@contextmanager
def talked(
    root: Path, count: int, *replies: Any, **settings: str
) -> Iterator[tuple[Memory, Session, ScriptedModel]]:
    """Open, for a block, a memory with a session of so many messages and a model that gives these replies."""
    memory, model = memory_of(root, *replies, **settings)
    with memory:
        session = memory.session("cli:42")
        session.extend(talk(count))
        yield memory, session, model
