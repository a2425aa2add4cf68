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
        (rf"{act}(?:e?s|e?d|\w?ed|\w?ing|ments?)?", stem(act))
        for act in ("commit", "push", "rebas", "tag", "amend", "merg", "releas", "publish", "deploy")
    ),
    *((act, stem(act)) for act in ("rebase", "merge", "release")),
)
_LEAD = r"(?:(?:before|after|when|at|on|each|every|any|all|a|an|the|you|we)\s+)*"
_EVENT = re.compile(
    rf"{_LEAD}(?:{'|'.join(f'(?P<e{n}>{phrase})' for n, (phrase, _) in enumerate(_PHRASES))})"
    r"(?P<target>(?:\s+(?:directly\s+)?(?:in)?to\s+(?:the\s+)?(?P<to>[\w./*-]+))?)",
    re.IGNORECASE,
)
# In code that may be a comment: its signs, and directives to tools.
_COMMENTED = ("#", "//", "/*", "<!--", "TODO", "FIXME", "noqa", "nolint", "-ignore", "-disable", ": ignore")
_WORD = re.compile(r"[a-z][a-z0-9_-]*")
_NAME = re.compile(r"\.?[\w@+-]+(?:\.[A-Za-z][\w-]*)*")


class Pattern(NamedTuple):
    """A parsed pattern.

    Attributes:
        text: without the branch, as it was given.
        branch: the name or glob of the branch on which alone it holds; empty for any.
        event: the stem of an event and, for a push or a merge, its target; empty for no event.
        words: the words of the text.
    """

    text: str
    branch: str = ""
    event: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Return whether it can only be a folder or a glob of files."""
        glob = "*" in self.text and not re.search(r"[()\s;=]|\*$(?<!/\*)(?<!\w\*)(?<!/\*\*)", self.text)
        elsewhere = "://" in self.text or self.text.startswith("../")
        return len(self.words) == 1 and not elsewhere and (glob or self.text.endswith(("/", "\\")))

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
    act, on, name = f" {text}".rpartition(" branch ")
    if on and name and " " not in name and (not act.strip() or act.endswith(" on")):
        text, branch = act.removesuffix(" on").removesuffix("on").strip(), name
    found = _EVENT.fullmatch(text)
    event: tuple[str, ...] = ()
    if found:
        names = (acts for n, (_, acts) in enumerate(_PHRASES) if found[f"e{n}"])
        event = (next(names), *filter(None, (found["to"],)))
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
    text = re.sub(r"\{[^}]*\}", "*", pattern.text)
    whole = re.sub(r"\w*(?:\.\.\.|\*)\w*", " ", text)
    return max(re.findall(r"\w+", whole.lower()), key=len, default=ANY)


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
    if "*" in text and pattern.is_folder:
        folder = f"{text}**" if text.endswith("/") else text
        return matches(folder, path) or matches(f"**/{folder}", path)
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
    """Return the parts of code between gaps, as patterns that follow each other."""
    parts = []
    for number, part in enumerate(pieces := text.split("...")):
        words = part.split()
        spelt = r"\s+".join(map(re.escape, words))
        begins = number == 0 or part[:1] == " "
        ends = number == len(pieces) - 1 or part[-1:] == " "
        if words and begins:
            spelt = (r"(?<!\w)" if re.match(r"\w", words[0]) else "") + spelt
        if words and ends:
            spelt += r"(?!\w)" if re.search(r"\w$", words[-1]) else ""
        parts.append(re.compile(spelt, re.IGNORECASE if _is_sql(text) else 0))
    return tuple(parts)


def _is_sql(text: str) -> bool:
    """Return whether code is of capitals alone, so that its case does not matter: "SELECT *"."""
    return text.isupper() and len(re.findall(r"[A-Z]{2,}", text)) > 0


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
