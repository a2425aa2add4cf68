"""Mark contradictions between the user's own memories and the project's.

Neither is hidden: both are shown, attributed, next to each other. The personal one comes first if it is both
more confident and newer (section 21.10).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from remora.core.statement import word_set
from remora.core.text import NEGATIONS, STOP_WORDS, jaccard, salient, words
from remora.core.values import Hit, MemoryRecord

# Statements that can contradict each other; a list of files or an outcome cannot.
OPINIONS = frozenset({"decision", "preference", "requirement", "pattern", "gotcha"})
SAME_MATTER = 0.55  # cosine from which two statements speak of the same thing
SHARED_WORDS = 0.25  # Jaccard in place of the cosine, without vectors
MOST_SWAPPED = 2  # words in the one place where two statements differ
# These words keep two texts from being merged, but do not negate a sentence.
_NOT_DENIALS = frozenset({"must", "instead", "except", "unless"})
_DENIALS = NEGATIONS - _NOT_DENIALS
_WORD = re.compile(r"[\w']+")

Similarity = Callable[[Hit, Hit], float | None]


def mark(hits: list[Hit], similarity: Similarity) -> list[Hit]:
    """Return the hits with disagreements noted in `disagrees_with`, personal before project if it wins.

    Args:
        hits: best first.
        similarity: cosine of two hits' texts; None when unknown.
    """
    found = list(hits)
    mine = [h for h in hits if h.realm == "user" and h.memory is not None]
    theirs = [h for h in hits if h.realm == "project" and h.memory is not None]
    for own in mine:
        for other in theirs:
            if not _differ(own, other, similarity):
                continue
            a, b = _place(found, own), _place(found, other)
            found[a] = found[a]._replace(disagrees_with=(*found[a].disagrees_with, other.id))
            found[b] = found[b]._replace(disagrees_with=(*found[b].disagrees_with, own.id))
            if a > b and _overrides(own.memory, other.memory):
                lifted = found.pop(a)
                found.insert(b, lifted._replace(score=max(lifted.score, found[b].score)))
    return found


def cut(hits: Sequence[Hit], k: int) -> list[Hit]:
    """Return the first k hits; a hit that contradicts a kept one replaces the last of the others."""
    kept = list(hits[:k])
    wanted = {i for h in kept for i in h.disagrees_with}
    for partner in (h for h in hits[k:] if h.memory is not None and h.id in wanted):
        places = [n for n, h in enumerate(kept) if n > 0 and not h.disagrees_with]
        if places:
            del kept[places[-1]]
            kept.append(partner)
    return kept


def _differ(own: Hit, other: Hit, similarity: Similarity) -> bool:
    a, b = own.memory, other.memory
    assert a is not None
    assert b is not None
    for first, second in ((a, b), (b, a)):
        for relation in first.relations:
            if relation.relation_type == "conflicts_with" and relation.target_memory_id == second.id:
                return True
    if a.type not in OPINIONS or b.type not in OPINIONS:
        return False
    cosine = similarity(own, other)
    if cosine is not None and cosine < SAME_MATTER:
        return False
    mine, theirs = word_set(own.text), word_set(other.text)
    if cosine is None and jaccard(mine, theirs) < SHARED_WORDS:
        return False
    if _denied(own.text) != _denied(other.text):
        return True
    if mine <= theirs or theirs <= mine:
        return False  # one includes the other
    named = (salient(own.text) ^ salient(other.text)) - NEGATIONS - (mine & theirs)
    return bool(named) or _swapped(words(own.text), words(other.text))


def _denied(text: str) -> bool:
    return any(w in _DENIALS for w in _WORD.findall(text.lower().replace("\u2019", "'")))


def _swapped(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two statements differ in one place only, as "use tabs" and "use spaces"."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    common = [w for w in (*one[:start], *one[len(one) - end :]) if w not in STOP_WORDS]
    rests = len(one) - start - end, len(other) - start - end
    return len(common) >= 2 and all(1 <= rest <= MOST_SWAPPED for rest in rests)


def _overrides(own: MemoryRecord | None, other: MemoryRecord | None) -> bool:
    assert own is not None
    assert other is not None
    return own.confidence > other.confidence and own.created_at > other.created_at


def _place(hits: list[Hit], wanted: Hit) -> int:
    return next(i for i, h in enumerate(hits) if (h.realm, h.id) == (wanted.realm, wanted.id))
