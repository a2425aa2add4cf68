"""What the journal is told of a session that is over."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from remora import Memory
from remora.app.agent.session_end import NOTED, day_of, due, write_down
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


def ended(memory: Memory, lines: list[Line], *, at: float = NOON, **fields: Any) -> bool:
    """Learn what the session came to and write it down if that is due; return whether it was."""
    project = memory._project
    with project.db.connection.transaction():
        project.db.sessions.record(session("s1", **fields), (), "1", "2026-01-05T12:00:00.000Z")
    about = due(project, HEAD, lines, at)
    if about is None:
        return False
    lines.append({"k": NOTED, "d": day_of(project, at)})
    write_down(project, HEAD, about, 2, at)
    return True


def day(memory: Memory, number: int = 5) -> list[str]:
    """Return the lines of a day, without their times."""
    text = memory.journal.day(date(2026, 1, number))
    return [line.partition("] ")[2] for line in text.splitlines()]


def history(memory: Memory) -> list[str]:
    """Return the entries of the history, oldest first."""
    return [entry.text for entry in memory.journal.history()][::-1]


def test_a_session_is_noted_once(bare, lines):
    """In its own words if it has any; not again on the same day, nor on another where it was looked at."""
    assert ended(bare, lines, summary=REPORT)
    lines += [{"k": "start"}, {"k": "end"}]
    assert not ended(bare, lines, at=NOON + DAY)
    lines.append({"k": "prompt"})
    assert not ended(bare, lines, at=NOON + 60, outcome="failure")
    assert day(bare) == [f"User: add a flag | Assistant: {REPORT}"]
    assert history(bare) == [f"claude-code, build, success; 2 memories. add a flag: {REPORT}"]
    assert day(bare, 6) == []


def test_a_session_that_goes_on_on_another_day(bare, lines):
    """Each day has its line and its entry."""
    ended(bare, lines, edits=("a.go",))
    lines.append({"k": "prompt"})
    assert ended(bare, lines, at=NOON + DAY, prompts=("add a flag", "now the tests"), edits=("a.go",))
    assert day(bare) == ["User: add a flag | Session: build, success"]
    assert day(bare, 6) == ["User: add a flag now the tests | Session: build, success"]
    told = "claude-code, build, success; 2 memories. {}. Files: a.go."
    assert history(bare) == [told.format(asked) for asked in ("add a flag", "add a flag now the tests")]


def test_a_session_without_a_request(bare, lines):
    """There is nothing to say of it."""
    assert not ended(bare, lines, prompts=())
    assert due(bare._project, Head("codex", "unknown"), lines, NOON) is None
