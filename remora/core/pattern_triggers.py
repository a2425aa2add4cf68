"""Triggers made from four lists of patterns (`remora.core.patterns`).

forbids   the memory is shown at an action that has one of them
when      with `forbids`: the action must have one of these, too; alone: shown at an action that has one
wants     not shown at an action that has one of these, or after such a command ran
unless    not shown at an action that has one of these
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from remora.core.directive import Directive
from remora.core.patterns import key_of, parse
from remora.core.programs import PROGRAMS
from remora.core.stems import stem
from remora.core.things import EVENTS, Thing
from remora.core.triggers import BUT, DEPENDENCY, IF, PATTERN, WANTED, WHEN, Trigger
from remora.core.values import TRIGGER_FIELDS

Patterns = dict[str, tuple[str, ...]]  # by TRIGGER_FIELDS; a missing list is empty

_SPELT = {**EVENTS, stem(DEPENDENCY): f"new {DEPENDENCY}"}


def patterns_of(found: Directive) -> Iterator[Patterns]:
    """Yield lists of patterns, each of which makes triggers by itself.

    >>> from remora.core.directive import directive
    >>> list(patterns_of(directive("Never push to main")))
    [{'forbids': ('push to main',), 'when': (), 'wants': (), 'unless': ()}]
    >>> list(patterns_of(directive("Run `make fmt` before each commit")))
    [{'when': ('commit',), 'wants': ('make fmt',), 'unless': ()}]
    """
    commands = tuple(str(thing) for thing in found.wants if thing.kind in ("command", "text"))
    flags = tuple(str(thing) for thing in found.wants if str(thing).startswith("-"))
    instead = () if found.before else commands  # otherwise they are steps before the event
    for wants, things in (
        ((), [thing for thing in found.forbids if thing.kind == "words"]),
        (instead, [thing for thing in found.forbids if thing.kind != "words"]),
    ):
        if forbids := tuple(dict.fromkeys(text for thing in things if (text := _pattern(thing)))):
            yield {"forbids": forbids, "when": found.inside, "wants": wants, "unless": found.exempt}
    if when := tuple(dict.fromkeys(map(_event, found.before))):
        steps = tuple(one for one in commands if " " in one)  # `git` alone is no step before a commit
        yield {"when": when, "wants": (*steps, *flags), "unless": found.exempt}
    if found.about:
        yield {"when": found.about, "unless": found.exempt}


def _pattern(thing: Thing) -> str:
    """Return the pattern of a forbidden thing; empty for a phrase that names nothing.

    >>> [_pattern(Thing("name", (one,))) for one in ("reset()", "Map.put/3", "@org/pkg")]
    ['reset(', 'Map.put', '@org/pkg']
    >>> [_pattern(Thing("words", words)) for words in (("push", "--force", "main"), ("bad", "code"))]
    ['push to main --force', '']
    """
    if thing.kind == "words":
        return _event(thing.words) if stem(thing.words[0]) in EVENTS else ""
    if thing.kind == "name":
        name = re.sub(r"/\d+$", "", thing.words[0])
        if "/" in name and name[0] != "@":
            return f"...{name}"  # an import, and no place
        return "" if parse(name).event else name.removesuffix(")") if name.endswith("()") else name
    return str(thing)


def _event(words: tuple[str, ...]) -> str:
    """Return the pattern of an event: its word, the first other one as its target, and its flags."""
    at = next((n for n, word in enumerate(words) if word in EVENTS or stem(word) in EVENTS), 0)
    act = _SPELT.get(words[at], words[at])
    if at and words[at - 1] in PROGRAMS:
        return f"{words[at - 1]} {act}"  # "before terraform apply"
    flags = [word for word in words if word.startswith("-")]
    aims = [word for n, word in enumerate(words) if n != at and word not in (*flags, "pr", "prs", "request")]
    target = ("to", aims[0]) if aims and act not in ("amend", "pr") else ()
    return " ".join((act, *target, *flags))


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
