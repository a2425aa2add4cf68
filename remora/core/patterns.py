"""Patterns of actions that a person or an agent gives: what one means, and whether a file or a line has it.

A pattern is an event ("commit", "before each release", "push to main"), a file, a folder or a glob, or words:
those of a command, or code of one line, in which `...` is any text. "… on branch NAME" limits each of them.
Whether a command has one is decided by `remora.shell.pattern_match`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from remora.core.paths import matches
from remora.core.programs import PROGRAMS
from remora.core.stems import stem
from remora.core.triggers import DEPENDENCY

ANY = "*"  # the key of a pattern in which no word is certain
_REQUEST = r"(?:pr|pull request|mr|merge request)s?"
_PACKAGE = r"(?:dependency|dependencies|package)"
_PHRASES = (  # of events, and the stem that stands for each
    (rf"(?:(?:open|creat)\w*\s+(?:(?:an?|the)\s+)?)?{_REQUEST}", "pr"),
    (rf"(?:add|install)\w*\s+(?:(?:an?|the|new)\s+)*{_PACKAGE}|(?:new\s+)?dependenc(?:y|ies)", DEPENDENCY),
    *(
        (rf"{act.removesuffix('e')}(?:e|e?s|e?d|\w?ed|\w?ing|ments?)?", stem(act))
        for act in ("commit", "push", "rebase", "tag", "amend", "merge", "release", "publish", "deploy")
    ),
)
_LEAD = r"(?:(?:before|after|when|at|on|each|every|any|all|a|an|the|you|we)\s+)*"
_EVENT = re.compile(
    rf"{_LEAD}(?:{'|'.join(f'(?P<e{n}>{phrase})' for n, (phrase, _) in enumerate(_PHRASES))})"
    r"(?: messages?)?(?:\s+(?:directly\s+)?(?:in)?to\s+(?:the\s+)?(?P<to>[\w./*-]+))?"
    r"(?P<flags>(?:\s+--?\w[\w-]*)*)",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(\s*)(\w+|[^\w\s])")
_QUOTE = "'\"`"
# An operator is no part of a longer one: `==` is not in `===`.
_OPERATORS = "=!<>&|+*/?~^%-"
NO_SIGN_BEFORE, NO_SIGN_BEHIND = rf"(?<![{_OPERATORS}])", rf"(?![{_OPERATORS}])"
# In code that may be a comment: its signs, and directives to tools.
_COMMENTED = ("#", "//", "/*", "<!--", "TODO", "FIXME", "noqa", "nolint", "-ignore", "-disable", ": ignore")
# A glob of file names: by the ending, by a name with an ending, or of a file that has a name of its own.
_GLOB = re.compile(r"[\w.-]*\*+[\w.-]*\.[\w{},]+|[\w-]+\.[\w.-]+\.\*|(?:\.\w|[A-Z][a-z])[\w.-]*\*")
_WORD = re.compile(r"[a-z][a-z0-9_-]*")
_NAME = re.compile(r"\.?[\w@+-]+(?:\.[A-Za-z][\w-]*)*")


class Pattern(NamedTuple):
    """A parsed pattern.

    Attributes:
        text: without the branch, as it was given.
        branch: the name or glob of the branch on which alone it holds; empty for any.
        event: the stem of an event, with its target and flags; empty for no event.
        words: the words of the text.
    """

    text: str
    branch: str = ""
    event: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def is_place(self) -> bool:
        """Return whether it can only be a folder or a glob of files."""
        elsewhere = "://" in self.text or self.text.startswith("../") or re.search(r"[()\s;=]", self.text)
        glob = "*" in self.text and ("/" in self.text or _GLOB.fullmatch(self.text) is not None)
        return bool(self.text) and not elsewhere and (glob or self.text.endswith(("/", "\\")))

    @property
    def word(self) -> str:
        """Return the only word, if it is an ordinary one: the name of a program, a package or a function."""
        return self.text if _WORD.fullmatch(self.text) else ""

    @property
    def program(self) -> str:
        """Return the only word, if it is the name of a program."""
        return self.word if self.word in PROGRAMS else ""

    @property
    def comments(self) -> bool:
        """Return whether it may be a part of a comment."""
        return any(sign in self.text for sign in _COMMENTED)


@lru_cache(1_024)
def parse(given: str) -> Pattern:
    """Return the meaning of a pattern.

    >>> found = parse("before each commit on branch release/*")
    >>> found.event, found.branch
    (('commit',), 'release/*')
    >>> parse("merge into main").event, parse("new dependency").event, parse("git push").event
    (('merg', 'main'), ('dependency',), ())
    """
    text, branch = given.strip().strip("`").strip(), ""
    spelt = f" {text}".replace(" Branch ", " branch ").replace(" branch: ", " branch ")
    act, on, name = spelt.rpartition(" branch ")
    if not on:
        act, on, name = f" {text}".rpartition(" on ")
        on = on if _EVENT.fullmatch(act.strip()) else ""  # "commit on main"
    if on and name and " " not in name and (on == " on " or not act.strip() or act.endswith(" on")):
        text, branch = f"{act} ".removesuffix(" on ").strip(), name.strip("`")
    found = _EVENT.fullmatch(text)
    event: tuple[str, ...] = ()
    if found:
        names = (acts for n, (_, acts) in enumerate(_PHRASES) if found[f"e{n}"])
        event = (next(names), *filter(None, (found["to"],)), *found["flags"].split())
    return Pattern(text, branch, event, tuple(text.split()))


def on_branch(pattern: Pattern, branch: str) -> bool:
    """Return whether a pattern holds on the branch that is checked out."""
    return not pattern.branch or fnmatchcase(branch, pattern.branch)


def key_of(given: str) -> str:
    """Return a word that each action with the pattern has; ANY if none is certain.

    >>> [key_of(one) for one in ("git push -f", "fmt.Errorf(...%v", "before a commit", "**/*Test.java", "!!")]
    ['git', 'errorf', 'event:commit', 'java', '*']
    """
    pattern = parse(given)
    if pattern.event:
        return f"event:{pattern.event[0]}"
    first = pattern.words[0] if pattern.words else ""
    if len(pattern.words) > 1 and re.fullmatch(r"[a-z]\w*", first):
        return first
    certain: list[str] = []
    pieces = re.split(r"\.\.\.|\*|\{[^{}]*\}", pattern.text.lower())
    for number, piece in enumerate(pieces):
        words = re.findall(r"\w+|\W+", piece)
        begins, ends = number == 0 or piece[:1] == " ", number == len(pieces) - 1 or piece[-1:] == " "
        whole = words[0 if begins else 1 : len(words) if ends else -1]  # beside a gap a word may go on
        certain += [word for word in whole if word[0].isalnum() or word[0] == "_"]
    return max(certain, key=len, default=ANY)


def keys_in(text: str) -> Iterator[str]:
    """Yield the words of a text that may be keys of patterns, in lower case."""
    return (word.lower() for word in re.findall(r"\w+", text))


def is_file(pattern: Pattern, path: str, *, plain: bool) -> bool:
    """Return whether a path is of the file, the folder or the glob that a pattern names.

    Args:
        pattern: the pattern.
        path: from the project's root.
        plain: an ordinary word may name a folder, or a file without its ending.

    >>> places = ("src/", "*.{ts,tsx}", "Dockerfile", "src/app.ts", "app", "web/src/app.ts", "**/*pp.ts")
    >>> [is_file(parse(one), "web/src/app.ts", plain=True) for one in places]
    [True, True, False, True, True, True, True]
    """
    text = pattern.text.replace("\\", "/").removeprefix("./").lstrip("/")
    if not text or not pattern.text:
        return False
    if "*" in text and pattern.is_place:
        folder = f"{text}**" if text.endswith("/") else text
        spelt = (folder, f"**/{folder}", f"{text}/**", f"**/{text}/**")
        return any(matches(glob, path) for glob in spelt)
    if "/" in text:
        return f"/{path}/".find(f"/{text.rstrip('/')}/") >= 0
    parts = path.split("/")
    if not _NAME.fullmatch(text):
        return False
    named = not plain and re.fullmatch(r"[a-z][a-z0-9_-]*", text)
    words = {*parts, parts[-1].partition(".")[0]} if plain else {parts[-1]}
    return not named and text in words


@lru_cache(1_024)
def _code(text: str) -> tuple[re.Pattern[str], ...]:
    """Return the parts of code between gaps, as patterns in order; beside a gap a word may go on."""
    pieces = text.split("...")
    case = re.IGNORECASE if text.isupper() and " " in text.strip() else 0  # "SELECT *"
    signs = all(one in _OPERATORS for one in text)
    start, end = (NO_SIGN_BEFORE, NO_SIGN_BEHIND) if signs else (r"(?<!\w)", r"(?!\w)")
    parts = []
    for number, part in enumerate(pieces):
        begins = (number == 0 or part[:1] == " ") and (signs or re.match(r"\s*\w", part))
        ends = (number == len(pieces) - 1 or part[-1:] == " ") and (signs or part.rstrip()[-1:].isalnum())
        parts.append(re.compile((start if begins else "") + _spelt(part) + (end if ends else ""), case))
    return tuple(parts)


def _spelt(part: str) -> str:
    """Return a pattern for code: any space beside a sign, any quotes."""
    spelt, before = "", ""
    for space, token in _TOKEN.findall(part):
        if before[-1:].isalnum() and token[0].isalnum():
            spelt += r"\s+"
        elif before and (space or token[0].isalnum()):
            spelt += r"\s*"
        spelt += f"[{_QUOTE}]" if token in _QUOTE else re.escape(token)
        before = token
    return spelt


def uses(word: str, line: str) -> bool:
    """Return whether a line has a word by itself, and does not merely give a variable that name.

    >>> [uses("lodash", line) for line in ("import lodash", "import x from 'lodash-es'", "lodash = 1")]
    [True, False, False]
    """
    alone = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", line) is not None
    return alone and re.match(rf"\s*(?:\w+\s+)?{re.escape(word)}\s*:?=(?!=)", line) is None


def has_code(text: str, line: str) -> bool:
    """Return whether a line has some code, by whole words; `...` is any text, and capitals match any case.

    >>> [has_code("fmt.Errorf(...%v", line) for line in ('fmt.Errorf("a: %v", err)', 't.Errorf("%v", a)')]
    [True, False]
    >>> has_code("SELECT *", "select * from a"), has_code("new", "new_node"), has_code(":latest", "a:latest")
    (True, False, True)
    """
    at = 0
    for part in _code(text):
        found = part.search(line, at)
        if found is None:
            return False
        at = found.end()
    return bool(text.strip(". "))
