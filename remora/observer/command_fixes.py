"""Fixes of failed commands in words: another form of the command, or commands that ran before it worked."""

from __future__ import annotations

import re
from collections.abc import Sequence

TOLD = 2  # commands in between that are named, the last ones
_FLAG = re.compile(
    r"(?:unknown|unrecognized|invalid|unexpected|no such|illegal) (?:shorthand )?(?:flag|option|argument)s?"
    r"(?: provided but not defined)?[:\s]+(?:-- )?['\"`‘]?(-{1,2}\w[\w-]*|\w(?=['\"’]?$))",
    re.IGNORECASE | re.MULTILINE,
)


def wrong_flag(message: str) -> str:
    """Return the flag that a program reports as unknown; empty if it reports none.

    >>> wrong_flag("fatal: unrecognized argument: --no-stat"), wrong_flag("unknown flag: --stat")
    ('--no-stat', '--stat')
    """
    found = _FLAG.search(message)
    return found[1] if found and found[1].startswith("-") else ""


def without_flag(message: str, failed: str, worked: str) -> str:
    """Return in words that a command worked without a wrong flag; empty if that was not the fix.

    >>> without_flag("unknown flag: --stat", "gh pr diff 3 --stat", "gh pr diff 3")
    'it works without `--stat`: `gh pr diff 3`'
    """
    flag = wrong_flag(message)
    gone = flag and flag in failed.split() and flag not in worked.split()
    return f"it works without `{flag}`: `{worked}`" if gone else ""


def with_set(variables: Sequence[str], worked: str) -> str:
    """Return in words that a command worked with some variables set.

    >>> with_set(["CI=1"], "make test")
    'it works with `CI=1`: `make test`'
    """
    return f"it works with {', '.join(f'`{v}`' for v in variables)}: `{worked}`"


def instead(worked: str) -> str:
    """Return in words that another command replaces a failed one."""
    return f"use `{worked}` instead"


def after(commands: Sequence[str]) -> str:
    """Return in words that a command worked after other commands.

    >>> after(["uv sync", "go generate ./...", "docker compose up -d"])
    'it works after `go generate ./...` and `docker compose up -d`'
    """
    return f"it works after {' and '.join(f'`{command}`' for command in commands[-TOLD:])}"


def differs(failed: str, worked: str) -> str:
    """Return the difference of two forms of a command as a key: words added and words removed.

    >>> differs("git diff a/b.py", "git diff -- a/b.py") == differs("git diff c.go", "git diff -- c.go")
    True
    """
    old, new = failed.split(), worked.split()
    came = [word for word in new if word not in old]
    went = [word for word in old if word not in new]
    return f"+{' '.join(came)} -{' '.join(went)}"


def wraps(failed: str, worked: str) -> bool:
    """Return whether one of two commands is the other one, word by word, run by another program.

    >>> wraps("composer install", "docker compose exec php composer install"), wraps("rtk make", "make")
    (True, True)
    """
    short, long = sorted((failed.split(), worked.split()), key=len)
    return 0 < len(short) < len(long) and long[-len(short) :] == short
