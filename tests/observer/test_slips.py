"""Slips in a command line that tell what was wrong.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.observer.slips import THERE, by_another_name, instead, wrong_flag
from tests.observer.script import Script, observed


@pytest.mark.parametrize(
    ("message", "flag"),
    [
        ("unknown flag: --stat", "--stat"),
        ("fatal: unrecognized argument: --no-stat", "--no-stat"),
        ("error: unexpected argument '--foo' found", "--foo"),
        ("unknown option `--bar'", "--bar"),
        ("unknown command: list", ""),
        ("the flag is unknown", ""),
    ],
)
def test_a_flag_that_is_not_there(message: str, flag: str) -> None:
    """Programs say it in several ways."""
    assert wrong_flag(message) == flag


def test_the_same_command_without_the_flag() -> None:
    """Session 3b1b6293: what worked, and what was left out."""
    script = Script().step().run("gh pr diff 104 --stat", "Exit code 1\nunknown flag: --stat", error=True)
    script.step().run("gh pr diff 104 --name-only", "a.go")
    (error,) = observed(script).errors
    assert error.resolved_how == "without `--stat` it worked: `gh pr diff 104 --name-only`"


def test_a_cd_to_where_the_shell_is() -> None:
    """Session 4fec7ea0: the recorded folder ends with the one that was not found."""
    told = "Exit code 1\n(eval):cd:1: no such file or directory: cmd/cli/strategy"
    there = Script().step()
    there.call(
        "Bash",
        "run",
        told,
        error=True,
        command="cd cmd/cli/strategy && go test .",
        extra={"cwd": "cmd/cli/strategy"},
    )
    (error,) = observed(there).errors
    assert (error.resolved, error.resolved_how) == (True, THERE)
    elsewhere = (
        Script().step().run("cd /tmp/gone && ls", told.replace("cmd/cli/strategy", "gone"), error=True)
    )
    assert [e.resolved for e in observed(elsewhere).errors] == [False]


@pytest.mark.parametrize(
    ("failed", "worked", "same"),
    [
        ("pytest -q", "python -m pytest -q", True),
        ("cat a | jq .x", "cat a && ./bin/jq .x", True),
        ("yes | pytest", "yes | python -m pytest", True),
        ("pytest", "make test", False),
        ("  ", "b", False),
        ("", "b", False),
        ("pytest", " && ", False),
        ("make lint && ", "b", False),
        ("7 a", "8 a", False),
    ],
)
def test_a_program_by_another_name(failed: str, worked: str, *, same: bool) -> None:
    """A line without words, or a program without a name, is none."""
    message = f"bash: {failed}: 7: pytest: jq: command not found"
    assert by_another_name(failed, message, instead(worked)) == same
