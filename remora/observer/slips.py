"""Slips in a command line that tell what was wrong by themselves: a flag there is not, a `cd` too many."""

from __future__ import annotations

import re

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


def already_there(call: Call) -> bool:
    """Return whether a `cd` failed because the shell was where it should lead, as the host recorded."""
    cwd = call.extra.get("cwd")
    if not isinstance(cwd, str) or not _NO_FOLDER.search(call.text):
        return False
    target = next((m[2] for m in _CD.finditer(call.command)), "").strip("/").removeprefix("./")
    return bool(target) and f"/{cwd}".endswith(f"/{target}")
