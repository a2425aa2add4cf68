"""Merge a model's version of a text with a person's version, line by line.

Both started from the same base. Lines of the base that both kept in place divide the text; between two of
them, the version with changes is used. If both have changes, the person's lines are used; lines only added by
the model follow them, and the remaining ones are returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_LINES = 5_000  # of a text; comparing takes time that grows with their square


class Merged(NamedTuple):
    """The merged text, and the lines of the update that are not in it."""

    text: str
    unmerged: tuple[str, ...] = ()


def merge(base: str, person: str, update: str) -> Merged:
    r"""Return the person's text with the update's changes to the base.

    >>> merge("a\nb", "a\nb\nmine", "A\nb")
    Merged(text='A\nb\nmine', unmerged=())
    >>> merge("a\nb", "a1\nb", "a2\nb")
    Merged(text='a1\nb', unmerged=('a2',))
    """
    if person == update or update == base:
        return Merged(person)
    if person == base:
        return Merged(update)
    base_lines, person_lines, update_lines = _lines(base), _lines(person), _lines(update)
    if max(len(base_lines), len(person_lines), len(update_lines)) > MOST_LINES:
        return Merged(person, tuple(update_lines))
    merged: list[str] = []
    unmerged: list[str] = []
    at = (0, 0, 0)
    for stable in _stable(base_lines, person_lines, update_lines):
        old, mine, theirs = (
            lines[begin:end]
            for lines, begin, end in zip((base_lines, person_lines, update_lines), at, stable, strict=True)
        )
        kept, lost = _between(old, mine, theirs)
        merged += kept
        unmerged += lost
        if stable[0] < len(base_lines):
            merged.append(base_lines[stable[0]])
        at = (stable[0] + 1, stable[1] + 1, stable[2] + 1)
    return Merged("\n".join(merged), tuple(line for line in unmerged if line.strip()))


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _stable(
    base: Sequence[str], person: Sequence[str], update: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    """Yield the positions of the base's lines that both versions kept, and finally the three ends."""
    in_person, in_update = _places(base, person), _places(base, update)
    for at in sorted(in_person.keys() & in_update.keys()):
        yield at, in_person[at], in_update[at]
    yield len(base), len(person), len(update)


def _places(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    blocks = SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()
    return {b.a + i: b.b + i for b in blocks for i in range(b.size)}


def _between(old: list[str], mine: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines to keep between two stable ones, and the lost lines of the update."""
    if mine == theirs or theirs == old:
        return mine, []
    if mine == old:
        return theirs, []
    new = [line for line in theirs if line not in old and line not in mine]
    if not old:
        return mine + new, []
    return mine, new
