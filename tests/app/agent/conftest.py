"""An environment for hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import environment


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment whose data lie in a folder of the test's."""
    return environment(tmp_path)
