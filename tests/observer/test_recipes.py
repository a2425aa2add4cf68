"""Procedures that recur over sessions."""

from __future__ import annotations

from typing import Any

from remora.core.events import Observation
from remora.core.payloads import validate
from remora.core.values import Taint
from remora.observer.candidate import Candidate, Withdrawn
from remora.observer.recipes import habits, modules, recipes
from tests.observer.sessions import on, ran, seen_of

CHECKS = (ran("make fmt && make lint", "lint", at=20), ran("make test", "test", at=21))


def of(*sessions: Observation) -> list[Candidate]:
    """Return the recipes that the last session follows."""
    return [c for c in recipes(sessions[-1], seen_of(*sessions)) if isinstance(c, Candidate)]


def checked(day: int, *edits: str, commands: Any = CHECKS, **fields: Any) -> Observation:
    """Return a session of a day that changed files and ran commands."""
    return on(day, f"s{day}", edits=edits or ("cli/a.go",), commands=commands, **fields)


def test_checks_of_three_sessions_are_a_recipe() -> None:
    """In their usual order, with the exact commands and how many sessions ran each."""
    (found,) = of(checked(5), checked(6), checked(7))
    assert found.draft.content == (
        "A change is checked here with `make fmt` (3 of 3 sessions), `make lint` (3) "
        "and `make test` (3) (seen in 3 sessions, last 2026-01-07)."
    )
    assert (found.draft.type, found.draft.branch, found.needs) == ("workflow_recipe", None, 3)
    payload = validate("workflow_recipe", found.draft.payload)
    assert payload is not None
    assert [step["description"] for step in payload["steps"]] == [
        "format with `make fmt`",
        "check with `make lint`",
        "test with `make test`",
    ]
    assert (payload["success_count"], payload["last_validated_at"]) == (3, "2026-01-07T11:00:00.000Z")
    assert of(checked(5), checked(6)) == []


def test_failed_and_narrow_checks_are_left_out() -> None:
    """A command that never passed, one for a single test, one in a temporary folder."""
    commands = (*CHECKS, ran("go test ./... -run TestA", "test"), ran("make e2e", "test", runs=2, failures=2))
    (found,) = of(*(checked(day, commands=commands) for day in (5, 6, 7)))
    assert "TestA" not in found.draft.content
    assert "e2e" not in found.draft.content


def test_a_check_of_a_folder_is_shown_with_it() -> None:
    """It is another one than that of the root, and a hand-in is the same wherever in the repository."""
    there = ran("npm test", "test", at=21)._replace(with_variables="(cd web && CI=1 npm test)")
    push = ran("git push && gh pr create --draft", "vcs", at=30)._replace(
        with_variables="(cd web && git push) && (cd web && gh pr create --draft)"
    )
    found = of(*(checked(day, commands=(CHECKS[0], there, push)) for day in (5, 6, 7)))
    checks, hand_in = sorted(one.draft.content for one in found)
    assert "and `(cd web && CI=1 npm test)` (3)" in checks
    assert "`gh pr create --draft`" in hand_in


def test_variables_that_a_check_has_are_shown() -> None:
    """A command is one with them and without; it is shown as most sessions ran it."""
    wants = ran("pytest tests", "test", at=21)._replace(with_variables="PYTHONPATH=. pytest tests")
    failed = ran("pytest tests", "test", runs=1, failures=1)
    (found,) = of(*(checked(day, commands=(CHECKS[0], failed, wants)) for day in (5, 6, 7)))
    assert "and `PYTHONPATH=. pytest tests` (3)" in found.draft.content
    usual = (CHECKS[0], ran("pytest tests", "test", at=22))
    days = (checked(8, commands=(CHECKS[0], wants)), *(checked(day, commands=usual) for day in (9, 10)))
    assert "and `pytest tests` (3)" in of(*days)[0].draft.content


def test_a_module_with_checks_of_its_own_has_a_recipe() -> None:
    """Only what the others do not run; when it stops, the recipe is withdrawn."""
    more = (*CHECKS, ran("make db-test", "test", at=22))
    others = [checked(day, "cli/a.go") for day in range(1, 16)]
    own = [checked(day, "store/db/a.go", commands=more) for day in (20, 21, 22)]
    _, module = of(*others, *own)
    assert module.draft.content.startswith(
        "A change in `store/db` is checked with `make db-test` (3 of 3 sessions) as well"
    )
    assert (module.draft.payload or {})["task_pattern"] == "check a change in store/db"
    later = [checked(day, "store/db/a.go") for day in range(23, 30)]
    sessions = [*others, *own, *later]
    gone = [w for w in recipes(sessions[-1], seen_of(*sessions)) if isinstance(w, Withdrawn)]
    assert [w.external_id for w in gone] == [module.draft.external_id]


def test_work_is_handed_in_the_same_way() -> None:
    """With the flags that are special here; plain commits, pushes and requests go without saying."""
    commands = (
        ran("git add -A && git commit -m 'x'", "vcs", at=30),
        ran("git push -u origin HEAD", "vcs", at=31),
        ran("gh pr create --draft --title x", "vcs", at=32),
    )
    found = of(*(checked(day, commands=(*CHECKS, *commands)) for day in (5, 6, 7)))
    assert [c.key for c in found] == ["verify", "hand-in"]
    assert "`git commit` (3 of 3 sessions), then `git push`" in found[1].draft.content
    assert "then `gh pr create --draft`" in found[1].draft.content
    assert len(of(*(checked(day, commands=(*CHECKS, *commands[:2])) for day in (5, 6, 7)))) == 1


def test_a_command_that_outside_text_suggested_makes_no_recipe() -> None:
    """Three sessions must have run it before anything from outside was read."""
    bad = (*CHECKS, ran("make verify-env", "test", at=25))
    read = [checked(day, commands=bad)._replace(outside=Taint("https://x", 22)) for day in (5, 6, 7, 8)]
    (found,) = of(*read)
    assert "verify-env" not in found.draft.content
    assert "`make test` (4)" in found.draft.content
    (clean,) = of(*(checked(day, commands=bad) for day in (5, 6, 7, 8)))
    assert "`make verify-env` (4)" in clean.draft.content


def test_a_session_without_a_change_adds_nothing() -> None:
    """Reading and running is no procedure; modules are folders of changed sources."""
    assert habits(on(5, "s", commands=CHECKS)) == []
    one = on(5, "s", edits=("a/b/x.go", "a/b/y.go", "c/z.go", "docs/plan.md", "top.go", "/etc/hosts"))
    assert modules(one) == ["a/b", "c"]
