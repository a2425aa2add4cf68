"""Normalize shell commands: one normal form for all runs of a command, and the command's purpose.

`cd /repo && FOO=1 go test ./... 2>&1 | tail -20` is `go test ./...`, a test. Only the usual tools of many
languages are known; other programs are "other" or, for a program of the project, "run".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from remora.core.programs import CHECKS, FILTERS, MOVES, QUIET, RANK, TESTS
from remora.shell.lines import ASSIGNMENT, READ, in_folder, name_of, ran
from remora.shell.location import Place, entered, seen_from
from remora.shell.purposes import check_of, purpose_of, unwrapped
from remora.shell.syntax import Program, parse, plain

_NORMAL = 200  # characters of a normal form
_ARGUMENT = 40  # characters of a quoted argument
_VALUE = 60  # characters of a variable's value

_TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/folders)/[^\s'\"]*")

_SMALL = QUIET | TESTS
_MASKING = ("|", "|&", ";", "\n", "||")  # joints that hide the exit code of the program before them
_HIDING = frozenset("! if elif while until for select case".split())


class Command(NamedTuple):
    """A parsed command line.

    Attributes:
        normal: its normal form; empty if it only reads or prints.
        purpose: see `events.CommandRun`.
        parts: the programs in order, without mere pipe filters.
        variables: environment variables set for it, each with its value, in order.
        masked: whether a pipe, a second command or a condition hides the exit code of the first.
        shown: the programs of the normal form: the index of the part, and its text with its variables; those
            of a pipe are one item, by its first part.
    """

    normal: str
    purpose: str
    parts: tuple[Program, ...]
    variables: tuple[str, ...]
    masked: bool
    shown: tuple[tuple[int, str], ...] = ()


@lru_cache(maxsize=512)
def command_form(command: str, cwd: str = "") -> Command:
    """Return the parsed form of a command line; `cwd` is removed from its paths.

    >>> command_form("cd /w/app && CI=1 go test ./... 2>&1 | tail -5", "/w/app")[:2]
    ('go test ./...', 'test')
    """
    programs = _ran(command)
    parts = tuple(compress(_exporting(programs, cwd), _telling(programs)))
    doing = [n for n, s in enumerate(parts) if s.words and s.words[0] not in _SMALL]
    shown = _pipes(parts, doing or [n for n, s in enumerate(parts) if s.words])
    normal = " && ".join(" | ".join(_shown(parts[n], cwd) for n in pipe) for pipe in shown)
    purposes = [_purpose(parts[n].words) for n in doing] or ["look" if shown else "other"]
    variables = [v for s in parts for v in s.variables]
    return Command(
        normal[:_NORMAL].strip(),
        min(purposes, key=lambda p: RANK[p]),
        parts,
        tuple(dict.fromkeys(variables)),
        any(one.joint in _MASKING or not _HIDING.isdisjoint(one.keywords) for one in programs),
        tuple((pipe[0], " | ".join(_with_variables(parts[n], cwd) for n in pipe)) for pipe in shown),
    )


def _ran(command: str) -> tuple[Program, ...]:
    """Return the programs of a line, including checks in substitutions of assignments."""
    return tuple(ran(parse(command[:READ]), lambda one: purpose_of(one.words) in CHECKS))


def _purpose(words: tuple[str, ...]) -> str:
    """Return the purpose of a program; for an unknown one, the purpose that its words indicate."""
    known = purpose_of(words)
    return (check_of(words) or known) if known in ("run", "other") else known


def _telling(programs: tuple[Program, ...]) -> list[bool]:
    """Return for each program whether it is relevant: not a filter at the end of a pipe.

    Programs that only read the output of a check are filters, too.
    """
    found: list[bool] = []
    looks = False
    for before, one in zip((None, *programs), programs, strict=False):
        looks = one.piped and (looks or bool(before and check_of(before.words)))
        found.append(not looks)
    feeds = False
    for n, one in reversed(list(enumerate(programs))):
        found[n] = feeds or (found[n] and not (one.piped and _program(one) in FILTERS))
        feeds = found[n] and one.piped
    return found


def _pipes(parts: tuple[Program, ...], shown: list[int]) -> list[list[int]]:
    """Return the indices of the shown programs, those of a pipe together."""
    found: list[list[int]] = []
    for n in shown:
        if parts[n].piped and found and found[-1][-1] == n - 1:
            found[-1].append(n)
        elif not (parts[n].piped and _program(parts[n]) in FILTERS):  # otherwise it filters the output
            found.append([n])
    return found


class Ran(NamedTuple):
    """A command line with its variables and folders.

    Attributes:
        text: the normal form with the variables of each of its programs, and with its folder, if that is
            not the folder in which the session began; without programs that ran outside of it.
        purpose: the purpose of these programs.
        whole: whether no program ran outside.
    """

    text: str
    purpose: str
    whole: bool


@lru_cache(maxsize=512)
def as_run(command: str, cwd: str, place: Place) -> Ran:
    """Return a command line with the variables and folders of its programs.

    >>> line = "make fmt && cd web && CI=1 npm test; cd ../../other && npm test"
    >>> as_run(line, "/w/app", Place("/w/app", "/w/app"))
    Ran(text='make fmt && (cd web && CI=1 npm test)', purpose='test', whole=False)
    """
    parsed = command_form(command, cwd)
    limit = (2 if parsed.variables else 1) * _NORMAL
    folders = _folders(command, place)
    if folders is None:
        text = " && ".join(text for _, text in parsed.shown)
        return Ran(text[:limit].strip(), parsed.purpose, whole=True)
    kept = [(n, folder, text) for n, text in parsed.shown if (folder := folders[n]) is not None]
    text = ""
    for _, folder, part in kept:
        longer = f"{text} && " if text else ""
        longer += in_folder(folder, part[:limit])
        if text and len(longer) > limit:
            break
        text = longer
    purposes = [_purpose(parsed.parts[n].words) for n, _, _ in kept]
    purpose = min(purposes, key=lambda p: RANK[p]) if purposes else parsed.purpose
    whole = len(kept) == len(parsed.shown)
    return Ran(text.strip(), parsed.purpose if whole else purpose, whole)


def _folders(command: str, place: Place) -> list[str | None] | None:
    """Return the folder of each part relative to the session's first folder, None for a folder outside of it.

    Return None instead of a list if all ran in that folder, or if the parentheses are unbalanced.
    """
    if place.folder == place.home and "cd" not in command and "pushd" not in command:
        return None
    programs = _ran(command)
    if sum(one.opens for one in programs) != sum(one.closes for one in programs):
        return None
    folder, before, around, pushed = place.folder, place.folder, list[str](), list[str]()
    found: list[str | None] = []
    for one, tells in zip(programs, _telling(programs), strict=True):
        around += [folder] * one.opens
        if one.words and one.words[0] in MOVES:
            to = list(map(plain, one.words[1:]))
            pushed += [folder] if one.words[0] == "pushd" else []
            if one.words[0] == "popd":
                to = [pushed.pop() if pushed else place.folder]
            elif to[:1] == ["-"]:
                to = [before]
            elif "--show-toplevel" in " ".join(to):
                to = [place.home]
            folder, before = entered(folder, to), folder
        if tells:
            found.append(seen_from(place.home, folder))
        for _ in range(min(one.closes, len(around))):
            folder = around.pop()
    return found


def _exporting(programs: tuple[Program, ...], cwd: str) -> Iterator[Program]:
    """Yield the programs with all their variables: their own, and those exported before."""
    exported: dict[str, str] = {}
    for program in programs:
        exports = program.words[:1] == ("export",)
        if not (exports or exported or program.variables):
            yield program
            continue
        texts = program.words[1:] if exports else program.variables
        given = {name_of(text): _assigned(text, cwd) for text in texts if ASSIGNMENT.match(text)}
        if exports:
            exported |= given
        yield program if exports else program._replace(variables=tuple((exported | given).values()))


def _assigned(text: str, cwd: str) -> str:
    name, _, value = _placed(text, cwd).partition("=")
    if len(value) > _VALUE:
        value = f"{value[: _VALUE - 2]}…" + (value[0] if value[0] in "'\"" else "")
    return f"{name}={value}"


def _program(simple: Program) -> str:
    words = unwrapped(simple.words)
    return words[0] if words else ""


def _shown(simple: Program, cwd: str) -> str:
    shown: list[str] = []
    for word in simple.words:
        text = _placed(word, cwd)
        if (text[:1] in "'\"" and simple.words[:2] == ("git", "commit")) or "$(cat <<" in text:
            text = "'…'"
        elif text[:1] in "'\"" and len(text) > _ARGUMENT:
            text = f"{text[: _ARGUMENT - 2]}…{text[0]}"
        shown.append(" ".join(text.split()))
    return " ".join(shown)


def _with_variables(simple: Program, cwd: str) -> str:
    return " ".join((*simple.variables, _shown(simple, cwd)))


def _placed(word: str, cwd: str) -> str:
    """Return a word with paths relative to the session's folder, and with temporary paths masked."""
    if cwd and cwd in word:
        word = word.replace(f"{cwd}/", "").replace(cwd, ".")
    return _TEMPORARY.sub("<tmp>", word) if "tmp/" in word or "/var/" in word else word
