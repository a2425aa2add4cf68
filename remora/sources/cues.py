"""Build the word patterns that rules and commit messages are recognised by."""

from __future__ import annotations

import re


def any_of(alternatives: str) -> str:
    """Return one regular-expression group out of alternatives that stand apart by white space.

    A dot in an alternative is any character, so "make.sure" is how a space is written.

    >>> any_of("must never make.sure")
    '(?:must|never|make.sure)'
    """
    return f"(?:{'|'.join(alternatives.split())})"


def whole(alternatives: str) -> str:
    """Return the same group, matching whole words only."""
    return rf"\b{any_of(alternatives)}\b"


def cue(*patterns: str) -> re.Pattern[str]:
    """Return one pattern, blind to case, out of several; any of them may match."""
    return re.compile("|".join(patterns), re.IGNORECASE)
