"""Find where the user's own memories and the project's say different things about the same matter.

Neither is hidden: both are shown, attributed, next to each other. The personal one goes first when
it is both surer and newer (section 21.10).
"""

from __future__ import annotations

from collections.abc import Callable

from remora.core.sketch import word_set
from remora.core.text import NEGATIONS, jaccard, salient, words
from remora.core.values import Hit, MemoryRecord

# Statements that can contradict each other; a list of files or an outcome cannot.
OPINIONS = frozenset({"decision", "preference", "requirement", "pattern", "gotcha"})
SAME_MATTER = 0.55  # cosine from which two statements speak of the same thing
SHARED_WORDS = 0.25  # Jaccard that says so where there are no vectors
SAME_STATEMENT = 0.85

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
    shared = jaccard(word_set(own.text), word_set(other.text))
    if shared > SAME_STATEMENT and salient(own.text) == salient(other.text):
        return False
    cosine = similarity(own, other)
    same_matter = cosine >= SAME_MATTER if cosine is not None else shared >= SHARED_WORDS
    return same_matter and (
        _negated(own.text) != _negated(other.text) or salient(own.text) != salient(other.text)
    )


def _negated(text: str) -> bool:
    return any(w in NEGATIONS for w in words(text))


def _overrides(own: MemoryRecord | None, other: MemoryRecord | None) -> bool:
    assert own is not None
    assert other is not None
    return own.confidence > other.confidence and own.created_at > other.created_at


def _place(hits: list[Hit], wanted: Hit) -> int:
    return next(i for i, h in enumerate(hits) if (h.realm, h.id) == (wanted.realm, wanted.id))
