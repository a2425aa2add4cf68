"""File changes as changed lines: which change undoes another, and descriptions in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.text import shorten

_SIDE = 140  # characters of each side of a change
_IMPORTS = re.compile(
    r"""\s*(?:(?:import|from|use|require|\#include)\b|(?:[\w.]+ )?"[\w@./-]+"\s*$|[()]\s*$)"""
)


class Change(NamedTuple):
    """A change of a file: the differing lines before and after it."""

    path: str
    before: str
    after: str
    step: int
    order: int
    flat: tuple[str, str]  # both sides, each on one line


def undoes(change: Change, earlier: Change) -> bool:
    """Return whether a change restores the text that an earlier one replaced; white space is ignored."""
    return len(earlier.after) >= 12 and change.flat == (earlier.flat[1], earlier.flat[0])


def only_imports(change: Change) -> bool:
    """Return whether a change touches only import lines."""
    lines = [line for line in (change.before + "\n" + change.after).split("\n") if line.strip()]
    return bool(lines) and all(_IMPORTS.match(line) for line in lines)


def decisive(changes: Sequence[Change], message: str, output: str) -> Change:
    """Return the change that most likely fixed a failure: one of a file that it names, or the last.

    Args:
        changes: those since the failure, at least one.
        message: the error line of its output.
        output: the whole output.
    """
    named = [c for c in changes if c.path.rsplit("/", 1)[-1] in message]
    named = named or [c for c in changes if c.path.rsplit("/", 1)[-1] in output]
    telling_ones = [c for c in named or changes if not only_imports(c)]
    return (telling_ones or named or changes)[-1]


def told(change: Change, files: int) -> str:
    """Return a change in words.

    Args:
        change: the change to describe.
        files: number of files changed along with it, including its own.
    """
    before, after = shorten(change.before, _SIDE), shorten(change.after, _SIDE)
    more = f" (and {files - 1} more files)" if files > 2 else " (and another file)" if files == 2 else ""
    if before and after:
        return f"changed `{change.path}`: `{before}` became `{after}`{more}"
    if after:
        return f"added to `{change.path}`: `{after}`{more}"
    if before:
        return f"removed from `{change.path}`: `{before}`{more}"
    return f"wrote `{change.path}`{more}"
