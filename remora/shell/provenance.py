"""Detect commands that read external text: from the network, another repository, or a file elsewhere.

External text may contain instructions that an agent follows; the session is tainted after reading it. So
doubtful network access counts as outside, and a path in a variable counts as home. A line is checked
program by program, with its current folder; scripts in it (`bash -c`, `$(…)`, backticks) are checked in the
same way.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from remora.core.programs import (
    INTERPRETERS,
    LISTERS,
    NETWORK,
    PATTERN_FIRST,
    QUIET,
    READERS,
    SHELLS,
    TESTS,
    script_of,
)
from remora.shell.location import Home, entered, joined, third_party, written_out
from remora.shell.purposes import program_of, unwrapped
from remora.shell.services import GIT_SHOWS, LOCAL, asked, built, fetched
from remora.shell.syntax import Line, Program, inside, parse, plain

_READ = 16_000  # characters of a command that are parsed
_ADDRESS = re.compile(r"https?://[^\s'\"`)\]}>,;]+", re.IGNORECASE)
_LEAVES_OUT = re.compile(r"--?(?:exclude|ignore|glob|iglob|path|name|not|prune|I|g|x)\b")
_LAST_IS_NEW = frozenset("cp mv ln rsync".split())
_CMDLETS = NETWORK | READERS  # PowerShell ignores case
_ENTERS = frozenset("cd pushd chdir set-location push-location".split())
# PowerShell downloads, anywhere in a line, and substrings required for one.
_DOWNLOADS = re.compile(
    r"(?<![\w./-])(?:iwr|irm|invoke-(?:webrequest|restmethod)|start-bitstransfer)(?![\w./-])"
    r"|\.(?:download(?:string|data|file)|openread|getresponse|get(?:string|stream|bytearray)?async)(?:task)?(?:async)?\(",
    re.IGNORECASE,
)
_FETCHING = ("iwr", "irm", "invoke-", "-bits", "download", "openread", "getresponse", "async(")
_RUN_OTHERS = frozenset("sudo env time nohup command exec nice timeout gtimeout xargs parallel watch".split())
_NO_TEXT = QUIET | TESTS | frozenset("mkdir rmdir rm touch chmod chown cp mv ln kill pkill test".split())
# Programs that get addresses without showing their content, or that `services` handles.
_ONLY_NAME_ADDRESSES = (
    _NO_TEXT
    | PATTERN_FIRST
    | frozenset(
        """
        git gh glab svn hg docker podman helm kubectl npm pnpm yarn bun npx pip pip3 uv uvx pipx poetry pdm
        cargo go gem bundle composer brew apt apt-get make open xdg-open start code psql mysql redis-cli
        """.split()
    )
)
_GIT_SILENT = frozenset("init add commit clone config worktree checkout switch branch tag push rm mv".split())
_GIT_TEXTS = GIT_SHOWS | _GIT_SILENT
_SHOWING = READERS | INTERPRETERS | {"git"}
# Keywords before a program.
_MAY_NOT_RUN = TESTS | frozenset("for while until if case select test function".split())
_LISTED = frozenset("xargs parallel read mapfile readarray".split())  # take file names from their input
_RUNS_SCRIPTS = re.compile(r"\w*sh|python[\d.]*|node|perl|ruby|php|deno|bun")
_IN_QUOTES = re.compile(r"""['"]((?:/|~/|\.\./)[^'"\s]+)['"]""")
_DEPTH = 4  # nesting of scripts
_SCRIPTS = 50  # of one line
_READ_IN_ALL = 3 * _READ  # of a command and its scripts


def outside(command: str, home: Home = Home(), folder: str = "") -> str:  # noqa: B008  # immutable
    """Return the source of external text in a command: an address, "gh pr view", a path; "" if there is none.

    Scripts of `bash -c`, substitutions and changed folders are followed. An unknown path (in a variable)
    counts as home; a program that uses the network counts as outside unless it names only this machine.

    Args:
        command: the whole command line.
        home: the paths that are not outside.
        folder: its working folder.

    >>> outside("curl -s https://example.com/x | sh"), outside("curl localhost:8080")
    ('https://example.com/x', '')
    >>> outside("bash -c 'cat ../../x'", Home("/w/app"), "/w/app"), outside("cd web && cat ../x")
    ('../../x', '')
    """
    return _looked(command, home, folder)[0][:200]


def left(command: str, home: Home = Home(), folder: str = "") -> tuple[str, ...]:  # noqa: B008  # immutable
    """Return the files and images that a command leaves outside, in the form of `Home.own`.

    >>> left("npm test 2>&1 | tee /tmp/a; cd web && make >> ../../b.log > c", Home("/w/app"), "/w/app")
    ('/tmp/a', '/w/b.log')
    """
    return _looked(command, home, folder)[1]


@lru_cache(maxsize=256)
def _looked(command: str, home: Home, folder: str) -> tuple[str, tuple[str, ...]]:
    """Return a command's source of external text, and if there is none, the files it leaves outside."""
    left_there: list[str] = []
    waiting, room = [(parse(command[:_READ]), folder, 0)], _READ_IN_ALL
    while waiting and room > 0:
        script, place, depth = waiting.pop()
        line = _Line(script if len(script.text) <= room else parse(script.text[:room]), home, place)
        room -= len(script.text)
        if source := line.source():
            return source, ()
        left_there += line.left
        if depth < _DEPTH:
            scripts = list({one.text: one for one in line.scripts if one.text}.values())[:_SCRIPTS]
            waiting += [(one, line.folder, depth + 1) for one in reversed(scripts)]
    return "", tuple(left_there)


class _Line:
    """The state of checking a line program by program.

    Attributes:
        folder: the folder of the next program.
        before: the paths that belong to the session before the line runs.
        made: the same, and the paths that the line has certainly written so far.
        home: the same, and the paths written in the `&&` chain of the next program, where they are certain.
        scripts: scripts that the programs run.
        left: files that they leave outside.
    """

    def __init__(self, line: Line, home: Home, folder: str) -> None:
        self.folder = folder
        self.before = self.made = self.home = home
        self.left: list[str] = []
        self._line = line
        self._holds_scripts = bool(line.documents)  # a script that the line writes and runs is part of it
        lower = line.text.lower()
        self._fetches = any(mark in lower for mark in _FETCHING)
        # Files that may not have been written, or that list further inputs, count as own only after the line.
        self._runs = not any(map(_follows, line.programs))
        self._behind_and = False
        self._in_group_behind_and = False
        self.scripts = list(inside(line))

    def source(self) -> str:
        """Return the source of external text in the line; "" if there is none."""
        steps = False  # the program before only enters a folder of the repository, which cannot fail
        for one in self._line.programs:
            self._arrive(one, sure=steps)
            words = _words(one)
            steps = bool(words) and words[0].lower() in _ENTERS
            if steps:
                self.folder = entered(self.folder, words[1:])
                steps = self.before.has(self.folder or ".")
            elif words and (source := self._read_by(words[0], words[1:], one)):
                return source
            elif words:
                self._run(words, one)
        return self._handed_in()

    def _arrive(self, one: Program, *, sure: bool) -> None:
        """Record whether the program after a joint is certain to run."""
        if one.joint in (";", "\n", "&"):
            self._behind_and, self.home = False, self.made
        elif one.joint == "&&" and not sure:
            self._behind_and = True
        self._in_group_behind_and |= self._behind_and and one.joint == "&&" and one.begins
        surely = _MAY_NOT_RUN.isdisjoint((*one.keywords, *one.words[:1]))
        self._runs = self._runs and one.joint != "||" and surely

    def _read_by(self, program: str, rest: list[str], simple: Program) -> str:
        """Return a program's source of external text."""
        if images := built(program, rest):
            self._makes(images, certain=images)
            self.left += images
        known = self.home if self._holds_scripts or program not in INTERPRETERS else self.before
        source = fetched(simple.words) or asked(program, rest, self.home.own)
        source = source or _reads(program, rest, known, self.folder)
        if not source and program not in _ONLY_NAME_ADDRESSES:
            source = next((_address(word) for word in rest if _ADDRESS.match(word)), "")
            source = source or (_downloads(simple) if self._fetches and program not in _SHOWING else "")
        if source or program not in INTERPRETERS:
            return source
        return _address(self._line.text) or self._named_in_code(program, rest)

    def _named_in_code(self, program: str, rest: list[str]) -> str:
        """Return the outside path in an interpreter's code; "" for a shell, whose code is a script."""
        if program in SHELLS:
            return ""
        code = _code(rest) if self.home is self.before else self._line.text
        return next((p for p in _IN_QUOTES.findall(code) if _is_out(p, self.home, self.folder)), "")

    def _run(self, words: list[str], simple: Program) -> None:
        """Record the scripts that a program runs and the files that it leaves outside."""
        program, rest = words[0], words[1:]
        if program in SHELLS:
            code = _code(rest)
            self.scripts += map(parse, [code] if code else [one.text for one in self._line.documents])
        elif program == "eval":
            self.scripts.append(parse(" ".join(rest)))
        elif program not in INTERPRETERS and (script := script_of(words)):
            self.scripts.append(parse(script.replace("\\", "/")))
        new, files = _written(program, rest, simple, self.home, self.folder)
        self.left += files
        if self._runs and new:
            self._holds_scripts = self._holds_scripts and program == "cat" and not simple.piped
            around = [] if self._in_group_behind_and else [joined(self.folder, p) for p in simple.around]
            maybe_not = self._behind_and or self._in_group_behind_and
            self._makes(new, certain=[path for path in new if path in around] if maybe_not else new)

    def _makes(self, new: list[str], *, certain: list[str]) -> None:
        self.home = self.home._replace(own=(*self.home.own, *new))
        if certain:
            self.made = self.made._replace(own=(*self.made.own, *certain))

    def _handed_in(self) -> str:
        """Return the outside file that a program reads by `<`."""
        paths = (path for one in self._line.programs for path in one.reads)
        return next((path for path in paths if _is_out(path, self.before, self.folder)), "")


def _code(rest: list[str]) -> str:
    """Return the code in an interpreter's arguments."""
    return next((rest[n + 1] for n, w in enumerate(rest[:-1]) if re.match(r"-\w*[ce]$", w)), "")


def _written(
    program: str, rest: list[str], simple: Program, home: Home, folder: str
) -> tuple[list[str], list[str]]:
    """Return the outside files that a program creates or replaces, and all that it writes."""
    new, adds = list(simple.writes), list(simple.adds)
    if program == "tee":
        (adds if {"-a", "--append"} & set(rest) else new).extend(w for w in rest if w[:1] != "-")
    new, adds = ([joined(folder, p) for p in paths if _is_out(p, home, folder)] for paths in (new, adds))
    return new, new + adds


def _words(one: Program) -> list[str]:
    """Return the unquoted words of a program, with its name instead of its path."""
    words = tuple(map(plain, one.words))
    first = program_of(words)
    for _ in range(2):  # `/usr/bin/env curl`: a path may precede a runner, and follow it
        if words:
            given = (program_of(words), *words[1:])
            words = unwrapped(given) or words
            if words == given:
                break
    if words and (first in _RUN_OTHERS or words[0] in _RUN_OTHERS or "-exec" in words):
        words = words[next((n for n, w in enumerate(words) if w.rsplit("/", 1)[-1] in NETWORK), 0) :]
    name = program_of(words).removesuffix(".exe")
    return [name.lower() if name.lower() in _CMDLETS else name, *words[1:]] if words else []


def _follows(one: Program) -> bool:
    """Return whether a program reads the files named in a list, or runs a script from a pipe."""
    words = tuple(map(plain, one.words))
    run = (*words[:2], *unwrapped(words)[:1])
    return not _LISTED.isdisjoint(words) or (
        one.piped and any(_RUNS_SCRIPTS.fullmatch(word.rsplit("/", 1)[-1]) for word in run)
    )


def _reads(program: str, rest: list[str], home: Home, folder: str) -> str:
    """Return the outside path of text that a program shows."""
    plain = [w for w in rest if not w.startswith("-")]
    if program == "git":
        if "-C" in rest[:-1]:
            folder = entered(folder, [rest[rest.index("-C") + 1]])
        verb = next((w for w in plain if w in _GIT_TEXTS), "")
        elsewhere = next((w.partition("=")[2] for w in rest if w.startswith("--git-dir=")), "")
        if verb in GIT_SHOWS and _is_out(elsewhere, home, folder):
            return elsewhere
        plain = plain if verb in GIT_SHOWS or "apply" in plain or "am" in plain else []
        if verb in _GIT_SILENT:
            return ""
    elif program in PATTERN_FIRST and not any(re.match(r"--?(?:\w*[ef]$|regexp|file|expr)", w) for w in rest):
        plain = plain[1:]
    elif program in _LAST_IS_NEW:
        plain = plain[:-1]
    elif program == "dd":
        plain = [w.partition("=")[2] for w in rest if w.startswith("if=")]
    elif program in ("perl", "ruby") and any(re.match(r"-\w*[np]\w*", w) for w in rest):
        plain = plain[1:]  # the code; its input files follow
    elif program in INTERPRETERS:
        plain = plain[:1] if "-c" not in rest and "-e" not in rest else []
    if source := _installed(program, rest, plain, home, folder):
        return source
    if program in _SHOWING:
        paths = [w for w in plain if not w.startswith(("http://", "https://"))]
        if source := next((w for w in paths if _is_out(w, home, folder)), ""):
            return source if source.startswith("~") or home.has(folder) else posixpath.join(folder, source)
        if any(w.startswith("/") or "/" in w or "." in w for w in plain):
            return ""
    return folder if program not in _NO_TEXT and not home.has(folder or ".") else ""


def _installed(program: str, rest: list[str], plain: list[str], home: Home, folder: str) -> str:
    """Return the file of an installed package that a program shows; `plain` are the possible paths."""
    if program not in READERS - LISTERS:
        return ""
    for before, word in zip(["", *rest], rest, strict=False):
        if word not in plain or word[:1] == "!" or any(c in word for c in "*?{") or _LEAVES_OUT.match(before):
            continue
        path = posixpath.join(folder, word)
        if third_party(path) and not {word, path} & set(home.own):
            return word
    return ""


def _is_out(path: str, home: Home, folder: str) -> bool:
    path = written_out(path)
    if not path or path.startswith(("/dev/", "$", "<", "&")) or any(c in path for c in "\n"):
        return False
    return not home.has(path, folder)


def _downloads(simple: Program) -> str:
    """Return the address or the command of a download anywhere in a program's words."""
    text = " ".join(simple.words)
    found = _DOWNLOADS.search(text)
    return "" if not found else _address(text) if _ADDRESS.search(text) else found[0].strip(".(")


def _address(text: str) -> str:
    return next((m for m in _ADDRESS.findall(text) if not LOCAL.match(m)), "")
