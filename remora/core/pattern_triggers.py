"""Triggers made from four lists of patterns (`remora.core.patterns`).

forbids   the memory is shown at an action that has one of them
when      with `forbids`: the action must have one of these, too; alone: shown at an action that has one
wants     not shown at an action that has one of these, or after such a command ran
unless    not shown at an action that has one of these
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from remora.core.patterns import key_of, parse
from remora.core.triggers import BUT, IF, PATTERN, WANTED, WHEN, Trigger
from remora.core.values import TRIGGER_FIELDS


def pattern_triggers(
    told: Mapping[str, Sequence[str]], memory_id: str, weight: float = 1.0
) -> Iterator[Trigger]:
    """Yield the triggers of a memory that has patterns, by the names of their lists.

    >>> told = {"forbids": ["console.log("], "when": ["src/"], "unless": ["src/cli/"]}
    >>> [(one.key, one.needs, one.unless) for one in pattern_triggers(told, "m")]
    [('console', ('console.log(',), ('if:src/', 'but:src/cli/'))]
    """
    forbids, when, wants, unless = (told.get(name, ()) for name in TRIGGER_FIELDS)
    conditions = (
        *(IF + one for one in (when if forbids else ())),
        *(BUT + one for one in unless),
        *(WANTED + one for one in wants),
    )
    shown = forbids or when or [act for one in wants if (act := _without_flags(one))]
    for given in dict.fromkeys(shown):
        pattern = parse(given)
        if pattern.text:  # not a branch alone
            needs = (given,) if forbids else (given, WHEN)
            yield Trigger(PATTERN, key_of(given), memory_id, needs, weight, conditions)


def _without_flags(wanted: str) -> str:
    """Return the command that must have flags, up to the first one; empty if there is none."""
    words = wanted.split()
    act = list(takewhile(lambda word: not word.startswith("-"), words))
    return " ".join(act) if 0 < len(act) < len(words) else ""
