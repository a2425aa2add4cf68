"""Short ways to write down what sessions added up to."""

from __future__ import annotations

from typing import Any

from remora.core.events import CommandRun, ErrorSeen, Exchange, FileUse, Observation, Signal
from remora.observer.promotion import tallies
from tests.observer.seen_here import SeenHere


def session(name: str = "s1", *, edits: tuple[str, ...] = (), **fields: Any) -> Observation:
    """Return a successful build on a day of January 2026; `edits` are the files it read and changed."""
    given: dict[str, Any] = {
        "host": "claude-code",
        "kind": "build",
        "kind_why": "it changed files",
        "outcome": "success",
        "outcome_why": "`make test` passed after the last change",
        "started": "2026-01-05T10:00:00.000Z",
        "ended": "2026-01-05T11:00:00.000Z",
        "steps": 40,
        "planned": None,
        "prompts": ("add a flag",),
        "summary": "",
        "branch": "main",
        "signals": (),
        "files": tuple(FileUse(path, 1, 1, 3, 9) for path in edits),
        "errors": (),
        "commands": (),
    }
    return Observation(session_id=name, **{**given, **fields})


def on(day: int, name: str, **fields: Any) -> Observation:
    """Return a session of a day in January 2026."""
    fields.setdefault("started", f"2026-01-{day:02d}T10:00:00.000Z")
    fields.setdefault("ended", f"2026-01-{day:02d}T11:00:00.000Z")
    return session(name, **fields)


def seen_of(*sessions: Observation) -> SeenHere:
    """Return the counts over sessions, each with what it adds itself."""
    seen = SeenHere()
    for one in sessions:
        seen.add(one, tallies(one))
    return seen


def said(ask: str, report: str, *, step: int = 10, **fields: Any) -> Exchange:
    """Return a request with what came of it."""
    return Exchange(ask, report, step, "2026-01-05T10:30:00.000Z", **fields)


def ran(command: str, purpose: str, *, failures: int = 0, runs: int = 1, at: int = 20) -> CommandRun:
    """Return a command of a session."""
    return CommandRun(command, purpose, runs, failures, at, at)


def met(message: str, how: str = "changed `a.go`", **fields: Any) -> ErrorSeen:
    """Return an error that was met once and resolved."""
    given: dict[str, Any] = {
        "fingerprint": "f" * 16,
        "tool": "Bash",
        "command": "make lint",
        "message": message,
        "count": 1,
        "steps": (12,),
        "resolved": True,
        "resolved_how": how,
    }
    return ErrorSeen(**{**given, **fields})


def stated(sentence: str, **fields: Any) -> Signal:
    """Return the signal of a sentence in which the user states a rule."""
    return shows(
        "self_correction", f"user:{sentence}", detail={"kind": "user", "sentence": sentence}, **fields
    )


def shows(type: str, key: str, step: int = 5, **fields: Any) -> Signal:  # noqa: A002
    """Return a signal of a session."""
    return Signal(type, key, step, "2026-01-05T10:10:00.000Z", **fields)
