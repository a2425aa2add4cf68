"""Triggers: the actions at which a memory is shown, made from its directive.

    program   a command that runs it                        key: the program; needs: words beside it
    event     a command that is such an event               key: its stem ("commit"); needs: further stems
    write     an edit that adds it                          key: one of its words; needs: the searched form
    path      an edit below a path                          key: a file, a folder with a slash at its end, or
                                                            the end of a glob ("*.gen.go"); needs: the glob
    output    a failed command with the output              key: its rarest word; needs: the other words
    error     a failed command                              key: the fingerprint of its error
    command   a command that failed because of itself       key: a word of it, or all; needs: further words
    term      an edit that names it                         key: an identifier
    search    a search for it                               key: a pattern, a name
    given     a command or an edit that has a pattern       key: a word of it; needs: the pattern, WHEN

`unless` holds the conditions that suppress the memory: a flag of the command, a command that ran since the
last change, a place. Triggers are made when a memory is stored, and matched in hooks: edits by
`remora.core.edit_match`, shell commands by `remora.shell.trigger_match`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from remora.core.stems import stem

if TYPE_CHECKING:
    from remora.core.directive import Directive
    from remora.core.things import Thing

PROGRAM, EVENT, WRITE, PATH = "program", "event", "write", "path"
OUTPUT, ERROR, COMMAND, TERM, SEARCH = "output", "error", "command", "term", "search"
GIVEN = "given"
AT_EDITS = (WRITE, PATH, GIVEN)
# Marks in `unless`: applies only in one of these, not there, done already, the command that is wanted.
ONLY, NOT_IN, DONE, WANTED = "only:", "not:", "done:", "wanted:"
# The same of patterns that a caller gives: the action must have one of these, and none of those.
IF, BUT = "if:", "but:"
WHEN = "when"  # in `needs` of a given pattern: it is a moment, and nothing is forbidden
DEPENDENCY = "dependency"  # the event of adding a package to the project
INTO = "into"  # in `needs` of a merge: the branch that is checked out follows
MOST_KEYS = 600  # of one edit or command line
TESTS = ("test", "spec")  # stems of folders and files of tests
IDENTIFIER = re.compile(r"[^\W\d]\w*(?:-\w+)*")
_PROGRAM = re.compile(r"[a-z][\w.+-]*")  # the form of its name
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")


class Trigger(NamedTuple):
    """One trigger of a memory; of several memories with one key, the highest weight comes first."""

    kind: str
    key: str
    memory_id: str
    needs: tuple[str, ...] = ()
    weight: float = 1.0
    unless: tuple[str, ...] = ()


def marked(trigger: Trigger, mark: str) -> list[str]:
    """Return the conditions of a trigger that have a mark, without it."""
    return [one.removeprefix(mark) for one in trigger.unless if one.startswith(mark)]


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


def last_of(name: str) -> str:
    """Return the last part of a qualified name, without the parentheses of a call."""
    return re.split(r"\.|::|->", name.removesuffix("()"))[-1]


def _key(word: str) -> str:
    found = IDENTIFIER.search(word)
    return found[0].lower() if found else word.lower()
