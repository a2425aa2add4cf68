"""What a session leaves behind, and what the one that goes on is told."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.events import CommandRun, CommitMade, ErrorSeen, FileUse
from remora.core.tokens import ceil_chars_4
from remora.core.values import MemoryRecord, Taint
from remora.injection.work_state import (
    WorkState,
    draft,
    goes_on,
    left_by,
    of_record,
    same_task,
    told,
)
from tests.observer.sessions import ran, session
from tests.retrieval.worlds import record

OPEN: dict[str, Any] = {"steps": 40, "outcome": "unknown"}


def failed(command: str, message: str, step: int, *, resolved: bool = False) -> ErrorSeen:
    """Return an error of a command."""
    return ErrorSeen("f" + command, "Bash", command, message, 1, (step,), resolved)


def kept(state: WorkState) -> MemoryRecord:
    """Return a state as it comes back from the store."""
    made = draft(state, "claude-code", "s1", "work")
    fields = {
        name: getattr(made, name) for name in ("confidence", "payload", "taint", "branch", "session_id")
    }
    return record(made.content, id="a1b2c3d4e5", type="work_state", **fields)


def test_what_a_session_leaves() -> None:
    """Requests, changes by their last step, checks that fail at the end, and the open things of the plan."""
    one = session(
        prompts=("Make the lifetime a setting", "and document it"),
        files=(
            FileUse("a.py", 1, 2, 1, 9),
            FileUse("b.py", 1, 1, 1, 30),
            FileUse("read.py", 3, 0, 1, 2),
            FileUse("/tmp/x", 0, 1, 1, 2),
        ),
        errors=(
            failed("make test", "1 failed", 39),
            failed("make lint", "E501", 12),
            failed("ls nowhere", "no such file", 38),
            failed("make build", "gone", 20, resolved=True),
        ),
        commands=(ran("make test", "test", at=39), ran("make lint", "lint", at=12)),
        planned=5,
        **OPEN,
    )
    state = left_by(one, ["document the setting", "  ", "tell the team"])
    assert state == WorkState(
        task="Make the lifetime a setting",
        asked="and document it",
        changed=("b.py", "a.py"),
        failing=("make test", "make lint"),
        todo=("document the setting", "tell the team"),
        outcome="unknown",
        branch="main",
        at="2026-01-05T11:00:00.000Z",
    )
    assert state.open


FAILS: dict[str, Any] = {
    "files": (FileUse("a.py", 0, 1, 1, 20),),
    "errors": (failed("make test", "1 failed", 40),),
}


@pytest.mark.parametrize(
    ("fields", "todo", "is_open"),
    [
        ({"outcome": "success", "files": (FileUse("a.py", 0, 1, 1, 2),)}, (), False),
        ({"outcome": "success", "files": (FileUse("a.py", 0, 1, 1, 2),)}, ("rest",), True),
        ({"outcome": "unknown", "files": (FileUse("a.py", 0, 1, 1, 2),)}, (), False),
        ({"outcome": "abandoned", "files": (FileUse("a.py", 0, 1, 1, 2),)}, (), True),
        ({"outcome": "unknown"}, (), False),
        ({"outcome": "success", **FAILS}, (), False),
        ({"outcome": "unknown", "commits": (CommitMade("Add a setting", 30),), **FAILS}, (), False),
        ({"outcome": "unknown", "commits": (CommitMade("Add a setting", 30),), **FAILS}, ("rest",), True),
        ({"outcome": "unknown", "commits": (CommitMade("Begin", 1),), **FAILS}, (), True),
    ],
)
def test_when_something_is_open(fields, todo, is_open) -> None:
    """Without open things a failure or a failing check has to tell, and no commit may have come after."""
    commands = (CommandRun("make test", "test", 1, 1, 40, 40),)
    assert left_by(session(commands=commands, **fields), todo).open is is_open


def test_text_from_outside_taints() -> None:
    """A session that read such text, or the word of the caller, lowers the confidence and asks for review."""
    taint = Taint("https://example.com", 3)
    for state in (left_by(session(outside=taint, **OPEN)), left_by(session(**OPEN), taint=taint)):
        made = draft(state, "codex", "s9")
        assert (made.taint, made.needs_review, made.external_id) == (taint, True, "work_state:codex:s9")
        assert made.confidence == pytest.approx(0.56)
    assert draft(left_by(session(**OPEN)), "codex", "s9").confidence == 0.8


STATE = WorkState(
    task="Make the token lifetime a setting",
    asked="and document it",
    changed=tuple(f"auth/{n}.py" for n in "abcdefghij"),
    failing=("make test",),
    todo=("document the setting", "tell the team"),
    branch="lifetime",
    at="2026-02-01T08:00:00.000Z",
)
TOLD = """\
## Where the last session left this work, 2026-02-01 [Memory #a1b2c3d4]
- Work that was left open on branch lifetime (2026-02-01): asked for “Make the token lifetime a setting”. \
Last request: “and document it”. Failing at the end: `make test`. \
Still to do: document the setting; tell the team. \
Changed: `auth/a.py`, `auth/b.py`, `auth/c.py`, `auth/d.py`, `auth/e.py`, `auth/f.py`, `auth/g.py`, \
`auth/h.py` and 2 more."""


def test_what_is_told() -> None:
    """The whole state in a few sentences, which can be understood alone."""
    assert told(kept(STATE)) == TOLD
    assert of_record(kept(STATE)) == STATE


def test_words_from_outside_are_quoted() -> None:
    """All of it stands in quotes that it cannot end, and the reader is told."""
    text = told(kept(STATE._replace(todo=("run “curl x”",), taint=Taint("web_fetch"))))
    assert "read text from outside (web_fetch)" in text
    assert text.splitlines()[2].startswith("- “Work that was left open")
    assert 'Still to do: run "curl x".' in text


@pytest.mark.parametrize("budget", [1, 20, 60, 100, 150])
def test_a_budget_is_kept(budget: int) -> None:
    """What does not fit is cut; a heading alone is nothing."""
    text = told(kept(STATE), budget)
    assert ceil_chars_4(text) <= budget
    assert "\n" in text or text == ""


def test_a_state_of_another_system() -> None:
    """A payload of another shape, or none, leaves the memory's own words."""
    plain = record("The parser is half done", id="ffff0000ff", type="work_state")
    assert told(plain).splitlines()[1] == "- The parser is half done"
    odd = record("x y", id="f", type="work_state", payload={"todo": "a", "failing": [[1], "make", 2]})
    assert (of_record(odd).todo, of_record(odd).failing) == ((), ("make",))
    assert told(odd).splitlines()[1] == "- x y"


def test_tasks_that_go_on() -> None:
    """A request to go on, or one that shares words with what was left, is of the same task."""
    assert goes_on("OK, please continue.")
    assert goes_on("where were we?")
    assert not goes_on("continuous integration is red")
    assert same_task("continue", STATE)
    assert same_task("go on with the tokens", STATE)
    assert not same_task("continue with the footer of the start page", STATE)
    assert same_task("the lifetimes of tokens should be settings", STATE)
    assert not same_task("tokens everywhere else in this big old program are ugly", STATE)
    assert not same_task("", STATE)
