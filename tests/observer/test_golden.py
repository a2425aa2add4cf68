"""What learning makes of real sessions, stage by stage, as the golden files beside them show it.

The sessions in `sessions/*.jsonl` are cut from those of github.com/entireio/cli (MIT): lines left out, long
texts shortened. `GOLDEN=update pytest tests/observer/test_golden.py` writes down what happens now; read the
difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.observer.telling import told

SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.jsonl"))


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_is_told_as_it_is_written(path):
    """Each stage, from the events to the memories, prints what the golden file shows."""
    golden = path.with_suffix(".txt")
    happens = told(path)
    if os.environ.get("GOLDEN") == "update":
        golden.write_text(happens, "utf-8")
    assert happens.splitlines() == golden.read_text("utf-8").splitlines()


def test_every_session_says_where_it_is_from():
    """Each file starts with its origin and licence, and holds no address of a person."""
    assert len(SESSIONS) >= 5
    for path in SESSIONS:
        text = path.read_text("utf-8")
        assert "github.com/entireio/cli, MIT" in text.splitlines()[0]
        assert "@" not in text.replace("@v", "").replace("@dev", "")
