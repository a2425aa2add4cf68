"""A conversation of a project without a model."""

from __future__ import annotations

import pytest

from remora import Memory, Session


@pytest.fixture
def session(bare: Memory) -> Session:
    """A session that has said nothing yet."""
    return bare.session("cli:42")
