"""Which commands are suggested to check work with, and in which form."""

from __future__ import annotations

from typing import Any

import pytest

from remora.checks.from_project import NamedCheck
from remora.checks.suggest import Suggestion, suggest
from remora.core.events import CommandRun
from remora.core.triggers import Trigger
from tests.retrieval.worlds import World
from tests.store.test_session_reader import record, session, use

RED, GREEN = (1, 1), (2, 1)  # runs and failures: failed, and passed in the end
WITH = "PYTHONPATH=. pytest tests"


def ran(form: str, how: tuple[int, int] = GREEN) -> CommandRun:
    """Return a test of a session, as it was run."""
    command = form.removeprefix("PYTHONPATH=. ")
    with_variables = form if form != command else ""
    return CommandRun(command, "test", *how, 1, 2, with_variables=with_variables)


def suggested(world: World, *sessions: tuple[CommandRun, ...], **how: Any) -> list[Suggestion]:
    """Return what is suggested after some sessions, one a day."""
    for day, commands in enumerate(sessions, start=1):
        record(world.db, session(f"s{day}", day, commands=commands))
    return suggest(world.db, 9, **how)


def commands(found: list[Suggestion]) -> list[str]:
    """Return the suggested commands."""
    return [one.command for one in found]


def test_only_sessions_in_which_a_command_passed_count(bare: World):
    """One that failed while work went on and passed then is fine; one that never passed is left out."""
    found = suggested(
        bare,
        (ran("make test"), ran("make check", RED)),
        (ran("make test", RED), ran("make check", RED)),
        (ran("make test"), ran("npm test", RED), ran("make lint && make unit", RED)),
    )
    assert [(one.command, one.why) for one in found] == [
        ("make test", "ran and passed in 2 of the last 3 sessions")
    ]


def test_each_check_of_a_line_is_for_what_it_is_itself_for(bare: World):
    """A line with a test in it is kept as a test; what is no check by itself is not suggested."""
    found = suggested(bare, (ran("mise run fmt && ./prepare.sh && mise run lint && pytest"),))
    purposes = [(one.command, one.purpose) for one in found]
    assert purposes == [("mise run fmt", "format"), ("mise run lint", "lint"), ("pytest", "test")]
    assert commands(suggest(bare.db, 5, purposes=("format",))) == ["mise run fmt"]


def test_a_check_that_is_fed_is_suggested_with_what_feeds_it(bare: World):
    """It may not run without; a memory that warns of all of it counts."""
    lines = (
        ran("yes | npm test"),
        ran("cat urls | xargs curl && echo y | CI=1 make lint"),
        ran("cat a | wc"),
    )
    assert set(commands(suggested(bare, lines))) == {"yes | npm test", "echo y | CI=1 make lint"}
    memory = bare.remember("m", "`yes | npm test` fails: nothing reads it").id
    with bare.db.transaction():
        bare.db.triggers.put([memory], [Trigger("command", "yes | npm test", memory)])
    assert commands(suggest(bare.db, 9)) == ["echo y | CI=1 make lint"]


@pytest.mark.parametrize(
    ("sessions", "form"),
    [
        pytest.param([("pytest tests", RED), (WITH, GREEN)], WITH, id="the plain one failed"),
        pytest.param([(WITH, GREEN)], WITH, id="never run without"),
        pytest.param(
            [("pytest tests", RED), (WITH, GREEN), ("pytest tests", GREEN)], "pytest tests", id="mended since"
        ),
        pytest.param(
            [("pytest tests", GREEN), ("pytest tests", RED), (WITH, GREEN)], WITH, id="needed since"
        ),
        pytest.param(
            [("pytest tests", GREEN), (WITH, GREEN), ("pytest tests", GREEN)], "pytest tests", id="usual"
        ),
    ],
)
def test_variables_are_shown_where_a_command_needs_them(
    bare: World, sessions: list[tuple[str, tuple[int, int]]], form: str
):
    """The form that passed last is shown; both forms are one command."""
    found = suggested(bare, *((ran(*one),) for one in sessions))
    passed = sum(how == GREEN for _, how in sessions)
    of = f"{passed} of the last {len(sessions)} sessions" if len(sessions) > 1 else "the last session"
    assert [(one.command, one.why) for one in found] == [(form, f"ran and passed in {of}")]


def test_both_forms_in_one_session_count_once(bare: World):
    """The plain one failed there and the other passed, so that is shown."""
    (found,) = suggested(bare, (ran("pytest tests", RED), ran(WITH)))
    assert (found.command, found.why) == (WITH, "ran and passed in the last session")


def test_a_command_that_failed_in_recurring_use_is_a_check(bare: World):
    """Several sessions ran it and it failed; what never fails is none, nor what one session ran."""
    assist = (ran("pnpm assist", (3, 1)), ran("pnpm test"), ran("workmux status", (5, 0)))
    setup = (ran("pnpm prepare-db && pnpm test", (2, 0)), ran("pnpm once", (3, 1)))
    assert commands(suggested(bare, assist, assist, setup)) == ["pnpm test", "pnpm assist"]


def test_what_a_session_checked_with_counts_more_than_what_it_ran_once(bare: World):
    """Run again, or after the last edit, it was a check of the work."""
    lint, test = CommandRun("make lint", "lint", 1, 0, 1, 1), CommandRun("make test", "test", 1, 0, 9, 9)
    record(bare.db, session("s1", 1, commands=(lint, test), files=(use("a.py", edits=1),)))
    found = suggest(bare.db, 5)
    assert [(one.command, round(one.score, 2)) for one in found] == [("make test", 0.33), ("make lint", 0.17)]


def test_a_warning_of_the_plain_form_does_not_hide_the_one_that_works(bare: World):
    """A cue is some words of a command or all of one; with variables it is another command."""
    memory = bare.remember("m", "`pytest` fails without PYTHONPATH=.").id
    cues = [Trigger("command", "pytest", memory), Trigger("command", "make", memory, ("lint",))]
    with bare.db.transaction():
        bare.db.triggers.put([memory], cues)
    sessions = [(ran("PYTHONPATH=. pytest"), ran("make lint"), ran("make test"))] * 2
    assert set(commands(suggested(bare, *sessions))) == {"PYTHONPATH=. pytest", "make test"}


def test_tasks_of_the_project_come_after_what_passed_in_sessions(bare: World):
    """The file of a task is told; one that sessions ran, in any spelling, is not told twice."""
    named = [
        NamedCheck("make lint", "lint", "Makefile"),
        NamedCheck("pnpm run build", "build", "package.json"),
        NamedCheck("make test", "test", "Makefile"),
    ]
    usual = (ran("pytest"), ran("pnpm build"))
    found = suggested(bare, usual, usual, (*usual, ran("make test")), named=named)
    once, always = (f"ran and passed in {passed} of the last 3 sessions" for passed in (1, 3))
    assert [(one.command, one.why, one.ran) for one in found] == [
        ("pnpm build", always, always),
        ("pytest", always, always),
        ("make test", f"a task of Makefile; {once}", once),
        ("make lint", "a task of Makefile", ""),
    ]
    assert commands(suggest(bare.db, 9, purposes=("lint",), named=named)) == ["make lint"]


def test_a_task_that_always_fails_goes(bare: World):
    """One red session says little; two of two say that it does not work as it is."""
    named = [NamedCheck("make test", "test", "Makefile")]
    red = (ran("make test", RED),)
    assert commands(suggested(bare, red, named=named)) == ["make test"]
    assert suggested(bare, red, red, named=named) == []


def test_checks_of_other_folders_come_last(bare: World):
    """What is edited lies in one package of several: its checks come first, then those of the root."""
    lines = ("(cd api && npm test)", "(cd web && npm test)", "make lint")
    found = suggested(bare, tuple(map(ran, lines)), files=["web/src/app.tsx"])
    assert commands(found) == ["(cd web && npm test)", "make lint", "(cd api && npm test)"]
