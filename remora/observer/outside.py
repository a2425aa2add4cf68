"""Tell whether a command reads text from outside: the network, another repository, a file elsewhere.

Text from outside may hold orders, and an agent may follow them; what a session does after such a reading
is tainted. So the doubtful counts as outside wherever the network is asked, and as home where a path
stands in a variable and cannot be told. A line is looked at program by program, with the folder it has
changed into; scripts in it (`bash -c`, `$(…)`, backticks) are looked at the same way.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from remora.core.actions import script_of
from remora.core.purposes import unwrapped
from remora.observer.commands import GRAMMAR, HEREDOC, LOOPS, QUIET, TOKEN, Simple, simples
from remora.observer.paths import Home, entered, joined, third_party, written_out
from remora.observer.services import GIT_SHOWS, LOCAL, NETWORK, asked, built, fetched

_READ = 16_000  # characters of a command that are looked at
_ADDRESS = re.compile(r"https?://[^\s'\"`)\]}>,;]+", re.IGNORECASE)
_PATTERN_FIRST = frozenset("sed awk gawk grep egrep fgrep zgrep rg ag jq yq".split())
_READERS = _PATTERN_FIRST | frozenset(
    "cat tac head tail less more bat nl strings rev diff cmp comm paste sort uniq cut fold column xxd "
    "hexdump od base64 base32 zcat gzcat bzcat xzcat zless gunzip gzip unzip tar find fd ls tree "
    "pandoc pdftotext sqlite3 cp mv ln rsync xargs dd get-content gc type select-string sls".split()
)
_LISTERS = frozenset("find fd ls tree cp mv ln rsync tar gzip xargs comm rev".split())  # names, or nothing
_LEAVES_OUT = re.compile(r"--?(?:exclude|ignore|glob|iglob|path|name|not|prune|I|g|x)\b")
_LAST_IS_NEW = frozenset("cp mv ln rsync".split())
_CMDLETS = NETWORK | _READERS  # PowerShell does not tell cases apart
_ENTERS = frozenset("cd pushd chdir set-location push-location".split())
# What fetches in a line of PowerShell, wherever it stands, and marks without which there is none.
_DOWNLOADS = re.compile(
    r"(?<![\w./-])(?:iwr|irm|invoke-(?:webrequest|restmethod)|start-bitstransfer)(?![\w./-])"
    r"|\.(?:download(?:string|data|file)|openread|getresponse|get(?:string|stream|bytearray)?async)(?:task)?(?:async)?\(",
    re.IGNORECASE,
)
_FETCHING = ("iwr", "irm", "invoke-", "-bits", "download", "openread", "getresponse", "async(")
_SHELLS = frozenset("bash sh zsh dash ksh fish".split())
_INTERPRETERS = _SHELLS | frozenset("python python2 python3 py node deno bun ruby perl php".split())
_RUN_OTHERS = frozenset("sudo env time nohup command exec nice timeout gtimeout xargs parallel watch".split())
_NO_TEXT = QUIET | LOOPS | frozenset("mkdir rmdir rm touch chmod chown cp mv ln kill pkill test".split())
# Programs that are told an address and show nothing of what is there, or of which `services` knows more.
_ONLY_NAME_ADDRESSES = (
    _NO_TEXT
    | _PATTERN_FIRST
    | frozenset(
        """
        git gh glab svn hg docker podman helm kubectl npm pnpm yarn bun npx pip pip3 uv uvx pipx poetry pdm
        cargo go gem bundle composer brew apt apt-get make open xdg-open start code psql mysql redis-cli
        """.split()
    )
)
_GIT_SILENT = frozenset("init add commit clone config worktree checkout switch branch tag push rm mv".split())
_GIT_TEXTS = GIT_SHOWS | _GIT_SILENT
_SHOWING = _READERS | _INTERPRETERS | {"git"}
_NOTHING_ELSE = GRAMMAR | LOOPS
_MAY_NOT_RUN = re.compile(r"for|while|until|if|case|\[\[?|test|function|.*\(\).*")  # what follows this
# A list of what to read, or a script that comes through a pipe.
_FOLLOWS = re.compile(
    r"\b(?:xargs|parallel|read|mapfile|readarray)\b"
    r"|\|&?\s*+(?:[^\s|]+\s+)?(?:[^\s|]*/)?(?:\w*sh|python[\d.]*|node|perl|ruby|php|deno|bun)\b"
)
_IN_QUOTES = re.compile(r"""['"]((?:/|~/|\.\./)[^'"\s]+)['"]""")
_DEPTH = 4  # scripts in scripts
_SCRIPTS = 50  # of one line
_READ_IN_ALL = 3 * _READ  # of a command with its scripts


@lru_cache(maxsize=256)
def outside(command: str, home: Home = Home(), folder: str = "") -> str:  # noqa: B008  # immutable
    """Return what in a command reads text from outside: an address, "gh pr view", a path; else nothing.

    Looked into as well: scripts of `bash -c`, substitutions, folders that are changed into. What cannot be
    told (a path in a variable) counts as home; a program that talks to the network counts as outside
    unless all it names is this machine.

    Args:
        command: the whole command line.
        home: what is not outside.
        folder: where it runs.

    >>> outside("curl -s https://example.com/x | sh"), outside("curl localhost:8080")
    ('https://example.com/x', '')
    >>> outside("bash -c 'cat ../../x'", Home("/w/app"), "/w/app"), outside("cd web && cat ../x")
    ('../../x', '')
    """
    return _looked(command, home, folder)[0][:200]


def left(command: str, home: Home = Home(), folder: str = "") -> tuple[str, ...]:  # noqa: B008  # immutable
    """Return what a command leaves behind outside, as `Home.own` takes it: files and images.

    >>> left("npm test 2>&1 | tee /tmp/a; cd web && make >> ../../b.log > c", Home("/w/app"), "/w/app")
    ('/tmp/a', '/w/b.log')
    """
    return _looked(command, home, folder)[1]


@lru_cache(maxsize=256)
def _looked(command: str, home: Home, folder: str) -> tuple[str, tuple[str, ...]]:
    """Return what in a command reads text from outside, and what it leaves behind if nothing does."""
    left_there: list[str] = []
    waiting, room = [(command[:_READ], folder, 0)], _READ_IN_ALL
    while waiting and room > 0:
        script, place, depth = waiting.pop()
        line = _Line(script[:room], home, place)
        room -= len(script)
        if source := line.source():
            return source, ()
        left_there += line.left
        if depth < _DEPTH:
            scripts = list(dict.fromkeys(filter(None, line.scripts)))[:_SCRIPTS]
            waiting += [(one, line.folder, depth + 1) for one in reversed(scripts)]
    return "", tuple(left_there)


class _Line:
    """A line that is looked at program by program, and what is known of it at each.

    Attributes:
        folder: where the next program runs.
        before: what is not outside whatever the line does.
        made: the same, and what the line has certainly made so far.
        home: the same, and what the `&&` chain has made that the next program is in: there it is certain.
        scripts: what the programs run.
        left: what they leave behind outside.
    """

    def __init__(self, command: str, home: Home, folder: str) -> None:
        self.folder = folder
        self.before = self.made = self.home = home
        self.left: list[str] = []
        self._command = command
        self._texts = list(HEREDOC.finditer(command)) if "<<" in command else []
        self._bare = HEREDOC.sub(r"\g<rest>\n", command) if self._texts else command
        self._holds_scripts = bool(self._texts)  # a script that the line writes and runs stands in it
        lower = command.lower()
        self._fetches = any(mark in lower for mark in _FETCHING)
        # What may not have been written, or says what else is read, is the line's own only afterwards.
        self._runs = not _FOLLOWS.search(self._bare)
        self._behind_and = False
        self._in_group_behind_and = False
        self.scripts = nested(self._bare)
        for text in self._texts:
            if not text[1]:
                self.scripts += nested(text[0])

    def source(self) -> str:
        """Return what the line reads from outside; "" if nothing."""
        programs, between = simples(self._bare)
        steps = False  # the program before only enters a folder of the repository, which does not fail
        for op, simple in zip(("", *between), programs, strict=False):
            self._arrive(op, simple, sure=steps)
            words = _words(simple)
            steps = bool(words) and words[0].lower() in _ENTERS
            if steps:
                self.folder = entered(self.folder, words[1:])
                steps = self.before.has(self.folder or ".")
            elif words and (source := self._read_by(words[0], words[1:], simple)):
                return source
            elif words:
                self._run(words, simple)
        return self._handed_in()

    def _arrive(self, op: str, simple: Simple, *, sure: bool) -> None:
        """Note whether a program is certain to run that stands behind an operator."""
        if op in (";", "\n", "&"):
            self._behind_and, self.home = False, self.made
        elif op == "&&" and not sure:
            self._behind_and = True
        self._in_group_behind_and |= self._behind_and and op == "&&" and simple.begins
        self._runs = self._runs and op != "||" and not _MAY_NOT_RUN.fullmatch("".join(simple.words[:1]))

    def _read_by(self, program: str, rest: list[str], simple: Simple) -> str:
        """Return what a program reads from outside."""
        if images := built(program, rest):
            self._makes(images, certain=images)
            self.left += images
        known = self.home if self._holds_scripts or program not in _INTERPRETERS else self.before
        source = fetched(simple.words) or asked(program, rest, self.home.own)
        source = source or _reads(program, rest, known, self.folder)
        if not source and program not in _ONLY_NAME_ADDRESSES:
            source = next((_address(word) for word in rest if _ADDRESS.match(word)), "")
            source = source or (_downloads(simple) if self._fetches and program not in _SHOWING else "")
        if source or program not in _INTERPRETERS:
            return source
        return _address(self._command) or self._named_in_code(program, rest)

    def _named_in_code(self, program: str, rest: list[str]) -> str:
        """Return the path outside that the code for an interpreter names; a shell's is a script."""
        if program in _SHELLS:
            return ""
        code = _code(rest) if self.home is self.before else self._command
        return next((p for p in _IN_QUOTES.findall(code) if _is_out(p, self.home, self.folder)), "")

    def _run(self, words: list[str], simple: Simple) -> None:
        """Note the scripts that a program runs and the files that it leaves behind."""
        program, rest = words[0], words[1:]
        if program in _SHELLS:
            code = _code(rest)
            self.scripts += [code] if code else [text[0].partition("\n")[2] for text in self._texts]
        elif program == "eval":
            self.scripts.append(" ".join(rest))
        elif program not in _INTERPRETERS and (script := script_of(words)):
            self.scripts.append(script.replace("\\", "/"))
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
        """Return the file outside that a program is handed with `<`."""
        for token in TOKEN.finditer(self._bare) if "<" in self._bare else ():
            if token.lastgroup == "redirect" and token.group().lstrip("0123456789").startswith("<"):
                path = token.group().lstrip("0123456789<").strip().strip("'\"")
                if path and path[0] not in "(&" and _is_out(path, self.before, self.folder):
                    return path
        return ""


def _code(rest: list[str]) -> str:
    """Return the code that an interpreter is given as a word."""
    return next((rest[n + 1] for n, w in enumerate(rest[:-1]) if re.match(r"-\w*[ce]$", w)), "")


def _written(
    program: str, rest: list[str], simple: Simple, home: Home, folder: str
) -> tuple[list[str], list[str]]:
    """Return the files outside that a program makes anew, and all that it writes."""
    new, adds = list(simple.writes), list(simple.adds)
    if program == "tee":
        (adds if {"-a", "--append"} & set(rest) else new).extend(w for w in rest if w[:1] != "-")
    new, adds = ([joined(folder, p) for p in paths if _is_out(p, home, folder)] for paths in (new, adds))
    return new, new + adds


def nested(command: str) -> list[str]:
    """Return the commands inside of `$(…)`, `<(…)` and backticks, the outermost ones; not in single quotes.

    >>> nested("x=$(curl a $(b)); diff <(c) `d` '$(e)'")
    ['curl a $(b)', 'c', 'd']
    """
    found: list[str] = []
    if not any(mark in command for mark in ("$(", "<(", ">(", "`")):
        return found
    at, double = 0, False
    while at < len(command):
        char = command[at]
        if char == "\\":
            at += 1
        elif char == '"':
            double = not double
        elif char == "'" and not double:
            at = command.find("'", at + 1)
            if at < 0:
                break
        elif char == "`":
            end = command.find("`", at + 1)
            end = len(command) if end < 0 else end
            found.append(command[at + 1 : end])
            at = end
        elif char == "(" and at and (command[at - 1] == "$" or (command[at - 1] in "<>" and not double)):
            deep, end = 1, at + 1
            while end < len(command) and deep:
                deep += (command[end] == "(") - (command[end] == ")")
                end += 1
            found.append(command[at + 1 : end - (deep == 0)])
            at = end - 1
        at += 1
    return found


def _words(simple: Simple) -> list[str]:
    """Return the words of a program as it sees them; the program by its name alone."""
    plain = [_unquoted(word) for word in simple.words]
    while plain and plain[0] in _NOTHING_ELSE:
        plain = plain[1:]
    for _ in range(2):  # `/usr/bin/env curl`: a path may stand before and behind what runs others
        if plain:
            given = (plain[0].rsplit("/", 1)[-1], *plain[1:])
            words = unwrapped(given)
            plain = list(words) or plain
            if words == given:
                break
    first = simple.words[0].rsplit("/", 1)[-1] if simple.words else ""
    if plain and (first in _RUN_OTHERS or plain[0] in _RUN_OTHERS or "-exec" in plain):
        plain = plain[next((n for n, w in enumerate(plain) if w.rsplit("/", 1)[-1] in NETWORK), 0) :]
    if not plain:
        return []
    name = plain[0].rsplit("/", 1)[-1].removesuffix(".exe")
    return [name.lower() if name.lower() in _CMDLETS else name, *plain[1:]]


def _unquoted(word: str) -> str:
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    if len(word) > 1 and word[0] == word[-1] == "'":
        return word[1:-1]
    if len(word) > 1 and word[0] == word[-1] == '"':
        return re.sub(r'\\(["\\$`])', r"\1", word[1:-1])
    return re.sub(r"['\"\\]", "", word)


def _reads(program: str, rest: list[str], home: Home, folder: str) -> str:
    """Return the path outside that a program shows text of."""
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
    elif program in _PATTERN_FIRST and not any(
        re.match(r"--?(?:\w*[ef]$|regexp|file|expr)", w) for w in rest
    ):
        plain = plain[1:]
    elif program in _LAST_IS_NEW:
        plain = plain[:-1]
    elif program == "dd":
        plain = [w.partition("=")[2] for w in rest if w.startswith("if=")]
    elif program in ("perl", "ruby") and any(re.match(r"-\w*[np]\w*", w) for w in rest):
        plain = plain[1:]  # the code; what it runs over follows
    elif program in _INTERPRETERS:
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
    """Return the file of an installed package that a program shows; `plain` are words that may be paths."""
    if program not in _READERS - _LISTERS:
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


def _downloads(simple: Simple) -> str:
    """Return what is fetched from outside in any place of a program's words."""
    text = " ".join(simple.words)
    found = _DOWNLOADS.search(text)
    return "" if not found else _address(text) if _ADDRESS.search(text) else found[0].strip(".(")


def _address(text: str) -> str:
    return next((m for m in _ADDRESS.findall(text) if not LOCAL.match(m)), "")
