"""Shell commands: a normal form that two runs of the same thing share, and what they are for.

`cd /repo && FOO=1 go test ./... 2>&1 | tail -20` is `go test ./...`, a test. Only what the usual tools
of many languages look like is known; the rest is "other" or, for a program of the project, "run".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from remora.core.purposes import ASSIGNMENT, FILTERS, RANK, check_of, purpose_of, unwrapped
from remora.core.shell import in_folder, name_of
from remora.observer.paths import Place, entered, seen_from

_READ = 4000  # characters of a command that are looked at
_NORMAL = 200  # characters of a normal form
_ARGUMENT = 40  # characters of a quoted argument
_VALUE = 60  # characters of a variable's value

HEREDOC = re.compile(
    r"<<-?\s*(['\"]?)(\w+)\1(?P<rest>[^\n]{0,300})\n.*?(?:^[^\S\n]*\2\b|\Z)", re.DOTALL | re.MULTILINE
)
_SUBSHELL_CAT = re.compile(
    r"\"?\$\(cat <<-?\s*(['\"]?)(\w+)\1\s*\n.*?(?:^[^\S\n]*\2\s*\)\"?|\Z)", re.DOTALL | re.MULTILINE
)
TOKEN = re.compile(
    r"""(?P<op>&&|\|\||\|&|[;|\n]|&(?!>))|(?P<redirect>\d*(?:>>?|<)(?:&\d|\s*[^\s;|&<>]+)?|&>>?\s*[^\s;|&]+)"""
    r"""|(?P<word>(?:'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\\.|\$\([^()]*\)|[^\s;|&<>'"\\$]+|\$)+)|(?P<other>\S)""",
    re.DOTALL,
)
_TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/folders)/[^\s'\"]*")

QUIET = frozenset(
    "cd pushd popd export set unset source . echo printf true : sleep wait clear ulimit umask trap".split()
)
_MOVES = (("cd",), ("pushd",), ("popd",))
GRAMMAR = frozenset("do then else elif { } ( ) ! done fi esac".split())
_ENDS = frozenset("} done fi esac".split())  # of what may send its output to a file
LOOPS = frozenset("for while until if case [ [[ done fi esac".split())
_SMALL = QUIET | LOOPS


class Simple(NamedTuple):
    """One program of a command line.

    Attributes:
        words: what it is called with, its name first.
        variables: those set for it, with values.
        piped: it is fed by another one.
        opens, closes: how many shells in parentheses begin with it, and end.
        writes, adds: files that its output makes anew, and that it is added to.
        begins: a group in parentheses or braces begins with it.
        around: those of `writes` that the output of such a group goes to, which ends with it.
    """

    words: tuple[str, ...]
    variables: tuple[str, ...]
    piped: bool
    opens: int = 0
    closes: int = 0
    writes: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    begins: bool = False
    around: tuple[str, ...] = ()


class Command(NamedTuple):
    """What a command line is.

    Attributes:
        normal: its normal form; empty if nothing but looks and words was there.
        purpose: as of events.CommandRun.
        parts: the programs in order, those that only filter a pipe left out.
        variables: environment variables set for it, each with its value, in order.
        masked: a pipe or a second command hides the exit code of the first.
        shown: the programs of the normal form: which of the parts, and its text with its variables; those
            of a pipe are one, by its first part.
    """

    normal: str
    purpose: str
    parts: tuple[Simple, ...]
    variables: tuple[str, ...]
    masked: bool
    shown: tuple[tuple[int, str], ...] = ()


@lru_cache(maxsize=512)
def parse(command: str, cwd: str = "") -> Command:
    """Return what a command line is; `cwd` is taken out of its paths.

    >>> parse("cd /w/app && CI=1 go test ./... 2>&1 | tail -5", "/w/app")[:2]
    ('go test ./...', 'test')
    """
    programs, ops = simples(_without_texts(command[:_READ]))
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
        any(op in ("|", "|&", ";", "\n", "||") for op in ops),
        tuple((pipe[0], " | ".join(_with_variables(parts[n], cwd) for n in pipe)) for pipe in shown),
    )


def _purpose(words: tuple[str, ...]) -> str:
    """Return what a program is for; of one that nobody knows, what its words say."""
    known = purpose_of(words)
    return (check_of(words) or known) if known in ("run", "other") else known


def _telling(programs: tuple[Simple, ...]) -> list[bool]:
    """Return of each program whether it does something: not what only looks at the end of a pipe.

    What a check prints is only looked at, too.
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


def _pipes(parts: tuple[Simple, ...], shown: list[int]) -> list[list[int]]:
    """Return the programs that are shown, those that feed one another together."""
    found: list[list[int]] = []
    for n in shown:
        if parts[n].piped and found and found[-1][-1] == n - 1:
            found[-1].append(n)
        elif not (parts[n].piped and _program(parts[n]) in FILTERS):  # else it got what was printed
            found.append([n])
    return found


class Ran(NamedTuple):
    """A command line as it was run.

    Attributes:
        text: the normal form with the variables of each of its programs, and with its folder, where that is
            not the one in which the session began; without what ran outside of that.
        purpose: what these programs are for.
        whole: nothing ran outside.
    """

    text: str
    purpose: str
    whole: bool


@lru_cache(maxsize=512)
def as_run(command: str, cwd: str, place: Place) -> Ran:
    """Return a command line as it was run, with the folders of its programs.

    >>> line = "make fmt && cd web && CI=1 npm test; cd ../../other && npm test"
    >>> as_run(line, "/w/app", Place("/w/app", "/w/app"))
    Ran(text='make fmt && (cd web && CI=1 npm test)', purpose='test', whole=False)
    """
    parsed = parse(command, cwd)
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
    """Return the folder of each part as seen from where the session began, None outside of that.

    None instead of a list where all ran where the session began, or parentheses tell nothing certain.
    """
    if place.folder == place.home and "cd" not in command and "pushd" not in command:
        return None
    programs, _ = simples(_without_texts(command[:_READ]))
    if sum(one.opens for one in programs) != sum(one.closes for one in programs):
        return None
    folder, before, around, pushed = place.folder, place.folder, list[str](), list[str]()
    found: list[str | None] = []
    for one, tells in zip(programs, _telling(programs), strict=True):
        around += [folder] * one.opens
        if one.words[:1] in _MOVES:
            to = [word.strip("'\"") for word in one.words[1:]]
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
    sent: list[tuple[str, str]] = []
    around: list[str] = []
    piped = begins = ended = False  # a group begins with the next program, or has just ended
    opens = closes = 0
    command = command.replace("\\\n", " ")
    for token in TOKEN.finditer(command):
        kind, text = token.lastgroup, token.group()
        if kind == "redirect":
            closes += text.endswith(")") and "(" not in text
            path = _sent(text) if ">" in text else ""
            whole = [path] if ended and path and ">>" not in text else []
            if path and found and ended and not (words or variables):  # of `{ …; } > file`
                found[-1] = _sending(found[-1], [(text, path)], whole)
            elif path:
                sent.append((text, path))
                around += whole
            ended = ended or (text.endswith(")") and "(" not in text)
        elif kind == "op":
            if words or variables:
                one = Simple(tuple(words), tuple(variables), piped, opens, closes, begins=begins)
                found.append(_sending(one, sent, around))
                ops.append(text)
                opens = closes = 0
                sent, around, begins = [], [], False
            else:
                if text == "||" and ops:  # behind `{ …; }`
                    ops[-1] = text
                if found:  # `> file` alone is no program; nobody knows whether it is done
                    found[-1] = _sending(found[-1], [(">>", path) for _, path in sent], [])
                    sent, around = [], []
            words, variables, piped = [], [], text.startswith("|") and text != "||"
            ended = False
        elif kind == "word":
            ended = (
                text[0] != "\\" and text.count(")") > text.count("(") if text[-1] == ")" else text in _ENDS
            )
            begins = begins or (not words and text[0] in "({")
            if not words and ASSIGNMENT.match(text):
                variables.append(text)
            elif words:
                if text[-1] == ")" and text[0] != "\\":
                    more = max(0, text.count(")") - text.count("("))
                    word = text[: len(text) - more] if text.endswith(")" * more) else text
                    closes += len(text) - len(word)
                    text = word
                words += [text] if text else []
            elif text.startswith(")"):
                if found:
                    found[-1] = found[-1]._replace(
                        closes=found[-1].closes + len(text) - len(text.lstrip(")"))
                    )
            else:
                opens += text.startswith("(")
                if text not in GRAMMAR and not text.startswith("#"):
                    words += [text.lstrip("({")] if text.lstrip("({") else []
    if words or variables:
        one = Simple(tuple(words), tuple(variables), piped, opens, closes, begins=begins)
        found.append(_sending(one, sent, around))
    elif ops:
        ops.pop()
    return tuple(found), tuple(ops)


def _sent(redirect: str) -> str:
    """Return the file that a redirection sends output to; empty if it does not, or the name is cut."""
    path = redirect.lstrip("0123456789&").lstrip(">").strip()
    if path[:1] in "&<(":  # an empty one too
        return ""
    if path[0] in "'\"":
        return path[1:-1] if len(path) > 2 and path[-1] == path[0] else ""
    return path if "(" in path else path.rstrip(")")


def _sending(simple: Simple, sent: list[tuple[str, str]], around: list[str]) -> Simple:
    if not sent:
        return simple
    adds = tuple(path for redirect, path in sent if ">>" in redirect)
    writes = tuple(path for redirect, path in sent if ">>" not in redirect)
    return simple._replace(
        writes=simple.writes + writes, adds=simple.adds + adds, around=(*simple.around, *around)
    )


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


def _with_variables(simple: Simple, cwd: str) -> str:
    return " ".join((*simple.variables, _shown(simple, cwd)))


def _placed(word: str, cwd: str) -> str:
    """Return a word with paths as they are from the folder of the session, and without temporary ones."""
    if cwd and cwd in word:
        word = word.replace(f"{cwd}/", "").replace(cwd, ".")
    return _TEMPORARY.sub("<tmp>", word) if "tmp/" in word or "/var/" in word else word
