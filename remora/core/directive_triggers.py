"""Triggers made from what a statement forbids, wants, precedes and is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from remora.core.directive import Directive
from remora.core.stems import stem
from remora.core.things import Thing
from remora.core.triggers import (
    DONE,
    EVENT,
    IDENTIFIER,
    NOT_IN,
    ONLY,
    PATH,
    PROGRAM,
    WANTED,
    WRITE,
    Trigger,
    last_of,
)

_PROGRAM = re.compile(r"[a-z][\w.+-]*")  # the form of its name


def triggers_of(found: Directive, memory_id: str, weight: float = 1.0) -> Iterator[Trigger]:
    """Yield the triggers of a directive."""
    places = (*(ONLY + place for place in found.inside), *(NOT_IN + place for place in found.exempt))
    done = tuple(
        DONE + str(thing) for thing in found.wants if thing.kind == "command" and len(thing.words) > 1
    )
    flags = tuple(str(thing) for thing in found.wants if str(thing).startswith("-"))
    wanted = tuple(WANTED + str(thing) for thing in found.wants if thing.kind in ("command", "text"))
    alike = {last_of(thing.words[0]) for thing in found.wants if thing.kind == "name"}
    for thing in found.forbids:
        for kind, key, needs in _of_thing(thing, alike):
            yield Trigger(kind, key, memory_id, needs, weight, places + wanted * (kind == PROGRAM))
    for words in found.before:
        yield Trigger(EVENT, words[0], memory_id, words[1:], weight, (*done, *flags))
    for thing in found.passing:
        options = tuple(word for word in thing.words if word.startswith("-"))
        if thing.kind == "command" and options and not found.before:
            plain = [word.lower() for word in thing.words if word not in options]
            yield Trigger(PROGRAM, plain[0], memory_id, tuple(plain[1:]), weight, options)
    for path in found.about:
        yield Trigger(PATH, path, memory_id, (), weight, tuple(NOT_IN + place for place in found.exempt))


def _of_path(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the key and the needs of a path; a glob is found by its end, or by the folder it begins with.

    >>> _of_path("gen/"), _of_path("src/**/*.gen.go"), _of_path("gen/**")
    (('gen/', ()), ('*.gen.go', ('src/**/*.gen.go',)), ('gen/', ('gen/**',)))
    """
    if "*" not in path:
        return path, ()
    end = path.rpartition("*")[2]
    if end.startswith(".") and "/" not in end:
        return f"*{end}", (path,)
    return path.partition("*")[0].rpartition("/")[0] + "/", (path,)


def _of_thing(thing: Thing, alike: Collection[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield kind, key and needs of the triggers of a forbidden thing; `alike`: last names that are wanted."""
    words = tuple(word.lower() for word in thing.words)
    if thing.kind == "path":
        yield PATH, *_of_path(thing.words[0])
    elif thing.kind == "command":
        yield PROGRAM, words[0], words[1:]
        if len(words) == 1:
            yield WRITE, words[0], (f"word:{words[0]}",)
    elif thing.kind == "code":
        yield WRITE, _key(words[0]), (f"code:{thing.words[0]}",)
        yield PROGRAM, words[0], ()
    elif thing.kind == "text":
        yield WRITE, _key(words[0]), (f"text:{' '.join(words)}",)
        if _PROGRAM.fullmatch(thing.words[0]):
            yield PROGRAM, words[0], words[1:]
    elif thing.kind == "words":
        stems = tuple(map(stem, words))
        if stems[0] == "amend":
            yield EVENT, "commit", ("amend",)
        else:
            yield EVENT, stems[0], stems[1:]
        for one in stems if len(stems) > 1 else ():
            yield WRITE, one, (f"words:{' '.join(stems)}",)
    else:
        name = thing.words[0]
        if name.startswith("-"):
            yield EVENT, name.lower(), ()
            return
        bare = re.sub(r"/\d+$", "", name)
        plain, last = bare.removesuffix("()"), last_of(bare)
        form = "call" if name.endswith("()") else "member" if last != plain else "name"
        if last != plain and (last in alike or bare != name):
            form = "whole"  # `json.dumps` is wanted, `simplejson.dumps` is not; `Map.put/3` has its module
        yield (
            WRITE,
            _key(last.rpartition("/")[2]),
            (f"{form}:{plain if form in ('name', 'whole') else last}",),
        )
        if form == "name":
            yield PROGRAM, plain.lower(), ()


def _key(word: str) -> str:
    found = IDENTIFIER.search(word)
    return found[0].lower() if found else word.lower()
