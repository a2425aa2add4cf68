"""Compare a later statement with an earlier one: the same, a replacement, or a different subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from remora.core.directive import directive
from remora.core.directive_words import (
    AUXILIARY,
    LASTS,
    NEGATES,
    STOPS,
    USES,
    clauses,
    one_of,
)
from remora.core.stems import stem
from remora.core.text import NEGATIONS, STOP_WORDS, cjk_pairs, salient, words
from remora.core.things import Thing

_NOW_WORDS = one_of(
    """now from·now·on no·longer any·more anymore instead nowadays ab·jetzt nicht·mehr désormais ahora agora
    теперь"""
)
NOW = re.compile(rf"(?<!\w)(?:{_NOW_WORDS})(?!\w)|现在|改用|今後", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# Stems of words with little meaning in any rule: light verbs and their company.
_NOISE = frozenset(
    stem(word)
    for word in f"""{AUXILIARY} use run have be keep kept get make do need want set go must may shall allow
    write written store live please longer here project add let every each all any""".split()
)
_ORIGIN = re.compile(r"(?<!\s)\s*\((?:said|seen|from)\b[^()]*\)\W*$")
_EXCEPTING = frozenset("except unless without only other than".split())
_ORDERING = frozenset("above after before below until under once".split())
_MEASURE = re.compile(
    r"(?<!\d)(?<!\d[.,])\d++(?>(?:[.,]\d++)*)\s?"
    r"(?:%|(?:ms|s|sec\w*|min\w*|hours?|h|days?|weeks?|months?|years?|[kmgt]i?b|percent|characters?|lines?|columns?|"
    r"requests?|retries|attempts|tokens|rows|items)\b)",
    re.IGNORECASE,
)
FARTHEST = 8  # differing words of two statements on one subject; the long forms of what each names count
_HYPHEN = re.compile(r"(?<=\w{3})-(?=\w{3})")
_NAME_PART = re.compile(r"[\w-]+")
_TELLING = re.compile(r"(?<![\w@./+-])[\w@./+-]*\w(?:\(\))?")


class _Reading:
    """A statement, parsed for comparison with another."""

    def __init__(self, text: str) -> None:
        text = _ORIGIN.sub("", text)
        found = directive(text)
        self.forbidden = _named(found.forbids)
        self.wanted = _named(found.wants)
        self.where = {*found.inside, *found.about, *(f"not {p}" for p in found.exempt)}
        self.numbers = set(_NUMBER.findall(text))
        # "ne ... jamais", "no ... nunca": several negators of one clause deny it once.
        self.denials = sum(NEGATES.search(one) is not None for one in clauses(text)) % 2
        self.denied = self.denials == 1 and not found.wants
        self.words = _words_of(text)
        self.telling = frozenset(self.words)
        self.turns = _ORDERING.intersection(words(text))
        self.before = {event[0] for event in found.before}
        self.build = _build(text)
        unmeasured, measures = _MEASURE.subn(" ", text)
        self.measures = measures > 0
        self.marks = set(_NUMBER.findall(unmeasured))
        self.changes = NOW.search(text) is not None


def relation(newer: str, older: str) -> str:
    """Return how a later statement relates to an earlier one: "same", "later" (a replacement) or "apart".

    "same": equal names, numbers and polarity, and all significant words, in the same roles. "later": both
    have the same subject in the same cases, and one denies or forbids what the other wants, or the later one
    has another number with a unit, or marks a change. Different things, places and conditions are "apart".

    >>> relation("Before every commit run make fmt", "Run make fmt before each commit")
    'same'
    >>> relation("use npm, not pnpm", "use pnpm, not npm")
    'later'
    >>> relation("The staging port is 5433", "The production port is 5434")
    'apart'
    """
    if len(matter(newer) ^ matter(older)) > FARTHEST:
        return "apart"
    one, other = _reading(newer), _reading(older)
    if one.where != other.where:
        return "apart"
    mine, theirs = one.telling - other.telling, other.telling - one.telling
    if _chooses_otherwise(one, other):
        return "later"
    ordered = [w for w in one.words if w in other.telling] == [w for w in other.words if w in one.telling]
    measured = one.marks == other.marks if one.measures and other.measures else one.changes
    if not mine and not theirs and one.numbers != other.numbers and not measured:
        return "apart"  # numbers distinguish the subjects
    if not mine and not theirs:
        if not ordered and one.build == other.build and one.denied == other.denied:
            return "apart"  # its parts are swapped: "from base to app", "from app to base"
        if one.before and other.before and one.before != other.before:
            return "apart"
        if (one.denied, one.numbers) == (other.denied, other.numbers):
            return "same" if (one.denials, one.turns) == (other.denials, other.turns) else "apart"
        return "later" if ordered or one.denied == other.denied else "apart"
    shared, different = len(one.telling & other.telling), len(mine) + len(theirs)
    if one.denied != other.denied:
        near = ordered and shared == min(len(one.telling), len(other.telling)) and different <= 1
        moved = one.changes and different <= 2 and 2 * shared >= len(other.telling)
        return "later" if shared and (near or moved) else "apart"
    if one.forbidden & other.forbidden:
        return "apart"
    begins = bool(one.words) and one.words[0] in other.telling
    return "later" if one.changes and begins and len(mine) <= 2 and len(theirs) <= 1 else "apart"


def restates(content: str, said: str) -> bool:
    """Return whether a statement restates a person's words: in the same cases, and without new names.

    At least two of its significant words, and two thirds of them, were said; they include half of the
    significant words of one clause.

    >>> restates("Never push directly to main", "please never push to main directly, ok")
    True
    >>> restates("Never push to main, except with --force", "never push to main")
    False
    """
    one, other = _reading(content), _reading(said)
    if (one.where, one.numbers) != (other.where, other.numbers):
        return False
    (asked, denied), (was_asked, was_denied) = _asked_and_denied(content), _asked_and_denied(said)
    turned = (asked & was_denied) - was_asked or (denied & was_asked) - was_denied
    if turned or bool(denied) != bool(was_denied):
        return False
    if one.turns - other.turns or (_names(content) - _names(said)) or relation(content, said) == "later":
        return False
    shared = one.telling & other.telling
    parts = (set(_telling(clause)) for clause in clauses(said))
    of_one = any(part and 2 * len(part & shared) >= len(part) for part in parts)
    return of_one and len(shared) >= 2 and 3 * len(shared) >= 2 * len(one.telling)


def _asked_and_denied(text: str) -> tuple[set[str], set[str]]:
    """Return the significant words without a negator before them in their clause, and those after one."""
    asked: set[str] = set()
    denied: set[str] = set()
    for clause in clauses(text):
        before, *behind = NEGATES.split(clause, 1)
        asked.update(_telling(before))
        denied.update(_telling(" ".join(behind)))
    return asked, denied


def _names(text: str) -> frozenset[str]:
    """Return the names in a text, and the words that make an exception."""
    return (salient(text) - NEGATIONS) | _EXCEPTING.intersection(words(text))


def _named(things: Iterable[Thing]) -> set[str]:
    return {str(thing).lower().removesuffix("()") for thing in things if thing.kind != "words"}


def matter(text: str) -> frozenset[str]:
    """Return the stems of the significant words of a statement."""
    return frozenset(_words_of(text))


@lru_cache(maxsize=4_096)  # a new statement is compared with many
def _words_of(text: str) -> tuple[str, ...]:
    """Return the significant words of a statement, in order, without its numbers."""
    text = _ORIGIN.sub("", text)
    numbers = set(_NUMBER.findall(text))
    return tuple(word for word in _telling(text) if word not in numbers)


@lru_cache(maxsize=256)  # a statement is compared with several
def _reading(text: str) -> _Reading:
    return _Reading(text)


def _chooses_otherwise(one: _Reading, other: _Reading) -> bool:
    """Return whether one statement wants what the other forbids, for the same subject."""
    if not (one.forbidden & other.wanted or one.wanted & other.forbidden):
        return False
    chosen = one.forbidden | one.wanted | other.forbidden | other.wanted
    named = {stem(part) for thing in chosen for part in _NAME_PART.findall(thing)}
    return len((one.telling ^ other.telling) - named) <= 1


def _build(text: str) -> tuple[str, ...]:
    """Return the words of a statement, with its significant words left blank."""
    return tuple("" if any(_telling(word)) else word for word in text.lower().split())


def _telling(text: str) -> Iterator[str]:
    """Yield the stems of the significant words of a text."""
    bare = NEGATES.sub(" ", LASTS.sub(" ", NOW.sub(" ", text)))
    for word in _TELLING.findall(_HYPHEN.sub(" ", bare).replace("`", " ")):
        if pairs := cjk_pairs(word):
            yield from pairs
            yield from (stem(w) for w in re.findall(r"[A-Za-z][\w.-]+", word))
            continue
        low = word.lower().strip("./()")
        if low not in STOP_WORDS and low not in STOPS and low not in USES and stem(low) not in _NOISE:
            yield stem(low)
