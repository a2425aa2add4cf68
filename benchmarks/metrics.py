"""The arithmetic of the benchmarks: pure functions over ranked lists and times."""

from __future__ import annotations

import random
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Interval(NamedTuple):
    """A mean difference with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


def unique(ranked: Iterable[Key | None]) -> list[Key]:
    """Return a ranking with each key once, at its best place; `None` (no key) is dropped.

    >>> unique(["a", None, "b", "a"])
    ['a', 'b']
    """
    return list(dict.fromkeys(key for key in ranked if key is not None))


def recall_at(ranked: Sequence[Key], gold: Collection[Key], k: int) -> float:
    """Return the share of the gold keys among the first k.

    Raises:
        ValueError: there is no gold; such a question has no recall.
    """
    if not gold:
        raise ValueError("recall needs at least one gold key")
    return len(set(ranked[:k]) & set(gold)) / len(set(gold))


def all_at(ranked: Sequence[Key], gold: Collection[Key], k: int) -> float:
    """Return 1.0 when every gold key is among the first k, otherwise 0.0."""
    return float(recall_at(ranked, gold, k) == 1.0)


def reciprocal_rank(ranked: Sequence[Key], gold: Collection[Key]) -> float:
    """Return 1 / place of the first gold key, 0.0 when none is there.

    >>> reciprocal_rank(["a", "b", "c"], ["c", "b"])
    0.5
    """
    return next((1.0 / place for place, key in enumerate(ranked, 1) if key in gold), 0.0)


def mean(values: Iterable[float]) -> float:
    """Return the arithmetic mean, 0.0 of nothing."""
    kept = list(values)
    return sum(kept) / len(kept) if kept else 0.0


def percentile(values: Iterable[float], q: float) -> float:
    """Return the q-th percentile (0..100) with linear interpolation between the two nearest values.

    Raises:
        ValueError: there are no values, or q is outside 0..100.

    >>> percentile([4, 1, 3, 2], 50), percentile([1, 2, 3], 100)
    (2.5, 3.0)
    """
    ordered = sorted(values)
    if not ordered or not 0 <= q <= 100:
        raise ValueError("a percentile needs values and 0 <= q <= 100")
    place = (len(ordered) - 1) * q / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (place - below))


def rrf(lists: Iterable[Sequence[Key]], constant: int = 60) -> list[Key]:
    """Return one ranking by the sum of 1 / (constant + place) over the lists, ties by key text.

    Source: Cormack, Clarke and Buettcher, SIGIR 2009; 60 is their constant. Every list counts the
    same: this is the naive fusion that a weighted one has to beat.
    """
    scores: dict[Key, float] = {}
    for ranked in lists:
        for place, key in enumerate(ranked, 1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (constant + place)
    return sorted(scores, key=lambda key: (-scores[key], str(key)))


def paired_interval(
    ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], *, rounds: int = 1000, seed: int = 1
) -> Interval:
    """Return the mean difference of paired scores and its bootstrap interval over groups.

    Scores of one group (the queries of a commit, the questions of a dialogue) are drawn together,
    because they are not independent. The mean is over scores, not over groups.

    Args:
        ours: one list of scores for each group.
        theirs: the same shape, in the same order.
        rounds: how many samples are drawn.
        seed: of the random numbers, so that a second run gives the same interval.
    """
    groups = [
        (sum(a) - sum(b), len(a)) for a, b in zip(ours, theirs, strict=True) if len(a) == len(b) and len(a)
    ]
    if not groups:
        return Interval(0.0, 0.0, 0.0)
    draw = random.Random(seed)
    means = []
    for _ in range(rounds):
        sample = draw.choices(groups, k=len(groups))
        means.append(sum(d for d, _ in sample) / sum(n for _, n in sample))
    whole = sum(d for d, _ in groups) / sum(n for _, n in groups)
    return Interval(whole, percentile(means, 2.5), percentile(means, 97.5))
