"""Merge the paths' results into one order, on one scale.

The fusion answers two questions.

*Which candidates deserve a closer look?* Weighted reciprocal rank fusion (Cormack, Clarke and Buettcher,
2009): each path adds weight / (60 + rank) to its results; ranks need no common scale.

*How relevant is each?* Ranks cannot answer this: the best of a bad list has rank 1 too, and a fusion of ranks
loses to its best path wherever one path is much better than the other (on CoSQA: .48 against .545). So the
evidence itself is added up, each kind on an absolute scale: the cosine of the vectors; the share of the
query's words that a text covers, weighted by their rarity (its BM25 score divided by the highest possible
score); and closeness in the file graph. The weight of the words depends on the confidence of the vectors: if
the best cosine stands far above the rest, the words add noise; if no cosine stands out, the words decide.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

RRF_K = 60

Id = TypeVar("Id", bound=Hashable)


def weighted_rrf(paths: Sequence[tuple[Sequence[Id], float]]) -> dict[Id, float]:
    """Return the fused score of every id: the sum of weight / (RRF_K + rank + 1), rank from 0 (section 7).

    >>> scores = weighted_rrf([(["a", "b", "c"], 0.5), (["c", "a", "b"], 0.5)])
    >>> round(scores["a"], 7), round(scores["c"], 7)
    (0.0162612, 0.0161332)
    """
    scores: dict[Id, float] = {}
    for ids, weight in paths:
        for rank, found in enumerate(ids):
            scores[found] = scores.get(found, 0.0) + weight / (RRF_K + rank + 1)
    return scores


def idf(rows: int, holding: int) -> float:
    """Return the inverse document frequency of a term as FTS5 computes it, never below 1e-6."""
    # Another process may write between the two counts, so that more hold a term than there were.
    return max(1e-6, math.log((max(0, rows - holding) + 0.5) / (holding + 0.5)))


def logistic(x: float) -> float:
    """Return 1 / (1 + e^-x) without overflow."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


def with_odds(probability: float, factor: float) -> float:
    """Return a probability with its odds multiplied; it stays between 0 and 1 and keeps its order.

    >>> with_odds(0.5, 3.0)
    0.75
    """
    odds = probability / max(1e-12, 1.0 - probability) * factor
    return odds / (1.0 + odds)


# How much each kind of evidence counts, beside the cosine's 1. Found on LoCoMo, BEAM and CoSQA
# together (benchmarks/README.md has the ablation); halving or doubling any of them costs little.
OWN_WORDS = 0.75  # the share of the query that an item's own words cover, times their trust
WINDOW_WORDS = 0.75  # the same for a turn together with its neighbours,
WINDOW_CHARACTERS = 300  # less for a longer turn
NEIGHBOUR_COSINE = 0.2  # share of each direct neighbour's cosine
AUTHOR = 0.25  # the question names the speaker, or says "I" and the user spoke
THEN = 0.35  # the turn was said in the days that the question names
ASKS = 0.2  # subtracted from a short question: it is no answer
GRAPH = 0.2  # closeness to the files at hand; more displaces the task's subject (`benchmarks standing`)
# Trust in the words: how far the best match stands above the tenth, as a share of the best.
TRUST_FROM, TRUST_TO = 0.3, 0.5
# Stands in for the cosine of an item that has no vector (yet): what words alone let one expect.
EXPECTED_COSINE, EXPECTED_SLOPE = 0.20, 0.5


class Scale(NamedTuple):
    """The logistic function from summed evidence to relevance: 0.5 at `middle`."""

    middle: float
    spread: float


MEMORY_SCALE = Scale(0.48, 0.08)
TURN_SCALE = Scale(0.90, 0.16)


def trust(covered: Sequence[float]) -> float:
    """Return the trust in keyword matches, 0..1, from the shares they cover.

    One text that covers the query far better than nine others is a good match; ten that cover it alike
    only share common words.

    >>> trust([0.9, 0.2, 0.1]), trust([0.5] * 10)
    (1.0, 0.0)
    """
    best = sorted(covered, reverse=True)
    if not best or best[0] <= 0.0:
        return 0.0
    tenth = best[9] if len(best) > 9 else 0.0
    gap = (best[0] - tenth) / best[0]
    return min(1.0, max(0.0, (gap - TRUST_FROM) / (TRUST_TO - TRUST_FROM)))


def cosine_or_expected(cosine: float | None, covered: float) -> float:
    """Return a cosine, or its expected value for the covered share of the query."""
    return cosine if cosine is not None else EXPECTED_COSINE + EXPECTED_SLOPE * covered


def relevance(evidence: float, scale: Scale) -> float:
    """Return summed evidence as a relevance, 0..1."""
    return logistic((evidence - scale.middle) / scale.spread)
