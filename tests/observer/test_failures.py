"""Errors that come back, with what resolved them."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.events import ErrorSeen
from remora.core.evidence import hit_source
from remora.core.values import Taint
from remora.observer.candidate import Candidate, Rejected, Withdrawn
from remora.observer.command_fixes import after, instead, without_flag
from remora.observer.failures import failures
from tests.observer.sessions import met, on, seen_of

STALE, GONE = "undefined: api.NewHandler", "tests: No such file"


def refused(*errors: ErrorSeen) -> Rejected:
    """Return why the last of some sessions, each of which met one error, teaches nothing."""
    found = of(*errors)
    assert isinstance(found, Rejected)
    return found


def learnt(*errors: ErrorSeen) -> Candidate:
    """Return what the last of some sessions teaches, each of which met one error."""
    found = of(*errors)
    assert isinstance(found, Candidate)
    return found


def of(*errors: ErrorSeen) -> Candidate | Rejected:
    """Return what the last of some sessions proposes, each of which met one error."""
    sessions = [on(5 + n, f"s{n}", errors=(error,)) for n, error in enumerate(errors)]
    found, *gone = failures(sessions[-1], seen_of(*sessions))
    assert not isinstance(found, Withdrawn)
    learned = isinstance(found, Candidate) and not is_record(found)
    assert [type(one) for one in gone] == [Withdrawn] * learned
    return found


def is_record(found: Candidate | Rejected) -> bool:
    """Return whether it is what happened in sessions, and no memory."""
    return isinstance(found, Candidate) and hit_source(found.draft.source, found.draft.type) == "session"


def helped(*commands: str, message: str = STALE, **fields: Any) -> ErrorSeen:
    """Return an error after which commands ran before the same command passed."""
    return met(message, after(commands), command="go test ./...", helped=commands, **fields)


def instead_of(failed: str, worked: str, message: str) -> ErrorSeen:
    """Return an error of a command that worked in another form."""
    how = without_flag(message, failed, worked) or instead(worked)
    return met(message, how, command=failed, worked=worked)


def test_a_command_that_helped_twice() -> None:
    """What both sessions ran in between is the remedy; what only one of them ran is not."""
    found = learnt(helped("go generate ./...", "git pull"), helped("npm ci", "go generate ./..."))
    assert found.draft.content == (
        f"`go test ./...` fails with “{STALE}”: it works after `go generate ./...`. "
        "(seen in 2 sessions, last 2026-01-06)"
    )
    assert (found.draft.type, found.draft.branch, found.needs) == ("error_pattern", None, 2)
    assert found.draft.confidence == pytest.approx(0.7)
    assert found.why == "met in 2 sessions, resolved in the same way in 2 of them"


@pytest.mark.parametrize(
    ("message", "failed", "worked"),
    [
        ("bash: pytest: command not found", "pytest {}", "uv run pytest {}"),
        ("fatal: ambiguous argument", "git diff {}", "git diff -- {}"),
    ],
)
def test_another_form_of_the_command(message: str, failed: str, worked: str) -> None:
    """It was put right in the same way twice."""
    found = learnt(*(instead_of(failed.format(x), worked.format(x), message) for x in ("a.py", "b.py")))
    assert f"use `{worked.format('b.py')}` instead" in found.draft.content


def test_a_flag_that_the_program_refuses() -> None:
    """The program says itself what is wrong: one success without the flag is enough."""
    line = ("bd status --short", "bd status", "Error: unknown flag: --short")
    found = learnt(instead_of(*line), met(line[2], "", command=line[0]))
    assert "it works without `--short`: `bd status`" in found.draft.content


@pytest.mark.parametrize(
    "errors",
    [
        (helped("go generate ./..."), helped("npm ci")),
        (helped("go generate ./..."), helped("go generate ./...", resolved=False)),
        (met("a.go:3: no such field", "changed `a.go`: `x` became `y`"),) * 2,
        (met(STALE, "it worked when run again"),) * 2,
        (instead_of("rg x tests", "rg x src", GONE), instead_of("rg y tests", "rg y", GONE)),
    ],
    ids=["other commands", "once unresolved", "edits", "again", "other forms"],
)
def test_what_no_two_sessions_agree_on(errors: tuple[ErrorSeen, ErrorSeen]) -> None:
    """Nobody knows what resolved it: it is a record, in a program's words, and no memory."""
    found = learnt(*errors)
    assert is_record(found)
    assert found.draft.taint is not None
    assert "fails with" in found.draft.content


def test_one_session_proves_nothing() -> None:
    """However often the error came in it."""
    assert refused(helped("go generate ./...", count=3)).why == "seen once, 2 sessions are needed"


@pytest.mark.parametrize(
    "message",
    [
        "<tool_use_error>File has not been read yet.</tool_use_error>",
        "FAIL example.com/cli 1.718s",
        "✖ 1 problem (1 error, 0 warnings)",
        "BUILD FAILED in 3s",
    ],
)
def test_a_message_without_a_cause(message: str) -> None:
    """What the host's own tools say, and what only says that something failed, can have any remedy."""
    read = met("Offset 390 is out of range", command="", tool="read")  # a failure of the agent
    for one in (helped("go generate ./...", message=message), read):
        assert "does not say what failed" in refused(one, one).why


def test_a_remedy_that_needs_a_tainted_meeting_is_tainted() -> None:
    """It rests on all of its meetings; two clean ones are a pattern without a third that is tainted."""
    clean, web = helped("go generate ./..."), helped("go generate ./...", taint=Taint("https://x", 3))
    for errors, taint in (((web, clean), Taint("https://x", 3)), ((clean, clean, web), None)):
        found = learnt(*errors)
        assert (found.draft.taint, found.seen.sessions) == (taint, 2)
