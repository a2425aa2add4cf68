"""Triggers that a caller gives a memory: lists of patterns that a later command or edit is held against.

    forbids   the memory is shown at an action that has one of them
    when      with `forbids`: the action must have one of these, too; alone: shown at an action that has one
    wants     not shown at an action that has what is wanted, or after that command ran
    unless    not shown at an action that has one of these

A pattern is an event ("commit", "before each release"), a path or glob, a command, or code. A command has all
words of the pattern in any order, `-f` for `--force`; an edit has the code on an added line, where `...`
matches any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from remora.core.directive_words import EACH, ORDER
from remora.core.programs import PROGRAMS
from remora.core.query import named_paths
from remora.core.stems import stem
from remora.core.text import STOP_WORDS
from remora.core.things import EVENTS
from remora.core.triggers import (
    BRANCH,
    BUT,
    DONE,
    EVENT,
    IF,
    LINE,
    PROGRAM,
    TOUCH,
    WANTED,
    WRITE,
    Trigger,
    is_place,
    key_of,
    of_place,
)
from remora.core.values import TRIGGER_FIELDS

_BEFORE = re.compile(rf"(?:{ORDER}|when|at|on)\s+(?:(?:{EACH}|the|an?|opening|creating)\s+)*", re.IGNORECASE)


def given_triggers(
    told: Mapping[str, Sequence[str]], memory_id: str, weight: float = 1.0
) -> Iterator[Trigger]:
    """Yield the triggers of a memory for which somebody gave patterns.

    >>> told = {"forbids": ["console.log("], "when": ["src/"], "unless": ["src/cli/"]}
    >>> [(one.kind, one.key, one.unless) for one in given_triggers(told, "m")]
    [('write', 'console', ('but:src/cli/', 'if:src/'))]
    """
    forbids, when, wants, unless = (
        [one.strip().strip("`") for one in told.get(name, ())] for name in TRIGGER_FIELDS
    )
    conditions = [BUT + one for one in unless]
    if forbids:
        conditions += [*(IF + one for one in when), *(WANTED + one for one in wants)]
    else:
        conditions += [*(BUT + one for one in wants), *(DONE + one for one in wants if " " in one)]
    # A command that must have its flags is the moment itself.
    flagged = [" ".join(word for word in one.split() if word[:1] != "-") for one in wants if " -" in one]
    for pattern in forbids or when or flagged:
        act, on, branch = f" {pattern}".rpartition(f" {BRANCH}")
        on_branch = bool(on) and (not act or act.endswith(" on"))  # "git branch -D" names none
        here = [IF + BRANCH + branch] if on_branch else []
        for kind, key, needs in _keys(act.removesuffix(" on") if here else pattern, place=not forbids):
            yield Trigger(kind, key, memory_id, needs, weight, (*here, *conditions))


def _keys(pattern: str, *, place: bool) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield kind, key and needs of the triggers of a pattern; `place`: a word may be a part of a path."""
    words = _BEFORE.sub("", pattern).split()
    plain = [word.lower() for word in words if word.lower() not in STOP_WORDS]
    if plain and stem(plain[0]) in EVENTS:
        yield EVENT, stem(plain[0]), tuple(map(stem, plain[1:]))
    elif is_place(pattern) or (len(words) == 1 and named_paths(pattern)):
        yield from of_place(pattern)
    elif len(words) == 1 and re.fullmatch(r"[a-z][a-z0-9-]*", pattern):
        kind = "word" if pattern in PROGRAMS else "name"
        yield WRITE, key_of(pattern), (f"{kind}:{pattern}",)
        yield PROGRAM, pattern, ()
        if place:
            yield TOUCH, stem(pattern), ()
    elif words:
        yield WRITE, key_of(pattern), (LINE + pattern,)
        if re.fullmatch(r"[a-z][\w+-]*", words[0]):
            yield PROGRAM, words[0], (LINE + pattern,)
        if words[0][0] == "-":
            yield EVENT, words[0].lower(), ()
        if place and len(words) == 1:
            yield TOUCH, stem(pattern), ()
