"""Compare shell command lines: normal forms without variables and printing commands, and their parts.

A normal form is a line reduced to its programs, joined by ` && ` and ` | `, each part in its
folder, as `(cd web && CI=1 npm test)`. A known failure is one whole command, with its arguments and
variables: `pytest tests` says nothing about `python -m pytest tests`, or about a commit that mentions it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain

from remora.shell.syntax import Line, Program, parse

READ = 4_000  # characters of a line that are parsed
_PIPED = 6  # maximum number of programs in one pipe form
_PIPE = " | "
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SETS = frozenset("export declare local readonly typeset".split())
_IN_FOLDER = re.compile(r"\(cd (?P<folder>'[^']*'|[^\s']+) && (?P<command>.*)\)", re.DOTALL)
_HOW = re.compile(r"\s(?:-v|-vv|-x|-q)(?!\S)")  # options for verbosity and for stopping


def ran(line: Line, counts: Callable[[Program], bool] = lambda _: True) -> Iterator[Program]:
    """Yield the programs of a line; an assignment of a program's output yields that program.

    Args:
        line: a parsed line.
        counts: selects relevant programs of an assignment; one of them includes its whole substitution.

    >>> [one.words for one in ran(parse("make fmt; OUT=$(CI=1 pytest | tail) && echo $OUT"))]
    [('make', 'fmt'), ('pytest',), ('tail',), ('echo', '$OUT')]
    """
    for one in line.programs:
        sets = not one.words or (one.words[0] in _SETS and len(one.words) > 1)
        held = [program for inner in one.inner for program in ran(inner, counts)] if sets else []
        if not any(map(counts, held)):
            yield one
            continue
        first = held[0]
        keywords = (*one.keywords, *first.keywords)
        opens = first.opens + one.opens + 1
        held[0] = first._replace(joint=one.joint, keywords=keywords, opens=opens)
        held[-1] = held[-1]._replace(closes=held[-1].closes + one.closes + 1)
        yield from held


def bare(command: str) -> str:
    """Return a command line without the variables set for its commands.

    >>> bare("CI=1 A='x y' make lint && B=2 make test"), bare("make test A=1")
    ('make lint && make test', 'make test A=1')
    """
    if "=" not in command:
        return command
    found, at = "", 0
    for one in parse(command).programs:
        if one.words and one.variables:
            found += command[at : one.span.variables]
            at = one.span.words
    return found + command[at:]


def in_folder(folder: str, command: str) -> str:
    """Return a command with its folder in the repository, as one part of a line; "" is the root.

    >>> in_folder("web", "npm test"), in_folder("", "npm test")
    ('(cd web && npm test)', 'npm test')
    """
    from shlex import quote  # hooks do not need it

    return f"(cd {quote(folder)} && {command})" if folder else command


def without_folder(command: str) -> str:
    """Return a command without its folder.

    >>> without_folder("(cd web && CI=1 npm test)"), without_folder("npm test")
    ('CI=1 npm test', 'npm test')
    """
    found = _IN_FOLDER.fullmatch(command)
    return found["command"] if found else command


def folder_of(command: str) -> str:
    """Return the folder of a command in the repository, "" for the root.

    >>> folder_of("(cd 'my web' && npm test)"), folder_of("npm test")
    ('my web', '')
    """
    found = _IN_FOLDER.fullmatch(command)
    return found["folder"].strip("'") if found else ""


def parts_in(form: str) -> list[str]:
    """Return the parts of a normal form; a command with a folder is one part.

    >>> parts_in("make lint && (cd web && npm test)")
    ['make lint', '(cd web && npm test)']
    """
    starts, around = [0], 0
    for one in parse(form).programs:
        if one.joint == "&&" and not around:
            starts.append(one.span.joint)
        around = max(0, around + one.opens - one.closes)
    ends = [*starts[1:], len(form)]
    parts = (form[start:end].strip().removeprefix("&&") for start, end in zip(starts, ends, strict=True))
    return [part.strip() for part in parts]


def programs_in(form: str) -> list[str]:
    """Return the programs of a normal form with their variables, including those of a pipe.

    >>> programs_in("lsof -ti:3000 | xargs kill && make test")
    ['lsof -ti:3000', 'xargs kill', 'make test']
    >>> programs_in("jq '.items | length' a.json && make test")
    ["jq '.items | length' a.json", 'make test']
    """
    return [form[one.span.variables : one.span.end] for one in parse(form).programs]


def name_of(assignment: str) -> str:
    """Return the name of an assigned variable."""
    return assignment.partition("=")[0].removesuffix("+")


def written(line: Line) -> Iterator[tuple[Program, str]]:
    """Yield the programs of a line, each with its text: with all its variables, on one line.

    >>> [command for _, command in written(parse("export CI=1; pytest -x -q tests 2>&1 | tail -3"))]
    ['export CI=1', 'CI=1 pytest -x -q tests', 'CI=1 tail -3']
    """
    exported: list[str] = []
    for one in ran(line):
        yield one, " ".join(" ".join((*exported, *one.variables, *one.words)).split())
        if one.words[:1] == ("export",):
            exported += filter(ASSIGNMENT.match, one.words[1:])


def wholes_in(line: str) -> list[str]:
    """Return the commands of a line, and the beginnings of its pipes.

    >>> wholes_in("cd web && yes | make init | tail -3")
    ['cd web', 'yes', 'make init', 'tail -3', 'yes | make init', 'yes | make init | tail -3']
    """
    pipes = _pipes(line)
    longer = [_PIPE.join(pipe[:n]) for pipe in pipes for n in range(2, min(len(pipe), _PIPED) + 1)]
    return list(dict.fromkeys((*chain.from_iterable(pipes), *longer)))


def whole_of(line: str) -> str:
    """Return a line that is one command or one pipe, in the form of `wholes_in`; empty for other lines.

    >>> whole_of("yes | make -q init"), whole_of("yes && make init")
    ('yes | make init', '')
    """
    found = {_PIPE.join(pipe) for pipe in _pipes(line)}
    return found.pop() if len(found) == 1 else ""


def _pipes(line: str) -> list[list[str]]:
    """Return the commands of a line, those of a pipe together, without options for verbosity."""
    found: list[list[str]] = []
    for one, command in written(parse(line[:READ])):
        same = _HOW.sub("", command)
        if one.piped and found:
            found[-1].append(same)
        else:
            found.append([same])
    return found
