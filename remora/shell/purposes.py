"""Determine a program's purpose from its words: the usual tools of many languages, and runners."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from remora.core.programs import (
    CHECKS,
    CONTAINERS,
    FILTERS,
    HANDS,
    MANAGERS,
    MANAGING,
    PURPOSE,
    RUNNERS,
    SEVERAL,
    TASKS,
    VALUED,
    names,
)
from remora.shell.lines import ASSIGNMENT, without_folder
from remora.shell.syntax import parse

_VERSIONED = re.compile(r"(python|pip)3?(?:\.\d+)?")
_PIECES = re.compile(r"[:_.\-/]+|(?<=[a-z])(?=[A-Z])")
_GENERAL = names("check checks ci verify all run")  # vague words: other words of the name are more specific
_TASK_OF: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (purpose, re.compile(rf"\A(?:{'|'.join(pattern.split())})", re.IGNORECASE))
    for purpose, pattern in (
        (
            "test",
            r"""tests? testing test(?:all|suite|fast|unit|s?ci) specs? e2e bench\w* checks? checkall ci verify
            cov coverage unit integration smoke
            (?:unit|int|integration|py|doc|func|functional|acceptance|smoke|load|go|js|all|api|ui)tests?""",
        ),
        (
            "lint",
            r"""\w*lint(?:ers?|ing)? vet typecheck(?:s|ing)? types? mypy pyright analy[sz]e audit clippy
            static ruff flake8 tsc shellcheck""",
        ),
        ("format", r"fmt format(?:ting|ter)? prettier style tidy black isort gofmt rustfmt"),
        (
            "build",
            r"""build\w* compile dist bundle install gen generate codegen assemble package release all
            proto\w* deps setup""",
        ),
        ("run", r"run dev serve server start watch up demo preview"),
    )
)
_BUILDS = re.compile(
    r"build|compile|bundle|assemble|package\b|\btsc\b|\ball$|\bjavac\b|\bg?cc\b|\bninja\b|\bcmake\b"
)
_TOOL = r"^(?:\S*/)?(?:(?:npm|pnpm|yarn|bun)\s(?:(?:run|exec)\s)?)?"  # also with a path, or a manager
# Commands that check no code, or are incomplete: the variable of a loop is unknown outside of it. A variable
# with an unusual name is a setting, and set wherever the command runs.
_IDLE = re.compile(
    r"\s(?:--?(?:help|version|no-run|collect-only|co|list|list-?[tT]ests|show-?[cC]onfig|print-config)|-h)"
    rf"(?=[\s=]|$)|{_TOOL}ctest\b.*\s(?:-N|--show-only)\b"
    rf"|{_TOOL}(?:vitest|cargo(?:\s\+\S+)?\snextest|tox)\slist(?=\s|$)"
    r"|\$\{?(?:\w|(?:test_?)?(?:file|dir|path)(?:name)?|fname|folder|pkg|package|module|mod|crate|test|spec"
    r"|item|line)\b"
)
_UNNAMED = "test"  # the purpose of a check that only its runs show
_SAYING = 3  # words of an unknown program that may show its purpose, its name first
_PLAIN_WORD = re.compile(r"-{0,2}[A-Za-z][\w:.-]*")


@lru_cache(maxsize=1024)
def purpose_of(words: tuple[str, ...]) -> str:
    """Return the purpose of a program by its words.

    >>> purpose_of(("npx", "tsc", "--noEmit")), purpose_of(("mise", "run", "test:ci"))
    ('lint', 'test')
    >>> purpose_of(("uv", "run", "--extra", "dev", "pytest")), purpose_of(("make", "-C", "web", "lint"))
    ('test', 'lint')
    """
    words = _without(unwrapped(words), CONTAINERS)
    if not words:
        return "other"
    first = program_of(words)
    rest = _asked(first, words[1:])
    two = f"{first} {rest[0]}" if rest else first
    if first in ("sed", "perl", "awk") and any(w.startswith(("-i", "--in-place")) for w in words[1:]):
        return "other"  # it changes files
    if first == "tsc" and "--noEmit" in words:
        return "lint"
    if first in ("gofmt", "ruff") and "-l" in words and "-w" not in words:
        return "lint"
    if first in MANAGING or (rest and rest[0] in MANAGING):
        asked = rest if first in MANAGING else rest[1:]
        return (_task(asked[0]) if asked else "other").replace("other", "run")
    for program, asked in ((two, rest[1:]), (first, rest)):
        if program in TASKS and (asked or first == "make"):
            return _first_task(first, asked or ["all"]) or PURPOSE.get(program, "other")
    if first in MANAGERS and rest and two not in PURPOSE:
        return _first_task(first, rest) or PURPOSE.get(rest[0], "other")
    known = PURPOSE.get(two) or PURPOSE.get(first)
    if known:
        return known
    return "run" if words[0].startswith(("./", "../")) or words[0].endswith((".sh", ".py")) else "other"


def _first_task(program: str, tasks: list[str]) -> str:
    """Return the purpose of the tasks that a program is asked for; empty if unknown."""
    told = map(_task, tasks if program in SEVERAL else tasks[:1])
    return next((purpose for purpose in told if purpose != "other"), "")


def check_of(words: tuple[str, ...]) -> str:
    """Return the kind of check that a program is, one of CHECKS; empty if it checks nothing.

    Installing and generating belong to a build and check nothing; nor does a program that only lists or
    compiles tests, or lacks the variable of its loop.

    >>> check_of(("go", "vet")), check_of(("go", "build")), check_of(("pip", "install", "requests"))
    ('lint', 'build', '')
    >>> check_of(("pytest", "--co")), check_of(("pytest", "$f"))
    ('', '')
    >>> check_of(("rtk", "bun", "run", "test")), check_of(("node", "scripts/lint-docs.mjs"))
    ('test', 'lint')
    """
    if words[:2] in (("command", "-v"), ("command", "-V")):
        return ""  # it only looks up a program
    purpose = purpose_of(words)
    if purpose in ("run", "other"):
        behind = unwrapped(words)[1:]  # of an unknown program that runs another one
        known = purpose_of(behind) if purpose == "other" and program_of(words) not in HANDS else ""
        purpose = known if known in CHECKS else _said(words, script=purpose == "run")
    if purpose not in CHECKS or (purpose == "build" and not _BUILDS.search(" ".join(words))):
        return ""
    return "" if _IDLE.search(" ".join(_without(unwrapped(words), CONTAINERS))) else purpose


def check_in(part: str, *, shown: bool = False) -> str:
    """Return the kind of check of one part of a normal form: of the last program of a pipe that is no filter.

    Args:
        part: of a normal form.
        shown: whether its runs show that it is a check, whatever its words are.

    >>> check_in("(cd web && yes | CI=1 npm test)"), check_in("pytest | tail"), check_in("pytest | xargs rm")
    ('test', 'test', '')
    >>> check_in("pnpm assist"), check_in("pnpm assist", shown=True), check_in("ls", shown=True)
    ('', 'test', '')
    """
    programs = [one.words for one in parse(without_folder(part)).programs]
    telling = [words for words in programs if FILTERS.isdisjoint(unwrapped(words)[:1])]
    words = (telling or programs or [()])[-1]
    return check_of(words) or (_UNNAMED if shown and could_check(words) else "")


def could_check(words: tuple[str, ...]) -> bool:
    """Return whether a program may be a check despite its words: its runs in sessions decide.

    >>> could_check(("pnpm", "assist")), could_check(("ls", "-la")), could_check(("pnpm", "assist", "--help"))
    (True, False, False)
    """
    plain = unwrapped(words)
    if purpose_of(words) not in ("run", "other") or purpose_of(plain[1:]) in ("look", "vcs"):
        return False
    return program_of(plain) not in (*HANDS, "") and not _IDLE.search(" ".join(plain))


def _said(words: tuple[str, ...], *, script: bool) -> str:
    """Return the purpose by the first words of an unknown program; `script` if it runs a script."""
    plain = unwrapped(words)
    if not plain or program_of(plain) in HANDS:
        return ""
    asked = [word for word in plain[1:] if word[:1] != "-" or word[:2] == "--"][: _SAYING - 1]
    if not (script and asked):
        asked = [word for word in asked if "/" not in word and "." not in word]
    for word in (program_of(plain), *(asked[0].rsplit("/", 1)[-1:] if asked else ()), *asked[1:]):
        purpose = _task(word) if _PLAIN_WORD.fullmatch(word) else "other"
        if purpose in CHECKS:
            return purpose
    return ""


def program_of(words: tuple[str, ...]) -> str:
    """Return the name of a program without its folder; empty without words."""
    return words[0].rsplit("/", 1)[-1] if words else ""


def says_what_for(word: str) -> bool:
    """Return whether a name consists only of words for purposes.

    >>> says_what_for("test:ci"), says_what_for("type-check"), says_what_for("test-payments")
    (True, True, False)
    """
    return all(_task(piece) != "other" for piece in _PIECES.split(word))


def _asked(program: str, words: tuple[str, ...]) -> list[str]:
    """Return a program's subcommand and arguments, without its options and their values."""
    valued = VALUED.get(program, frozenset())
    found = [
        w
        for w, before in zip(words, ("", *words), strict=False)
        if w[:1] not in "-+" and before not in valued
    ]
    return found[2:] if found[:1] == ["workspace"] and program == "yarn" else found


@lru_cache(maxsize=1024)
def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without runners.

    >>> unwrapped(("uv", "run", "--with", "x", "pytest", "-q"))
    ('pytest', '-q')
    """
    for _ in range(4):
        if not words:
            return words
        if versioned := _VERSIONED.fullmatch(words[0]):
            words = (versioned[1], *words[1:])
        shorter = _without(words, RUNNERS)
        if shorter == words:
            return words
        words = shorter
    return words


def _without(words: tuple[str, ...], runners: Mapping[str, tuple[frozenset[str], int]]) -> tuple[str, ...]:
    """Return the words after a runner with its options and own arguments; all of them without a runner."""
    length = next((n for n in (3, 2, 1) if " ".join(words[:n]) in runners), 0)
    if not length:
        return words
    valued, own = runners[" ".join(words[:length])]
    words = words[length:]
    while words and (words[0].startswith("-") or ASSIGNMENT.match(words[0])):
        words = words[2 if words[0] in valued else 1 :]
    return words[own:]


@lru_cache(maxsize=512)
def head(normal: str) -> str:
    """Return the program and its subcommand: the first words of a normal form that are not flags or paths.

    >>> head("go test ./cmd -run TestX"), head("mise run lint")
    ('go test', 'mise run lint')
    """
    words = unwrapped(tuple(normal.split(" && ")[0].split()))
    kept = [w for w in words[:4] if not w.startswith("-") and not re.search(r"[/.'\"*$]", w)]
    return " ".join(kept[: 3 if " ".join(kept[:2]) in TASKS else 2])


def _task(name: str) -> str:
    """Return the purpose of a task, by the first word of its name with a purpose.

    >>> _task("build:styles"), _task("check-types"), _task("latest"), _task("ci")
    ('build', 'lint', 'other', 'test')
    """
    pieces = _PIECES.split(name)
    for piece in (*(p for p in pieces if p.lower() not in _GENERAL), *pieces):
        for purpose, pattern in _TASK_OF:
            if pattern.fullmatch(piece):
                return purpose
    return "other"
