"""Procedures that recur over sessions."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.events import CommandRun, Observation
from remora.core.payloads import validate
from remora.observer.calibration import modules
from remora.observer.candidate import Candidate
from remora.observer.recipes import habits, recipes
from tests.observer.sessions import on, ran, seen_of

CHECKS = (ran("make fmt && make lint", "lint", at=20), ran("make test", "test", at=21))


def of(*sessions: Observation) -> list[Candidate]:
    """Return the recipes that the last session follows."""
    return [c for c in recipes(sessions[-1], seen_of(*sessions)) if isinstance(c, Candidate)]


def checked(*commands: CommandRun, days: Sequence[int] = (5, 6, 7)) -> list[Observation]:
    """Return a session of each day that changed a file and ran commands."""
    return [on(day, f"s{day}", edits=("cli/a.go",), commands=commands) for day in days]


def test_checks_of_three_sessions_are_a_recipe() -> None:
    """In their usual order, with the exact commands and how many sessions ran each."""
    (found,) = of(*checked(*CHECKS))
    assert found.draft.content == (
        "A change is checked here with `make fmt` (3 of 3 sessions), `make lint` (3) "
        "and `make test` (3) (seen in 3 sessions, last 2026-01-07)."
    )
    assert (found.draft.type, found.draft.branch, found.needs) == ("workflow_recipe", None, 3)
    payload = validate("workflow_recipe", found.draft.payload)
    assert payload is not None
    steps = ["format with `make fmt`", "check with `make lint`", "test with `make test`"]
    assert [step["description"] for step in payload["steps"]] == steps
    assert (payload["success_count"], payload["last_validated_at"]) == (3, "2026-01-07T11:00:00.000Z")
    assert of(*checked(*CHECKS, days=(5, 6))) == []


def test_failed_and_narrow_checks_are_left_out() -> None:
    """A command that never passed, and one for another single test each time."""
    broken = ran("make e2e", "test", runs=2, failures=2)
    days: list[Observation] = []
    for day in (5, 6, 7):
        narrow = ran(f"go test ./... -run TestA{day}", "test")
        days += checked(*CHECKS, narrow, broken, days=[day])
    (found,) = of(*days)
    assert "TestA" not in found.draft.content
    assert "e2e" not in found.draft.content


def test_variables_that_a_check_has_are_shown() -> None:
    """A command is one with them and without; it is shown as most sessions ran it."""
    wants = ran("pytest tests", "test", at=21)._replace(with_variables="PYTHONPATH=. pytest tests")
    failed = ran("pytest tests", "test", runs=1, failures=1)
    (found,) = of(*checked(CHECKS[0], failed, wants))
    assert "and `PYTHONPATH=. pytest tests` (3)" in found.draft.content
    usual = ran("pytest tests", "test", at=22)
    days = [*checked(CHECKS[0], wants, days=[8]), *checked(CHECKS[0], usual, days=(9, 10))]
    assert "and `pytest tests` (3)" in of(*days)[0].draft.content


def test_a_command_that_outside_text_suggested_makes_no_recipe() -> None:
    """Three sessions must have run it before anything from outside was read."""
    bad, days = ran("make verify-env", "test", at=25), (5, 6, 7, 8)
    (found,) = of(*checked(*CHECKS, bad._replace(tainted=True), days=days))
    assert "verify-env" not in found.draft.content
    assert "`make test` (4)" in found.draft.content
    (clean,) = of(*checked(*CHECKS, bad, days=days))
    assert "`make verify-env` (4)" in clean.draft.content


def test_a_session_without_a_change_adds_nothing() -> None:
    """Reading and running is no procedure; modules are folders of changed sources."""
    assert habits(on(5, "s", commands=CHECKS)) == []
    one = on(5, "s", edits=("a/b/x.go", "a/b/y.go", "c/z.go", "docs/plan.md", "top.go", "/etc/hosts"))
    assert modules(one) == ["a/b", "c"]
