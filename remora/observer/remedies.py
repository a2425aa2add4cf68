"""What an edit did about a finding: silenced it, changed the line it points at, or reworked what it names.

An edit says something about a finding when it touches the line of code that the tool printed, silences
the rule, or changes lines that hold a name of the message. What is about a whole function (duplication,
complexity) is told by the functions that are new and by what the model said it would do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.events import Remedy
from remora.core.text import shorten
from remora.observer.changes import Hunk
from remora.observer.findings import Finding

SIDE = 150  # characters of each side of a change
SAID = 160
EDIT = 1_200  # of each side of an edit
# How surely a remedy belongs to a finding: it is at the line; beside it, or what such a rule asks for; only
# by a name of it; only by what the model said; only for being the one change of its file.
AT_LINE, NEAR, BY_NAME, BY_WORDS, BY_PLACE = 4, 3, 2, 1, 0

_SHARED = 60  # characters that both sides of a long change begin with before they are left out
_SHORT = 3  # characters of a name that may stand anywhere
_WORDS = 3  # that say less are left out
_ALIKE, _UNLIKE = 0.6, 0.3  # of two lines of which one became the other, and did not
_MARK = re.compile(
    r"(?:(?://|#|/\*|--|<!--)|(?<!\s))\s*(?:nolint\b|noqa\b|type:\s*ignore|pyright:\s*ignore|pylint:\s*disable|@ts-ignore"
    r"|eslint-disable|biome-ignore|@ts-expect-error|@ts-nocheck|#?nosec\b|NOLINT|rubocop:disable"
    r"|shellcheck disable|swiftlint:disable|lint:ignore|noinspection|ktlint-disable|tslint:disable)"
    r"|#!?\[(?:allow|expect)\(|@(?:Suppress|SuppressWarnings|SuppressLint)\("
)
_BARE = re.compile(r"(?:-next-line|-line|NEXTLINE)?\s*(?:$|//|--|#|\*/|-->)")
_WHOLE = re.compile(
    r"duplicat|complex|maintainab|too (?:long|many|deep|large)|nested|\bstatements\b|function length"
    r"|method length|similar (?:code|lines)",
    re.IGNORECASE,
)
_RESHAPED = re.compile(
    r"\b(?:extract|helper|split|refactor|table[- ]driven|parametri[sz]|shared|common|re-?us|simplif|smaller"
    r"|break (?:\w+ ){1,3}(?:up|down|into)|combin|merg|consolidat|inlin|dedup|separate)",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"^[ \t]*(?:(?:export|pub(?:\([^)\n]*\))?|public|private|protected|static|async|default)[ \t]++)*"
    r"(?:(?:func|def|fn|function|fun|sub)[ \t]++(?:\([^)\n]*\)[ \t]*)?(\w+)"
    r"|(?:const|let|var|val)[ \t]++(\w+)[ \t]*=[ \t]*+(?:async[ \t]*)?(?:\([^)\n]*\)[ \t]*=>|function\b))",
    re.MULTILINE,
)
_NUMBER = re.compile(r"\b[A-Z]{1,6}\d{2,5}\b")
_QUOTED = re.compile(r"[`'\"‘“]([^`'\"’”\s]{2,60})[`'\"’”]")
_CODELIKE = re.compile(r"\b\w*(?:[a-z][A-Z]|\w_\w)\w*\b")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_CONFIGURES = re.compile(
    r"(?:^|/)(?:\.?golangci\.\w+|pyproject\.toml|setup\.cfg|tox\.ini|mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc"
    r"|\.eslintrc[\w.]*|eslint\.config\.\w+|tsconfig[\w.]*\.json|biome\.jsonc?|clippy\.toml|\.rubocop\.yml"
    r"|\.shellcheckrc|\.swiftlint\.yml|detekt\.yml|package\.json|Cargo\.toml)$"
)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`\d])|\n+")
_PLAN = re.compile(
    r"\b(?:let me|let's|i'll|i will|i should|i need to|i can|i have to|we need to|we should)\s+"
    r"(?:(?:now|also|just|then)\s+)*",
    re.IGNORECASE,
)
_SAYS_NOTHING = frozenset(
    """a again all an and are both by check checks code comment complaining complains error errors file find
    first fix fixes fixed following for found get handle has have i in is issue issues it its let lint linter
    linting look me more need next now of on one other others problem problems read remaining run second see
    so some test tests that the there these this those to two update warning warnings we what with address
    directive directives complaint complaints complain finding findings""".split()
)


class Tried(NamedTuple):
    """A remedy that an edit may be, and how surely."""

    remedy: Remedy
    strength: int
    path: str


def concerns(finding: Finding) -> bool:
    """Return whether a finding is about a whole function or file, not about a line."""
    return _WHOLE.search(finding.message) is not None


def configures(path: str) -> bool:
    """Return whether a file is one that says which rules a linter has."""
    return _CONFIGURES.search(path) is not None


def silenced_in(finding: Finding, changed: Sequence[Hunk], path: str) -> Remedy | None:
    """Return how the configuration of a linter came to leave a rule out; None if it did not."""
    for hunk in changed:
        for line in hunk.after:
            if line not in hunk.before and _names(line, finding):
                return Remedy("configured", "", shorten(line, SIDE), path)
    return None


def remedy(
    finding: Finding, changed: Sequence[Hunk], said: str, *, alone: bool = False
) -> tuple[Remedy, int] | None:
    """Return what an edit of a finding's file did about it, and how surely; None if nothing.

    Args:
        finding: what was listed.
        changed: the lines of the edit.
        said: what the model said before it, sentence by sentence or in lines.
        alone: nothing else is listed of that file.
    """
    found = [r for hunk in changed if (r := _silenced(finding, hunk)) is not None]
    if found:
        return max(found, key=lambda r: r[1])
    if concerns(finding):
        return _reworked(finding, changed, said)
    found = [r for hunk in changed if (r := _at_line(finding, hunk)) is not None]
    if found:
        return max(found, key=lambda r: r[1])
    named = [hunk for hunk in changed if _speaks_of(finding, hunk)]
    if named:
        return _lines(named[0], max(named[0].before, key=len, default="")), BY_NAME
    words = _naming(said, finding)
    if words:
        return Remedy("said", said=words), BY_WORDS
    if alone and not finding.source and len(changed) == 1:
        return _lines(changed[0], max(changed[0].before, key=len, default="")), BY_PLACE
    return None


def _silenced(finding: Finding, hunk: Hunk) -> tuple[Remedy, int] | None:
    old = "\n".join(hunk.before)
    for line in hunk.after:
        found = _MARK.search(line)
        if found is None or line[found.start() :] in old:
            continue
        marked, text, rest = line[: found.start()].strip(), line[found.start() :], line[found.end() :]
        at = _marks(finding.source, marked, hunk)
        if not (_meant(text, finding) or (_BARE.match(rest) and at)):
            continue
        mark = Remedy("silenced", "", shorten(text.removesuffix("*/").strip(), SIDE))
        return mark, AT_LINE if at else BY_NAME
    return None


def _marks(source: str, marked: str, hunk: Hunk) -> bool:
    """Return whether a mark is at a line of code: behind it, or in a line of its own next to it."""
    if not source:
        return False
    if not marked:
        return source in hunk.before or source in hunk.after or source == hunk.below
    if marked == source:
        return True
    return source in hunk.before and (source.startswith(marked) or _ratio(source, marked) > _ALIKE)


def _meant(text: str, finding: Finding) -> bool:
    """Return whether a mark names the rule, or its linter and no other rule of it."""
    if not _names(text, finding):
        return False
    numbers = _NUMBER.findall(text)
    return not numbers or finding.rule in numbers or not _NUMBER.fullmatch(finding.rule)


def _names(text: str, finding: Finding) -> bool:
    """Return whether a text names a finding's rule or linter."""
    return any(_holds(text, name) for name in (finding.rule, finding.linter) if name)


def _holds(text: str, name: str) -> bool:
    """Return whether a text holds a name, not as a part of a longer one."""
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(c.isalnum() or c in "_-" for c in around):
            return True
        at = text.find(name, at + 1)
    return False


def _at_line(finding: Finding, hunk: Hunk) -> tuple[Remedy, int] | None:
    """Return what became of the line that a finding points at."""
    source = finding.source
    if not source:
        return None
    if source in hunk.before and source not in hunk.after:
        return _lines(hunk, source), AT_LINE
    if not hunk.before and source in (hunk.above, hunk.below) and _code(hunk.after):
        return Remedy("added", "", shorten(" ".join(_code(hunk.after)), SIDE)), NEAR
    return None


def _lines(hunk: Hunk, source: str) -> Remedy:
    after = _code(hunk.after)
    if not after:
        return Remedy("removed", shorten(source, SIDE))
    if not source:
        return Remedy("added", "", shorten(" ".join(after), SIDE))
    alike = [_ratio(source, line) for line in after] if len(after) > 1 else [1.0]
    best = alike.index(max(alike))
    gone = _dropped(source, after[best])
    if gone:
        return Remedy("dropped", *_sides(source, after[best]), gone)
    whole = " ".join(after)
    if len(whole) > SIDE and max(alike) < _UNLIKE:  # other code stands there now
        return Remedy("removed", shorten(source, SIDE))
    return Remedy("changed", *_sides(source, whole if len(whole) <= SIDE else " ".join(after[best:])))


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _code(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if not line.startswith(("//", "# ", "*", "/*"))]


def _sides(before: str, after: str) -> tuple[str, str]:
    """Return both sides of a change, long ones from where they begin to differ."""
    start = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    if max(len(before), len(after)) <= SIDE or start < _SHARED:
        return shorten(before, SIDE), shorten(after, SIDE)
    space = before.rfind(" ", 0, start - _SHARED // 2)
    return "…" + shorten(before[space + 1 :], SIDE), "…" + shorten(after[space + 1 :], SIDE)


def _dropped(before: str, after: str) -> str:
    """Return the words of a line that are gone where nothing was put in their place.

    >>> _dropped("func f(a int) ([]T, error) {", "func f(a int) []T {"), _dropped("x = 1", "y = 1")
    ('error', '')
    """
    rest = iter(_TOKEN.findall(after))
    gone: list[str] = []
    wanted = next(rest, None)
    for word in _TOKEN.findall(before):
        if word == wanted:
            wanted = next(rest, None)
        elif word[0].isalnum() or word == "_":
            gone.append(word)
    return " ".join(gone[:6]) if wanted is None else ""


def _speaks_of(finding: Finding, hunk: Hunk) -> bool:
    """Return whether changed lines hold a name of the message."""
    names = {*_QUOTED.findall(finding.message), *_CODELIKE.findall(finding.message)}
    changed = " ".join((*hunk.before, *hunk.after))
    return any(len(name) > _SHORT and "/" not in name and _holds(changed, name) for name in names)


def _reworked(finding: Finding, changed: Sequence[Hunk], said: str) -> tuple[Remedy, int] | None:
    """Return how a whole function was taken apart: the functions that are new, and the model's words."""
    old = "\n".join(line for hunk in changed for line in hunk.before)
    new = "\n".join(line for hunk in changed for line in hunk.after)
    known = {a or b for a, b in _DEFINED.findall(old)} | set(_CODELIKE.findall(finding.message))
    written = any(not (h.before or h.above or h.below) for h in changed)  # a whole file: what is new in it?
    names = [] if written else [name for a, b in _DEFINED.findall(new) if (name := a or b) not in known]
    words = _saying(said, _RESHAPED)
    if not names and not words:
        return None
    helpers = ", ".join(f"{name}()" for name in dict.fromkeys(names[:2]))
    return Remedy("reworked", "", helpers, words), NEAR if words else BY_NAME


def _saying(said: str, what: re.Pattern[str]) -> str:
    """Return the sentence that says most of something, without "let me"."""
    sentences = [s for s in _sentences(said) if what.search(s)]
    telling = max(sentences, key=lambda s: len({m.lower() for m in what.findall(s)}), default="")
    words = _planned(telling)
    return words if len(words.split()) > _WORDS else ""


def _naming(said: str, finding: Finding) -> str:
    """Return the last plan that names the rule and says more than that it will be mended."""
    for sentence in reversed(_sentences(said)):
        if not _names(sentence, finding) or not _PLAN.search(sentence) or " either " in sentence:
            continue
        words = re.findall(r"[a-z]+", re.sub(r"`[^`]*`", " ", sentence).lower())
        own = re.findall(r"[a-z]+", f"{finding.rule} {finding.linter} {finding.message}".lower())
        if sum(word not in _SAYS_NOTHING and word not in own for word in words) >= 3:
            return _planned(sentence)
    return ""


def _planned(sentence: str) -> str:
    """Return what a sentence says will be done: what follows the last "let me" or "I'll" of it."""
    return shorten(_PLAN.split(sentence)[-1].rstrip(" :.!"), SAID)


def _sentences(said: str) -> list[str]:
    return [s for part in _SENTENCE.split(said) if len(s := part.strip(" -*")) > 15]
