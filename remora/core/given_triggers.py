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
from remora.core.stems import stem
from remora.core.text import STOP_WORDS
from remora.core.things import EVENTS, Thing, by_form
from remora.core.triggers import (
    BRANCH,
    BUT,
    DONE,
    EVENT,
    IF,
    LINE,
    PATH,
    PROGRAM,
    TOUCH,
    WANTED,
    WRITE,
    Trigger,
    key_of,
    of_path,
    of_thing,
)

_BEFORE = re.compile(rf"(?:{ORDER}|when|at|on)\s+(?:(?:{EACH}|the|an?|opening|creating)\s+)*", re.IGNORECASE)


def given_triggers(
    told: Mapping[str, Sequence[str]], memory_id: str, weight: float = 1.0
) -> Iterator[Trigger]:
    """Yield the triggers of a memory for which somebody gave patterns.

    >>> told = {"forbids": ["console.log("], "when": ["src/"], "unless": ["src/cli/"]}
    >>> [(one.kind, one.key, one.unless) for one in given_triggers(told, "m")]
    [('write', 'console', ('if:src/', 'but:src/cli/'))]
    """
    forbids, wants, when, unless = (
        [one.strip().strip("`") for one in told.get(name, ())]
        for name in ("forbids", "wants", "when", "unless")
    )
    but = tuple(BUT + one for one in unless)
    done = tuple(DONE + one for one in wants if len(one.split()) > 1)
    if forbids:
        only = tuple(IF + one for one in when)
        excused = tuple(WANTED + one for one in wants)
        for pattern in forbids:
            wider = tuple(BUT + one for one in wants if pattern in one and pattern != one)
            for kind, key, needs in _keys(pattern):
                yield Trigger(kind, key, memory_id, needs, weight, (*only, *but, *wider, *excused))
    elif when:
        met = tuple(BUT + one for one in wants)
        for pattern in when:
            for kind, key, needs in _keys(pattern, place=True):
                yield Trigger(kind, key, memory_id, needs, weight, (*but, *met, *done))
    else:
        for one in wants:  # a command that must have its flags
            words = one.split()
            plain = [word.lower() for word in words if not word.startswith("-")]
            if plain and len(plain) < len(words):
                yield Trigger(PROGRAM, plain[0], memory_id, tuple(plain[1:]), weight, (*but, BUT + one))


def _keys(pattern: str, *, place: bool = False) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield kind, key and needs of the triggers of a pattern; `place`: a word may be a part of a path."""
    if pattern.startswith(BRANCH):
        return
    words = _BEFORE.sub("", pattern).split()
    plain = [word.lower() for word in words if word.lower() not in STOP_WORDS]
    if plain and stem(plain[0]) in EVENTS:
        yield EVENT, stem(plain[0]), tuple(map(stem, plain[1:]))
        return
    thing = by_form(pattern) if len(words) == 1 else None
    if thing is not None and thing.kind == "path":
        yield PATH, *of_path(thing.words[0])
        return
    if len(words) == 1 and re.fullmatch(r"[a-z][a-z0-9-]*", pattern):
        yield from of_thing(Thing("command" if pattern in PROGRAMS else "name", (pattern,)))
    elif words:
        yield WRITE, key_of(pattern), (LINE + pattern,)
        if re.fullmatch(r"[a-z][\w+-]*", words[0]):
            yield PROGRAM, words[0].lower(), tuple(word.lower() for word in words[1:] if word != "...")
        elif words[0].startswith("-"):
            yield EVENT, words[0].lower(), ()
    if place and len(words) == 1:
        yield TOUCH, stem(pattern), ()
