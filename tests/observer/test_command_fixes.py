"""Slips in a command line that tell what was wrong.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.observer.command_fixes import differs, wrong_flag


@pytest.mark.parametrize(
    ("message", "flag"),
    [
        ("unknown flag: --stat", "--stat"),
        ("fatal: unrecognized argument: --no-stat", "--no-stat"),
        ("unknown option `--bar'", "--bar"),
        ("unknown command: list", ""),
        ("the flag is unknown", ""),
    ],
)
def test_a_flag_that_is_not_there(message: str, flag: str) -> None:
    """Programs say it in several ways."""
    assert wrong_flag(message) == flag


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("pytest -q", "uv run pytest -q"), ("pytest tests/a.py", "uv run pytest tests/a.py")),
        (("git diff src/a.py", "git diff -- src/a.py"), ("git diff b.go", "git diff -- b.go")),
        (("bd status --short", "bd status"), ("bd list --short", "bd list")),
    ],
)
def test_the_same_correction_of_two_commands(one: tuple[str, str], other: tuple[str, str]) -> None:
    """What came and what went is the same, whatever the rest of the command is."""
    assert differs(*one) == differs(*other)
