"""Checks of what was edited alone: `go test ./auth/...` where sessions that edited auth/ ran that.

A habit is a check with a gap in the place of files or folders that its session had edited. It is told as the
check would be for what is edited now, for the folders of most files. Other words would be put into somebody's
shell, so little passes: a program that is itself a formatter, a linter or a test runner, not what runs any
script; files and folders as plain words, not what an option is given, and none that was not edited then.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from remora.core.purposes import purpose_of, unwrapped
from remora.core.shell import folder_of, in_folder, without_folder
from remora.graph.testing import is_test_path

PLACES = 2  # folders of what is edited now that a habit is told for
FILES = 3  # files that are named in one command
_KINDS = ("format", "lint", "test")
_RUN_ANYTHING = re.compile(
    r"(?:python|pypy|py|node|deno|bun|ruby|perl|php|bash|sh|zsh|pwsh|java|make|just|task|rake)[\d.]*"
    r"|\.{0,2}/.*"
)
_SWITCHES = frozenset("--fix --check --diff --write -w -l -s -race -short --quiet".split())  # take no value
# Options that pick tests by a name, which those of another file do not have.
_PICKING = frozenset("-t -g -e -m -n -k -run --grep --filter --testNamePattern --test-name-pattern".split())
_PROSE = frozenset(".md .mdx .rst .txt .adoc".split())
_UNPLAIN = re.compile(r"""['"`$*?\[\]{}<>\\~]""")
_PATH = re.compile(r"(?P<lead>(?:\./)?)(?P<path>[\w@+.-]+(?:/[\w@+.-]+)*?)(?P<tail>/\.\.\.|/)?")


class Habit(NamedTuple):
    """A check with a gap.

    Attributes:
        purpose: "format", "lint" or "test".
        before, after: the words around the gap.
        lead, tail: what stands around each path in it, "./" and "/...".
        of_files: whether files stand in it, or their folders.
        place: the folder that it is run in, "" for the root.
        ending: of the files, with the dot.
        tests: whether all of the files hold tests.
    """

    purpose: str
    before: str
    after: str
    lead: str
    tail: str
    of_files: bool
    place: str
    ending: str
    tests: bool


class Narrowed(NamedTuple):
    """A check of what is edited now, and for how many files it is: a share of the most of its habit."""

    command: str
    share: float


Habits = dict[Habit, set[tuple[str, str]]]  # with the sessions and commands that show them
Told = dict[Habit, list[Narrowed]]  # for what is edited now


def habits(commands: Iterable[tuple[str, str]], edited: Mapping[str, Collection[str]]) -> Habits:
    """Return the habits that commands show.

    Args:
        commands: sessions and what passed in them, in normal form.
        edited: what each session edited.
    """
    found: defaultdict[Habit, set[tuple[str, str]]] = defaultdict(set)
    for session, command in commands:
        if habit := _of(command, edited.get(session, ())):
            found[habit].add((session, command))
    return dict(found)


def narrowed(habit: Habit, files: Sequence[str]) -> list[Narrowed]:
    """Return the commands of a habit for some files, the one for most of them first."""
    if not files:
        return []
    below = f"{habit.place}/" if habit.place else ""
    here = [path.removeprefix(below) for path in files if path.startswith(below)]
    fitting = [path for path in here if path.endswith(habit.ending) and path[0] != "-"]
    if habit.tests or habit.of_files:
        fitting = [path for path in fitting if is_test_path(path) == habit.tests]
    if habit.of_files:
        gaps = [(fitting[:FILES], len(fitting[:FILES]))] if fitting else []
    else:
        folders = Counter(folder for path in fitting if (folder := posixpath.dirname(path)))
        gaps = [([folder], count) for folder, count in folders.most_common(PLACES)]
    return [
        Narrowed(in_folder(habit.place, _filled(habit, paths)), count / gaps[0][1]) for paths, count in gaps
    ]


def reaches(command: str, files: Iterable[str]) -> bool:
    """Return whether a command names one of some files, or a folder above one.

    >>> reaches("pytest tests/", ["tests/a/test_b.py"]), reaches("go test ./auth/...", ["authors/a.go"])
    (True, False)
    """
    place = folder_of(command)
    named = [
        word.removeprefix("./").removesuffix("...").rstrip("/") for word in without_folder(command).split()
    ]
    paths = [posixpath.join(place, path) for path in named if path]
    return any(file == path or file.startswith(f"{path}/") for file in files for path in paths)


def _filled(habit: Habit, paths: Sequence[str]) -> str:
    gap = " ".join(shlex.quote(f"{habit.lead}{path}{habit.tail}") for path in paths)
    return " ".join(filter(None, (habit.before, gap, habit.after)))


def _of(command: str, edited: Collection[str]) -> Habit | None:
    """Return the habit that a check of a session shows; None if it shows none."""
    place, plain = folder_of(command), without_folder(command)
    words, bare_words = plain.split(), unwrapped(tuple(plain.split()))
    purpose = purpose_of(tuple(words))
    if (
        not bare_words
        or purpose not in _KINDS
        or _UNPLAIN.search(plain)
        or not _PICKING.isdisjoint(words)
        or _RUN_ANYTHING.fullmatch(bare_words[0])
    ):
        return None
    below = f"{place}/" if place else ""
    here = [path.removeprefix(below) for path in edited if path.startswith(below)]
    own = len(words) - len(bare_words) + 1  # where the words behind the program begin
    named = [
        n
        for n, word in enumerate(words)
        if n >= own and word[:1] != "-" and (word in here or _pathlike(word))
    ]
    if not named or named[-1] - named[0] != len(named) - 1:
        return None
    before = words[named[0] - 1]
    found = [_PATH.fullmatch(words[n]) for n in named]
    given = before.startswith("-") and "=" not in before and before not in _SWITCHES
    if given or not all(found):
        return None
    shapes = {(one["lead"], one["tail"] or "") for one in found if one}
    paths = {one["path"] for one in found if one}
    of_files = paths.issubset(here)
    if len(shapes) != 1 or not (of_files or paths <= {posixpath.dirname(path) for path in here} - {""}):
        return None
    within = [path for path in here if (path if of_files else posixpath.dirname(path)) in paths]
    endings = Counter(ending for path in within if (ending := posixpath.splitext(path)[1]) not in _PROSE)
    if not endings or not (ending := endings.most_common(1)[0][0]):
        return None
    tests = all(is_test_path(path) for path in within if path.endswith(ending))
    before, after = " ".join(words[: named[0]]), " ".join(words[named[-1] + 1 :])
    return Habit(purpose, before, after, *shapes.pop(), of_files, place, ending, tests)


def _pathlike(word: str) -> bool:
    return "/" in word or bool(posixpath.splitext(word)[1])
