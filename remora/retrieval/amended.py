"""Put a turn that restates an earlier one before it.

If a short sentence of each of two turns by the same speaker covers most of the question's words, the later
one restates the matter, mostly with another value. Both are shown, the later one first, and the earlier one
names it. No hit is removed, so a wrong guess costs a place and no hit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from remora.core.stems import stem
from remora.core.text import STOP_WORDS, query_terms
from remora.core.values import Hit, Turn

PAGE = 10  # hits that are compared
COVERED = 0.6  # of the weight of the question's words, by one sentence
MORE_WORDS = 4  # of a sentence that are not the question's; a longer one is about something else as well
AS_WELL = 0.8  # of what the earlier one covers
MOST_SENTENCES = 40  # of a turn
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")


class _Said(NamedTuple):
    turn: Turn
    covered: float


def mark(hits: Sequence[Hit], turns: Mapping[str, Turn], weights: Mapping[str, float]) -> list[Hit]:
    """Return hits with later turns before the earlier ones that they restate, named in `amended_by`.

    Args:
        hits: best first.
        turns: of the hits that are turns, by id.
        weights: of the question's words.
    """
    by_stem: dict[str, float] = {}
    for word, weight in weights.items():
        by_stem[stem(word)] = max(weight, by_stem.get(stem(word), 0.0))
    found = list(hits)
    said = {
        hit.id: _Said(turn, covered(turn.content, by_stem, AS_WELL * COVERED))
        for hit in hits[:PAGE]
        if hit.source == "turn" and (turn := turns.get(hit.id)) is not None
    }
    said = {key: one for key, one in said.items() if one.covered}
    for old, earlier in said.items():
        after = [key for key, later in said.items() if _amends(later, earlier)]
        if not after:
            continue
        place = next(n for n, hit in enumerate(found) if hit.source == "turn" and hit.id == old)
        found[place] = found[place]._replace(amended_by=tuple(after))
        score = found[place].score
        below = [hit.source == "turn" and hit.id in after for hit in found[place:]]
        pairs = list(zip(found[place:], below, strict=True))
        raised = [hit._replace(score=max(hit.score, score)) for hit, later in pairs if later]
        found[place:] = [*raised, *(hit for hit, later in pairs if not later)]
    return found


def covered(text: str, weights: Mapping[str, float], least: float = 0.0) -> float:
    """Return the share of the weight of some stems that one short sentence of a text holds, at most.

    A share below the least is 0.

    >>> covered("We use Redis. The port is 6379.", {"port": 2.0, "redis": 2.0})
    0.5
    """
    whole = sum(weights.values())
    best = 0.0
    beginnings = [(one[:4], weight) for one, weight in weights.items()]
    for sentence in _SENTENCE.split(text)[:MOST_SENTENCES]:
        low = sentence.lower()
        long = len(set(low.split()) - STOP_WORDS) > MORE_WORDS + len(weights)
        most = sum(weight for one, weight in beginnings if one in low)
        if long or most <= best or most < least * whole:
            continue  # a look that costs little: most sentences end here
        own = {stem(word) for word in query_terms(sentence)}
        held = own.intersection(weights)
        if len(own - held) <= MORE_WORDS:
            best = max(best, sum(weights[one] for one in held))
    return best / whole if best and best >= least * whole else 0.0


def _amends(later: _Said, earlier: _Said) -> bool:
    a, b = earlier.turn, later.turn
    if a.role != b.role or earlier.covered < COVERED or later.covered < AS_WELL * earlier.covered:
        return False
    if a.session_id == b.session_id:
        return a.position < b.position
    return a.at is not None and b.at is not None and a.at < b.at
