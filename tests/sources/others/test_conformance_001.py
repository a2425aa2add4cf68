"""What document 001's code does to the sessions of its earlier versions, and what our reader does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remora.sources.others import golemcore
from tests.helpers import files
from tests.sources.others.looks import check, why, write

SAID = {"id": "m1", "role": "user", "content": "Which port?", "timestamp": "2026-02-07T14:15:00Z"}
SESSION = {"id": "cli:42", "state": "ACTIVE", "messages": [SAID]}


@pytest.mark.parametrize("raw", ["{", "  \n", "null"])
def test_a_session_that_is_none_is_absent(tmp_path: Path, raw: str) -> None:
    """Corrupt, blank and null JSON give no session; there that is silent, here the file is named."""
    write(tmp_path, {"sessions/cli:42.json": raw})
    found = check(golemcore.read(tmp_path))
    assert found.sessions == ()
    assert list(why(found)) == ["sessions/cli:42.json"]


def test_computed_fields_are_passed_over(tmp_path: Path) -> None:
    """Getters that were written into the JSON, of the session and of a message, change nothing."""
    write(tmp_path / "plain", {"sessions/cli:42.json": json.dumps(SESSION)})
    computed = SESSION | {"empty": False, "lastMessage": SAID, "messages": [SAID | {"userMessage": True}]}
    write(tmp_path / "computed", {"sessions/cli:42.json": json.dumps(computed)})
    plain = check(golemcore.read(tmp_path / "plain"))
    assert len(plain.sessions[0].messages) == 1
    assert check(golemcore.read(tmp_path / "computed")).sessions == plain.sessions


def test_a_session_in_json_is_read_and_left_alone(tmp_path: Path) -> None:
    """Their start-up writes .pb and deletes .json; we read what is not ours and change nothing there."""
    write(tmp_path, {"sessions/cli:42.json": json.dumps(SESSION)})
    before = files(tmp_path)
    assert check(golemcore.read(tmp_path)).sessions[0].messages[0]["content"] == "Which port?"
    assert files(tmp_path) == before
