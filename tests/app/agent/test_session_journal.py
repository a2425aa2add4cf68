"""What the journal is told of a session that is learned again and again."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from remora import Memory
from remora.app.agent.session_journal import NOTED, write_down
from remora.core.clock import from_iso
from remora.disk.live import Head, Line
from tests.observer.sessions import session

HEAD = Head("claude-code", "s1")
NOON = from_iso("2026-01-05T12:00:00Z")
DAY = 86_400.0
REPORT = "The refresh of tokens now happens before they expire, with a test for the edge."


@pytest.fixture
def lines() -> list[Line]:
    """The live file of the session."""
    return [{"k": "prompt"}, {"k": "stop"}]


def noted(
    memory: Memory, lines: list[Line], *, at: float = NOON, ended: bool = False, **fields: Any
) -> Line | None:
    """Learn what the session came to by now and write it down."""
    db = memory._project.db
    with db.connection.transaction():
        db.sessions.record(session("s1", **fields), (), "1", "2026-01-05T12:00:00.000Z")
    found = write_down(memory._project, HEAD, 2, lines, at=at, ended=ended)
    lines += [found] if found else []
    return found


def day(memory: Memory, number: int = 5) -> list[str]:
    """Return the lines of a day, without their times."""
    text = memory.journal.day(date(2026, 1, number))
    return [line.partition("] ")[2] for line in text.splitlines()]


def history(memory: Memory) -> list[str]:
    """Return the entries of the history, oldest first."""
    return [entry.text for entry in memory.journal.history()][::-1]


def test_a_session_is_noted_as_it_is_by_now(bare, lines):
    """One line a day, in the session's own words where it has any; the history waits for the end."""
    noted(bare, lines)
    assert day(bare) == ["User: add a flag | Session: build, success"]
    assert noted(bare, lines) is None
    noted(bare, lines, at=NOON + 60, prompts=("add a flag", "now the tests"), summary=REPORT)
    assert day(bare) == [f"User: add a flag now the tests | Assistant: {REPORT}"]
    assert history(bare) == []
    noted(bare, lines, ended=True, prompts=("add a flag", "now the tests"), summary=REPORT)
    assert len(day(bare)) == 1
    assert history(bare) == [f"claude-code, build, success; 2 memories. add a flag now the tests: {REPORT}"]
    assert noted(bare, lines, ended=True, prompts=("add a flag", "now the tests"), summary=REPORT) is None
    assert [line["k"] for line in lines].count(NOTED) == 3


def test_a_session_that_goes_on_after_its_end(bare, lines):
    """The history has one entry a day of it, and the next day is a new one."""
    for number, at in enumerate((NOON, NOON + 60, NOON + DAY)):
        noted(bare, lines, at=at, ended=True, prompts=("add a flag", f"and number {number}"), edits=("a.go",))
    assert day(bare) == ["User: add a flag and number 1 | Session: build, success"]
    assert day(bare, 6) == ["User: add a flag and number 2 | Session: build, success"]
    ends = [f"build, success; 2 memories. add a flag and number {n}. Files: a.go." for n in (0, 2)]
    assert [entry.removeprefix("claude-code, ") for entry in history(bare)] == ends


@pytest.mark.parametrize("text", ["[12:00] User: add a flag | I did that myself\n", ""])
def test_a_line_that_a_person_changed_is_left_alone(bare, lines, text):
    """Or took out; nothing is added beside it."""
    noted(bare, lines)
    (bare.journal.folder / "2026-01-05.md").write_text(text)
    for outcome in ("failure", "unknown"):
        noted(bare, lines, outcome=outcome)
        assert bare.journal.day(date(2026, 1, 5)) == text.strip()


def test_a_session_that_comes_to_the_same_on_another_day(bare, lines):
    """It was looked at again, and nothing happened in it."""
    noted(bare, lines, ended=True)
    assert noted(bare, lines, at=NOON + DAY, ended=True) is None
    assert (day(bare, 6), len(history(bare))) == ([], 1)


def test_a_session_without_a_request(bare, lines):
    """There is nothing to say of it."""
    assert noted(bare, lines, ended=True, prompts=()) is None
    assert write_down(bare._project, Head("codex", "unknown"), 0, lines, at=NOON, ended=True) is None
