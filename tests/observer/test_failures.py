"""Errors that come back, with what resolved them."""

from __future__ import annotations

import pytest

from remora.core.events import ErrorSeen
from remora.core.values import Taint
from remora.observer.candidate import Candidate, Rejected
from remora.observer.failures import failures
from remora.observer.seen import KEPT
from remora.observer.slips import THERE
from tests.observer.sessions import met, on, seen_of

IGNORED = "The following paths are ignored by one of your .gitignore files: .entire"


def of(*errors: ErrorSeen) -> list[Candidate | Rejected]:
    """Return what the last of some sessions proposes, each of which met one error."""
    sessions = [on(5 + n, f"s{n}", errors=(error,)) for n, error in enumerate(errors)]
    return list(failures(sessions[-1], seen_of(*sessions)))


def test_a_known_resolution_makes_a_pattern() -> None:
    """Two sessions met it; the newest that was resolved the usual way is told."""
    way = "changed `git.go`: `git add .entire` became `git add .claude`"
    (found,) = of(met(IGNORED, way, resolved_paths=("git.go",)), met(IGNORED, ""))
    assert isinstance(found, Candidate)
    assert found.draft.content == (
        f"`make lint` fails with “{IGNORED}”; what resolved it: {way}. (seen in 2 sessions, last 2026-01-06)"
    )
    assert (found.draft.type, found.draft.related_files, found.draft.branch) == (
        "error_pattern",
        ("git.go",),
        None,
    )
    assert found.draft.confidence == pytest.approx(0.7)
    assert found.seen.sessions == 2


def test_what_is_met_all_the_time_is_counted_to_the_end() -> None:
    """Only the newest meetings are known at length; all of them are counted."""
    way = "`git add -f .entire` worked instead"
    sessions = [on(5, f"s{n}", errors=(met(IGNORED, way),)) for n in range(KEPT + 10)]
    (found,) = failures(sessions[-1], seen_of(*sessions))
    assert isinstance(found, Candidate)
    assert f"(seen in {KEPT + 10} sessions, last 2026-01-05)" in found.draft.content
    assert found.why == f"met in {KEPT + 10} sessions, resolved in {KEPT} of the last {KEPT}"


def test_twice_in_one_session_is_enough() -> None:
    """An error that was met again and then resolved needs no second session; it stays on its branch."""
    (found,) = of(met(IGNORED, "`git add -f .entire` worked instead", count=3))
    assert isinstance(found, Candidate)
    assert (found.needs, found.draft.branch) == (1, "main")


def test_what_came_before_a_taint_stands_by_itself() -> None:
    """Two clean meetings are a pattern without the third, which adds nothing and taints nothing."""
    way, other = "`git add -f .entire` worked instead", "`git add .` worked instead"
    (found,) = of(met(IGNORED, way), met(IGNORED, way), met(IGNORED, other, taint=Taint("https://x", 3)))
    assert isinstance(found, Candidate)
    assert (found.draft.taint, found.seen.sessions) == (None, 2)
    assert other not in found.draft.content
    assert (found.draft.citation_text, (found.draft.payload or {})["steps"]) == (None, [12])


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("<tool_use_error>File has not been read yet.</tool_use_error>", "harness"),
        ("FAIL example.com/cli 1.718s", "says nothing"),
        ("--- FAIL: TestList (0.46s)", "says nothing"),
        ("1 failed, 2 passed in 0.12s", "says nothing"),
        ("✖ 1 problem (1 error, 0 warnings)", "says nothing"),
        ("BUILD FAILED in 3s", "says nothing"),
        ("a.go:3:2: undefined: regexp", "being written"),
        ("a.go:3:2: declared and not used: repo", "being written"),
        ("--- FAIL: TestList (0.46s): expected 2, got 1", "assertion"),
        ("ls: cmd/x: No such file or directory", "mistyped"),
        ("CONFLICT (content): Merge conflict in a.go", "passing state"),
        ("a.go:3:2: type x is unused (unused)", "by itself"),
        ("a.ts(3,5): error TS2345: Argument of type 'x'", "being written"),
    ],
)
def test_work_is_no_pattern(message: str, why: str) -> None:
    """What belongs to the harness, to writing code, to one test or to a typo is left out, with the reason."""
    (found,) = of(met(message), met(message))
    assert isinstance(found, Rejected)
    assert why in found.why


@pytest.mark.parametrize(
    "message",
    [
        "app.errors.InputValidationError: DATABASE_URL is empty",
        "OSError: posix_spawn of the worker was not allowed",
        "UserRejectedRequestError: User rejected the request.",
    ],
)
def test_an_error_that_sounds_like_the_harness_is_a_pattern(message: str) -> None:
    """Only what the host itself says is the harness's."""
    way = "with `DATABASE_URL=x` set: `make test`"
    (found,) = of(met(message, way), met(message, way))
    assert isinstance(found, Candidate)
    assert message in found.draft.content


def test_slips_in_everyday_commands_teach_nothing() -> None:
    """A wrong flag of `git show` is nobody's pattern; one of a tool with fewer users may be."""
    message, way = "fatal: unrecognized argument: --no-stat", "`git show HEAD` worked instead"
    (slip,) = of(*[met(message, way, command="git show --no-stat HEAD")] * 2)
    assert isinstance(slip, Rejected)
    (kept,) = of(
        *[met("unknown flag: --stat", "`gh pr diff` worked instead", command="gh pr diff --stat")] * 2
    )
    assert isinstance(kept, Candidate)


def test_a_shell_that_is_elsewhere_is_no_typo() -> None:
    """The path was right, the shell had gone there before."""
    message = "(eval):cd:1: no such file or directory: cmd/cli"
    (found,) = of(*[met(message, THERE, command="go test .")] * 2)
    assert isinstance(found, Candidate)
    assert found.draft.content.startswith(f"`cd` fails with “{message}”; what resolved it: the shell was")


@pytest.mark.parametrize(
    "message",
    [
        'ERROR:  relation "users" does not exist',
        'FATAL:  database "app" does not exist',
        'FATAL:  role "app" does not exist',
        "(NoSuchBucket): The specified bucket does not exist",
        "Topic orders does not exist",
    ],
)
def test_what_a_service_lacks_is_no_typo(message: str) -> None:
    """It was made in between; where the command was typed anew, it was a typo after all."""
    way = "after `alembic upgrade head`"
    (found,) = of(*[met(message, way)] * 2)
    assert isinstance(found, Candidate)
    assert f"what resolved it: {way}" in found.draft.content
    (slip,) = of(*[met(message, "`psql app -c 'select 1'` worked instead")] * 2)
    assert isinstance(slip, Rejected)


@pytest.mark.parametrize(
    ("failed", "message", "worked"),
    [
        ("pytest -q", "/bin/bash: line 1: pytest: command not found", "uv run pytest -q"),
        ("pytest -q", "zsh: command not found: pytest", "(cd api && CI=1 poetry run pytest -q)"),
        ("pytest -q", "bash: pytest: command not found", "python3 -m pytest -q"),
        ("ruff check . && pytest", "bash: pytest: command not found", "ruff check . && uv run pytest"),
        ("python app.py", "/bin/bash: line 1: python: command not found", "python3 app.py"),
        ("tsc --noEmit", "/bin/sh: 1: tsc: not found", "npx tsc --noEmit"),
        ("eslint .", "sh: eslint: command not found", "./node_modules/.bin/eslint ."),
        ("eslint .", 'exec: "eslint": executable file not found in $PATH', "pnpm exec eslint ."),
    ],
)
def test_a_program_that_has_another_name_here_is_no_typo(failed: str, message: str, worked: str) -> None:
    """Two sessions found it by another name or through what runs it; one alone may have been a slip."""
    error = met(message, f"`{worked}` worked instead", command=failed)
    (found,) = of(error, error)
    assert isinstance(found, Candidate)
    assert f"what resolved it: `{worked}` worked instead." in found.draft.content
    (waits,) = of(error._replace(count=2))
    assert isinstance(waits, Rejected)
    assert "mistyped" in waits.why or "passing" in waits.why


@pytest.mark.parametrize(
    ("failed", "message", "worked"),
    [
        ("pytset -q", "bash: pytset: command not found", "pytest -q"),
        ("pytset -q", "bash: pytset: command not found", "uv run pytest -q"),
        ("pytest -q", "bash: pytest: command not found", "make test"),
        ("pytest tets", "ERROR: file or directory not found: tets", "uv run pytest tests"),
        ("python ap.py", "python: can't open file 'ap.py': No such file or directory", "python3 app.py"),
    ],
)
def test_a_mistyped_program_or_argument_stays_one(failed: str, message: str, worked: str) -> None:
    """Another program did it, or the program was there."""
    (found,) = of(*[met(message, f"`{worked}` worked instead", command=failed)] * 2)
    assert isinstance(found, Rejected)
    assert "mistyped" in found.why


@pytest.mark.parametrize(
    "message",
    ["config/x.json does not exist", "path database/x does not exist", "file src/table.py does not exist"],
)
def test_a_path_that_is_not_there_is_a_typo(message: str) -> None:
    """Whatever it is called."""
    (found,) = of(*[met(message, "after `make build`")] * 2)
    assert isinstance(found, Rejected)
    assert "mistyped" in found.why


def test_an_unresolved_or_single_error_waits() -> None:
    """Nobody knows the remedy, or it may never come back."""
    (unknown,) = of(met(IGNORED, ""), met(IGNORED, "it worked when run again"))
    (single,) = of(met(IGNORED))
    assert isinstance(unknown, Rejected)
    assert isinstance(single, Rejected)
    assert (unknown.why, single.why) == ("nobody knows what resolved it", "seen once, 2 sessions are needed")


def test_taint_of_any_meeting_follows() -> None:
    """A pattern rests on all its meetings."""
    way = "`git add -f .entire` worked instead"
    (found,) = of(met(IGNORED, way, taint=Taint("https://x", 3)), met(IGNORED, way))
    assert isinstance(found, Candidate)
    assert found.draft.taint == Taint("https://x", 3)
