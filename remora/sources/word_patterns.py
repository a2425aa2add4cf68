"""Build the word patterns for rules and commit messages."""

from __future__ import annotations

import re


def any_of(alternatives: str) -> str:
    """Return one regular-expression group of alternatives separated by white space.

    A dot in an alternative is any character, so "make.sure" is how a space is written.

    >>> any_of("must never make.sure")
    '(?:must|never|make.sure)'
    """
    return f"(?:{'|'.join(alternatives.split())})"


def whole(alternatives: str) -> str:
    """Return the same group, matching whole words only."""
    return rf"\b{any_of(alternatives)}\b"


def cue(*patterns: str) -> re.Pattern[str]:
    """Return one case-insensitive pattern that matches any of several patterns."""
    return re.compile("|".join(patterns), re.IGNORECASE)


# The verbs that most instructions about software begin with. A list ten times as long finds no more rules in
# files that it was not made from, and more that are none (`rule_pieces` in benchmarks/README.md).
VERBS = any_of("""
    add avoid build call check commit create define do document ensure follow handle import include keep make
    move name open place push put read return run set store tag test update use verify write
""")
