"""Match triggers of memories against a shell command line.

All the programs of the line are matched: also those in substitutions, in scripts for shells, and those
run by another program, such as `sudo` or `uv run`.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice, takewhile
from typing import NamedTuple

from remora.core.programs import (
    CONTAINERS,
    RUNNERS,
    WRAPPERS,
    script_of,
)
from remora.core.triggers import (
    MOST_KEYS,
    ONLY,
    PATTERN,
    WANTED,
    Trigger,
    marked,
)
from remora.shell.lines import READ
from remora.shell.pattern_match import Command, fits, keys_of
from remora.shell.syntax import Line, parse, plain

_HEADS = 4  # words of a command that show its action
_DEPTH = 4  # nesting of scripts
_SUBCOMMANDS = frozenset(word for name in (*RUNNERS, *CONTAINERS) for word in name.split()[1:])


class Commands(NamedTuple):
    """The words of each command of a line, without quotes, and the variables that are set for it."""

    commands: tuple[tuple[str, ...], ...]
    variables: tuple[tuple[str, ...], ...]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """Return the keys of the triggers that this line may match."""
        words = dict.fromkeys(key for command in self.placed("") for key in keys_of(command))
        return [(PATTERN, word) for word in islice(words, MOST_KEYS)]

    def placed(self, branch: str) -> Iterator[Command]:
        """Yield each command with the branch that is checked out and, if known, its folder."""
        folder = ""
        for words, variables in zip(self.commands, self.variables, strict=True):
            named = [word for word in words[1:] if word[:1] != "-"]
            pushes = named[:1] == ["push"] and not _names_nothing(words)
            of = named[-1].rpartition(":")[2] if pushes else branch
            yield Command(words, variables, folder, of, tuple(_chain(words)))
            if words[0] == "cd" and named:
                folder = named[0]
            elif words[0] == "git" and named[:1] in (["switch"], ["checkout"]) and len(named) == 2:
                branch = named[1]


def read_line(line: str) -> Commands:
    """Return the commands of a shell command line.

    >>> read_line("if ! A=1 git push; then bash -c 'git pull && x=$(git log)'; fi").commands
    (('git', 'push'), ('bash', '-c', 'git pull && x=$(git log)'), ('git', 'pull'), ('git', 'log'))
    """
    found = tuple(_commands(parse(line[:READ]), 0))
    return Commands(tuple(words for words, _ in found), tuple(variables for _, variables in found))


def asks(line: str, wanted: Collection[str]) -> bool:
    """Return whether one command of a line has all of some words; a flag may have a value.

    Words after `--` are for another program, and are matched separately, unless `--` is wanted.

    >>> [asks(f"pnpm test {rest}", ["test", "--grep"]) for rest in ("a --grep b", "--grep=a", "-- --grep a")]
    [True, True, False]
    >>> asks("git commit -m 'one; two' --x", ["git", "--x"]), asks("uv run -- pytest --x", ["pytest", "--x"])
    (True, True)
    """
    return any(_has_all(words, wanted) for words in read_line(line).commands)


def _has_all(words: Sequence[str], wanted: Collection[str]) -> bool:
    if "--" in words and "--" not in wanted:
        at = list(words).index("--")
        return _has_all(words[:at], wanted) or _has_all(words[at + 1 :], wanted)
    return {*words, *(word.partition("=")[0] for word in words if word[:1] == "-")}.issuperset(wanted)


def _commands(line: Line, deep: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for one in line.programs:
        words = tuple(map(plain, one.words))
        if words:
            yield words, one.variables
        scripts = [parse(script)] if deep < _DEPTH and (script := script_of(words)) else []
        for inner in (*one.inner, *scripts):
            yield from _commands(inner, deep + 1)
    for inner in chain.from_iterable(document.inner for document in line.documents):
        yield from _commands(inner, deep + 1)


def sets_off(line: Commands, trigger: Trigger, branch: str = "", ran: Collection[str] = ()) -> bool:
    """Return whether a command of a line has a pattern, and nothing that is wanted ran before it.

    A rule of a folder is about edits there: the folder that a command works on is unknown.

    Args:
        line: the command line, before it runs.
        trigger: of the kind PATTERN, found by one of the line's keys.
        branch: the checked-out branch; `git push` without a branch pushes it.
        ran: marks (`mark`) of the commands that ran since the last change.
    """
    if marked(trigger, ONLY):
        return False
    wanted = {mark(" ".join(takewhile(_is_bare, one.split()))) for one in marked(trigger, WANTED)}
    done = set(ran)
    for command in line.placed(branch):
        if wanted.isdisjoint(done) and fits(command, trigger):
            return True
        done.update(_marks_of(command.words))
    return False


def _is_bare(word: str) -> bool:
    return not word.startswith("-")


def mark(command: str) -> str:
    """Return a short hash of a command, so that a log of commands contains no text of them."""
    return f"{zlib.crc32(' '.join(command.lower().split()).encode('utf-8', 'replace')):08x}"


def marks(command: str) -> list[str]:
    """Return the marks of the commands of a line: of the first one to four words of each."""
    found = (one for words in read_line(command).commands for one in _marks_of(words))
    return list(islice(dict.fromkeys(found), 40))


def _marks_of(words: Sequence[str]) -> Iterator[str]:
    """Yield the marks of a command, and of the one that it runs: `uv run pytest`, `pytest`."""
    for begin in dict.fromkeys(
        (0, *(at for at, word in enumerate(words[:_HEADS]) if word in _programs(words)))
    ):
        for length in range(1, min(len(words) - begin, _HEADS) + 1):
            yield mark(" ".join(words[begin : begin + length]))


def _programs(words: Sequence[str]) -> list[str]:
    """Return the program of a command, and those that it runs."""
    return [name for at, name in enumerate(_chain(words)) if not at or name not in _SUBCOMMANDS]


def _chain(words: Sequence[str]) -> list[str]:
    """Return the program of a command, and those that it runs, with the subcommands that run them."""
    found: list[str] = []
    for word in words:
        if word.startswith("-"):
            continue
        name = word.rpartition("/")[2].lower()
        found.append(name)
        if name not in WRAPPERS or len(found) > 3:
            break
    return found


def _names_nothing(words: Sequence[str]) -> bool:
    """Return whether a push names no branch: `git push`, `git push origin`."""
    plain = [word for word in words[words.index("push") + 1 :] if not word.startswith("-")]
    return len(plain) < 2 or plain[-1].upper() == "HEAD"
