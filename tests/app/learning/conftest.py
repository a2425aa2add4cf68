"""The memory of a project whose sessions are learned."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from remora import Memory
from tests.app.conftest import Opens


@pytest.fixture
def memory(opens: Opens) -> Iterator[Memory]:
    """A project without a model, which is a repository where a test makes it one."""
    with opens() as opened:
        yield opened
