"""The environment variables that a line of commands sets: `CI=1 pytest` is `pytest` with one."""

from __future__ import annotations

import re

_SET = re.compile(
    r"""(?:^|(?<=&&[ ]))(?:[A-Za-z_]\w*=(?:'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\\.|[^\s'"\\])*\s+)+""",
    re.DOTALL,
)


def bare(command: str) -> str:
    """Return a line of commands without the variables set for them.

    >>> bare("CI=1 A='x y' make lint && B=2 make test"), bare("make test A=1")
    ('make lint && make test', 'make test A=1')
    """
    return _SET.sub("", command) if "=" in command else command


def name_of(assignment: str) -> str:
    """Return the name of a variable that is set."""
    return assignment.partition("=")[0]
