"""Match triggers of memories against a shell command line.

All the programs of the line are matched: also those in substitutions, in scripts for shells, and those
run by another program, such as `sudo` or `uv run`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice, takewhile
from typing import NamedTuple

from remora.core.edit_match import lies
from remora.core.programs import (
    CONTAINERS,
    RUNNERS,
    WRAPPERS,
    script_of,
)
from remora.core.stems import stem
from remora.core.triggers import (
    DEPENDENCY,
    DONE,
    EVENT,
    GIVEN,
    INTO,
    MOST_KEYS,
    NOT_IN,
    ONLY,
    PROGRAM,
    WANTED,
    Trigger,
    marked,
)
from remora.shell.lines import READ
from remora.shell.pattern_match import Command, adds_package, fits, keys_of
from remora.shell.syntax import Line, parse, plain

_HEADS = 4  # words of a command that show its action
_NO_VERB = re.compile(r"[\s/.|]")
_DEPTH = 4  # nesting of scripts
# Flags that most programs shorten to their first letter.
_SHORTENED = frozenset(map(stem, "force recursive delete interactive global all verbose quiet".split()))
_AT_BRANCH = frozenset("commit merge rebase".split())  # they change the branch that is checked out
_GOES_ON = frozenset("--abort --continue --quit --skip".split())
_SHOWS = frozenset("list ls view show status".split())
_SUBCOMMANDS = frozenset(word for name in (*RUNNERS, *CONTAINERS) for word in name.split()[1:])


class Commands(NamedTuple):
    """The words of each command of a line, without quotes, and the variables that are set for it."""

    commands: tuple[tuple[str, ...], ...]
    variables: tuple[tuple[str, ...], ...]

    @property
    def keys(self) -> list[tuple[str, str]]:
        """Return the keys of the triggers that this line may match."""
        found: dict[tuple[str, str], None] = {}
        for words in self.commands:
            found |= dict.fromkeys((PROGRAM, program) for program in _programs(words))
            found |= dict.fromkeys((EVENT, head) for head in _heads(words))
        for command in self.placed(""):
            found |= dict.fromkeys((GIVEN, key) for key in keys_of(command))
        return list(found)[: 2 * MOST_KEYS]

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
    """Return whether a command line matches a trigger.

    Args:
        line: the command line, before it runs.
        trigger: of kind PROGRAM, EVENT or GIVEN, found by one of the line's keys.
        branch: the checked-out branch; `git push` without a branch pushes it.
        ran: marks (`mark`) of the commands that ran since the last change.
    """
    if trigger.kind == GIVEN:
        return _has_given(line, trigger, branch, ran)
    done = (one.split()[:_HEADS] for one in marked(trigger, DONE))
    if any(mark(" ".join(words)) in ran for words in done):
        return False
    wanted = [one for one in trigger.unless if one.startswith("-")]
    asked = [one.lower().split() for one in marked(trigger, WANTED)]
    denied = {trigger.key, *trigger.needs}
    exempt = marked(trigger, NOT_IN)
    at = trigger.needs.index(INTO) if INTO in trigger.needs else len(trigger.needs)
    needs, target = trigger.needs[:at], trigger.needs[at + 1 :]
    for words in line.commands:
        paths = [part for word in words for part in word.split("=") if "/" in part]
        if any(lies(part, place) for part in paths for place in exempt):
            continue
        said = set(map(str.lower, words))
        if "--help" in said:
            continue
        if any(said.issuperset(one) and not _breaks(words, denied, one) for one in asked):
            continue  # it is the command that is asked for
        if trigger.kind == EVENT and not (_GOES_ON.isdisjoint(words) and _SHOWS.isdisjoint(words[1:3])):
            continue  # `git merge --abort` begins no merge, `gh release list` no release
        keys = _programs(words) if trigger.kind == PROGRAM else _heads(words)
        if trigger.key in keys and not any(_has(words, flag, ()) for flag in wanted):
            here = not _AT_BRANCH.isdisjoint(words) or ("push" in words and _names_nothing(words))
            beside = (branch.lower(),) if branch and here and "git" in _chain(words) else ()
            kinds = (*beside, *(one.partition("/")[0] for one in beside))  # "release" of "release/2.4"
            aimed = all(_has((), one, kinds) for one in target)
            if aimed and all(_has(words, one, beside) for one in needs):
                return True
    return False


def _has_given(line: Commands, trigger: Trigger, branch: str, ran: Collection[str]) -> bool:
    """Return whether a command of a line fits a given pattern, and nothing that is wanted ran before it.

    A rule of a folder is about edits there: the folder that a command works on is unknown.
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


def _breaks(words: Sequence[str], denied: Collection[str], asked: Collection[str]) -> bool:
    """Return whether a command has a denied word, in any form, beside those that are asked for."""
    rest = [word for word in words if word.lower() not in asked]
    return any(_has(rest, need, ()) for need in denied if need not in asked)


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


def _heads(words: Sequence[str]) -> list[str]:
    """Return the stems of the words that show a command's action, and its flags.

    After the program, or the program that it runs, files and texts are objects of the action and excluded.
    """
    plain = [word for word in words if not word.startswith("-")][:_HEADS]
    ran = len(_chain(words))
    said = [word for number, word in enumerate(plain) if number < ran or not _NO_VERB.search(word)]
    found = [stem(part) for word in said for part in re.split(r"[^\w-]|_", word) if part]
    found += [stem(DEPENDENCY)] if adds_package(words) else []
    return ["pr" if one == "mr" else one for one in found] + [w.lower() for w in words if w.startswith("-")]


def _has(words: Sequence[str], need: str, beside: Sequence[str]) -> bool:
    """Return whether a command has a word, in another form or as a flag: `-f` and `--force` for "force"."""
    need = need.lower()
    bare = need.lstrip("-")
    for word in (*words, *beside):
        low = word.lower()
        if low == need or low.partition("=")[0] == need:
            return True
        if low.startswith("-") and stem(bare) in map(stem, low.lstrip("-").split("-")):
            return True
        if re.fullmatch(r"-[a-zA-Z]+", word) and not need.startswith("--no-"):
            shortened = need.startswith("-") or stem(bare) in _SHORTENED
            short = need[1] if re.fullmatch(r"-\w", need) else bare[:1]
            if shortened and short in low[1:]:
                return True
        if not low.startswith("-") and not need.startswith("-"):
            parts = re.split(r"[:@=]|refs/heads/|^(?:origin|upstream)/", low)
            if need in parts or not {need, stem(need)}.isdisjoint(map(stem, parts)):
                return True
    return False


def _names_nothing(words: Sequence[str]) -> bool:
    """Return whether a push names no branch: `git push`, `git push origin`."""
    plain = [word for word in words[words.index("push") + 1 :] if not word.startswith("-")]
    return len(plain) < 2 or plain[-1].upper() == "HEAD"
