"""Shell commands: a normal form that two runs of the same thing share, and what they are for.

`cd /repo && FOO=1 go test ./... 2>&1 | tail -20` is `go test ./...`, a test. Only what the usual tools
of many languages look like is known; the rest is "other" or, for a program of the project, "run".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from remora.core.purposes import ASSIGNMENT, RANK, purpose_of, unwrapped
from remora.core.shell import in_folder, name_of
from remora.observer.paths import Place, entered, seen_from

_READ = 4000  # characters of a command that are looked at
_NORMAL = 200  # characters of a normal form
_ARGUMENT = 40  # characters of a quoted argument
_VALUE = 60  # characters of a variable's value

HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?(?:^\s*\2\b|\Z)", re.DOTALL | re.MULTILINE)
_SUBSHELL_CAT = re.compile(
    r"\"?\$\(cat <<-?\s*(['\"]?)(\w+)\1\s*\n.*?(?:^\s*\2\s*\n?\s*\)\"?|\Z)", re.DOTALL | re.MULTILINE
)
TOKEN = re.compile(
    r"""(?P<op>&&|\|\||\|&|[;|&\n])|(?P<redirect>\d*(?:>>?|<)(?:&\d|\s*[^\s;|&<>]+)?|&>>?\s*[^\s;|&]+)"""
    r"""|(?P<word>(?:'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\\.|\$\([^()]*\)|[^\s;|&<>'"\\$]+|\$)+)|(?P<other>\S)""",
    re.DOTALL,
)
_SENT = re.compile(r"(?<![<>=-])>>?\s*([/~][^\s;|&<>'\"()]+)")
_TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/folders)/[^\s'\"]*")

QUIET = frozenset(
    "cd pushd popd export set unset source . echo printf true : sleep wait clear ulimit umask trap".split()
)
_FILTERS = frozenset(
    "head tail grep egrep rg less more wc sort uniq cat tee cut tr jq sed awk column fold nl".split()
)
_MOVES = (("cd",), ("pushd",), ("popd",))
GRAMMAR = frozenset("do then else elif { } ( ) ! done fi esac".split())
LOOPS = frozenset("for while until if case [ [[ done fi esac".split())
_SMALL = QUIET | LOOPS


class Simple(NamedTuple):
    """One program of a command line.

    Attributes:
        words: what it is called with, its name first.
        variables: those set for it, with values.
        piped: it is fed by another one.
        opens, closes: how many shells in parentheses begin with it, and end.
    """

    words: tuple[str, ...]
    variables: tuple[str, ...]
    piped: bool
    opens: int = 0
    closes: int = 0


class Command(NamedTuple):
    """What a command line is.

    Attributes:
        normal: its normal form; empty if nothing but looks and words was there.
        purpose: as of events.CommandRun.
        parts: the programs in order, those that only filter a pipe left out.
        variables: environment variables set for it, each with its value, in order.
        masked: a pipe or a second command hides the exit code of the first.
        writes: files that its output is sent to.
        shown: the programs of the normal form: which of the parts, and its text with its variables.
    """

    normal: str
    purpose: str
    parts: tuple[Simple, ...]
    variables: tuple[str, ...]
    masked: bool
    writes: tuple[str, ...] = ()
    shown: tuple[tuple[int, str], ...] = ()


@lru_cache(maxsize=512)
def parse(command: str, cwd: str = "") -> Command:
    """Return what a command line is; `cwd` is taken out of its paths.

    >>> parse("cd /w/app && CI=1 go test ./... 2>&1 | tail -5", "/w/app")[:2]
    ('go test ./...', 'test')
    """
    programs, ops = simples(_without_texts(command[:_READ]))
    parts = tuple(s for s in _exporting(programs, cwd) if not (s.piped and _program(s) in _FILTERS))
    doing = [n for n, s in enumerate(parts) if s.words and s.words[0] not in _SMALL]
    shown = doing or [n for n, s in enumerate(parts) if s.words]
    texts = [_shown(parts[n], cwd) for n in shown]
    normal = " && ".join(texts)
    purposes = [purpose_of(parts[n].words) for n in doing] or ["look" if shown else "other"]
    variables = [v for s in parts for v in s.variables]
    return Command(
        normal[:_NORMAL].strip(),
        min(purposes, key=lambda p: RANK[p]),
        parts,
        tuple(dict.fromkeys(variables)),
        any(op in ("|", "|&", ";", "\n", "||") for op in ops),
        tuple(m.group(1) for m in _SENT.finditer(command[:_READ])) if ">" in command else (),
        tuple((n, " ".join((*parts[n].variables, text))) for n, text in zip(shown, texts, strict=True)),
    )


@lru_cache(maxsize=512)
def as_run(command: str, cwd: str, place: Place) -> str:
    """Return the normal form of a command line with the variables and the folder of each of its programs.

    The folder is shown where it is not that in which the session began; what ran outside of that is left out.

    >>> line = "make fmt && cd web && CI=1 npm test; cd ../../other && npm test"
    >>> as_run(line, "/w/app", Place("/w/app", "/w/app"))
    'make fmt && (cd web && CI=1 npm test)'
    """
    parsed = parse(command, cwd)
    ran = [text for _, text in parsed.shown]
    if place.folder != place.home or any(part.words[:1] in _MOVES for part in parsed.parts):
        folders = list(_folders(parsed.parts, place))
        placed = ((folders[n], text) for n, text in parsed.shown)
        ran = [in_folder(folder, text) for folder, text in placed if folder is not None]
    return " && ".join(ran)[: (2 if parsed.variables else 1) * _NORMAL].strip()


def _folders(parts: tuple[Simple, ...], place: Place) -> Iterator[str | None]:
    """Yield the folder of each program as seen from where the session began, None outside of that."""
    folder, around = place.folder, list[str]()
    for part in parts:
        around += [folder] * part.opens
        if part.words[:1] in _MOVES[:2]:
            folder = entered(folder, [word.strip("'\"") for word in part.words[1:]])
        elif part.words[:1] == _MOVES[2]:
            folder = place.folder
        yield seen_from(place.home, folder)
        for _ in range(min(part.closes, len(around))):
            folder = around.pop()


def _exporting(programs: tuple[Simple, ...], cwd: str) -> Iterator[Simple]:
    """Yield the programs with all the variables that they had: their own, and those exported before."""
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


def _program(simple: Simple) -> str:
    words = unwrapped(simple.words)
    return words[0] if words else ""


def _without_texts(command: str) -> str:
    return HEREDOC.sub("\n", _SUBSHELL_CAT.sub("'…'", command)) if "<<" in command else command


@lru_cache(maxsize=512)
def simples(command: str) -> tuple[tuple[Simple, ...], tuple[str, ...]]:
    """Return the programs of a command line and what stands between them, texts handed in left out."""
    found: list[Simple] = []
    ops: list[str] = []
    words: list[str] = []
    variables: list[str] = []
    piped = False
    opens = closes = 0
    command = command.replace("\\\n", " ")
    for token in TOKEN.finditer(command):
        kind, text = token.lastgroup, token.group()
        if kind == "op":
            if words or variables:
                found.append(Simple(tuple(words), tuple(variables), piped, opens, closes))
                ops.append(text)
                opens = closes = 0
            words, variables, piped = [], [], text.startswith("|") and text != "||"
        elif kind == "word":
            if not words and ASSIGNMENT.match(text):
                variables.append(text)
            elif words:
                word = text.rstrip(")") if "(" not in text else text
                words += [word] if word else []
                closes += len(text) - len(word)
            else:
                opens += text.startswith("(")
                if text not in GRAMMAR and not text.startswith("#"):
                    words += [text.lstrip("({")] if text.lstrip("({") else []
    if words or variables:
        found.append(Simple(tuple(words), tuple(variables), piped, opens, closes))
    elif ops:
        ops.pop()
    return tuple(found), tuple(ops)


def _shown(simple: Simple, cwd: str) -> str:
    shown: list[str] = []
    for word in simple.words:
        text = _placed(word, cwd)
        if text[:1] in "'\"" and simple.words[:2] == ("git", "commit"):
            text = "'…'"
        elif text[:1] in "'\"" and len(text) > _ARGUMENT:
            text = f"{text[: _ARGUMENT - 2]}…{text[0]}"
        shown.append(" ".join(text.split()))
    return " ".join(shown)


def _placed(word: str, cwd: str) -> str:
    """Return a word with paths as they are from the folder of the session, and without temporary ones."""
    if cwd and cwd in word:
        word = word.replace(f"{cwd}/", "").replace(cwd, ".")
    return _TEMPORARY.sub("<tmp>", word) if "tmp/" in word or "/var/" in word else word
