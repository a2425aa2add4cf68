"""Slips in a command line: a flag there is not, a `cd` too many, a missing variable, the wrong command.

What resolved such a one is told in words that `in_command` knows again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.observer.calls import Call

THERE = (
    "the shell was already in that folder, for a `cd` lasts from one command to the next: leave it out,"
    " or go by absolute paths"
)
_FLAG = re.compile(
    r"(?:unknown|unrecognized|invalid|unexpected|no such|illegal) (?:shorthand )?(?:flag|option|argument)s?"
    r"(?: provided but not defined)?[:\s]+(?:-- )?['\"`‘]?(-{1,2}\w[\w-]*|\w(?=['\"’]?$))",
    re.IGNORECASE | re.MULTILINE,
)
_IN_COMMAND = re.compile(r"(?:with(?:out)? `.+` (?:set|it worked): `.+`|`.+` worked instead)$", re.DOTALL)
_NO_FOLDER = re.compile(r"\bcd:(?:\d+:)?.*no such file or directory", re.IGNORECASE)
_CD = re.compile(r"(?:^|&&|;)\s*cd\s+(['\"]?)([^\s'\";&|]+)\1")


def wrong_flag(message: str) -> str:
    """Return the flag that a program says it does not have; empty if it says nothing like it.

    >>> wrong_flag("fatal: unrecognized argument: --no-stat"), wrong_flag("unknown flag: --stat")
    ('--no-stat', '--stat')
    """
    found = _FLAG.search(message)
    return found[1] if found and found[1].startswith("-") else ""


def without_flag(message: str, failed: str, worked: str) -> str:
    """Return in words how a command worked once a wrong flag was left out; empty if that is not it.

    >>> without_flag("unknown flag: --stat", "gh pr diff 3 --stat", "gh pr diff 3")
    'without `--stat` it worked: `gh pr diff 3`'
    """
    flag = wrong_flag(message)
    gone = flag and flag in failed.split() and flag not in worked.split()
    return f"without `{flag}` it worked: `{worked}`" if gone else ""


def with_set(variables: Sequence[str], worked: str) -> str:
    """Return in words how a command worked once variables were set.

    >>> with_set(["CI=1"], "make test")
    'with `CI=1` set: `make test`'
    """
    return f"with {', '.join(f'`{v}`' for v in variables)} set: `{worked}`"


def instead(worked: str) -> str:
    """Return in words that another command did what one failed to do."""
    return f"`{worked}` worked instead"


def in_command(how: str) -> bool:
    """Return whether what resolved an error was another form of the command, not a change of anything.

    >>> in_command("`make test` worked instead"), in_command("changed `a.py`: `x` became `y`")
    (True, False)
    """
    return _IN_COMMAND.match(how) is not None


def already_there(call: Call) -> bool:
    """Return whether a `cd` failed because the shell was where it should lead, as the host recorded."""
    cwd = call.extra.get("cwd")
    if not isinstance(cwd, str) or not _NO_FOLDER.search(call.text):
        return False
    target = next((m[2] for m in _CD.finditer(call.command)), "").strip("/").removeprefix("./")
    return bool(target) and f"/{cwd}".endswith(f"/{target}")
