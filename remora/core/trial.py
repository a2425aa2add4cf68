"""Statistics of the trial: compare sent advice with randomly withheld advice. Pure.

A hook event with advice is a unit; one in ten is held back at random. The difference between told and
held-back units is given with Newcombe's interval for shares (Statistics in Medicine 1998, method 10) and
Welch's for means. The verdict is computed at 30, 60, 120, … units only, each time with a part of the allowed
error, since constant looking always finds something.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Z95, Z90 = 1.959964, 1.644854
LEAST = 30  # units of an arm, below which there is no verdict
LOOKS, ALPHA = 8, 0.05  # looks that share the allowed error of a one-sided claim
PRIOR_WEIGHT = 30.0  # weight of a prior, in units
BOUNDS = (0.7, 1.5)  # of a factor that a trial may propose
SAID, HELD = "said", "held"


class Estimate(NamedTuple):
    """An estimate of one arm: number of units, mean, and its 95 % interval."""

    n: int
    mean: float
    low: float
    high: float


class Compared(NamedTuple):
    """A comparison of both arms.

    Attributes:
        name: of the metric.
        told, held: the estimate of each arm.
        difference: told minus held, with its 95 % interval.
        low, high: the bounds of that interval.
        verdict: "few" (too few units), "helps", "hurts" or "open".
        target: the target difference, as a share of the held-back mean; None for none.
    """

    name: str
    told: Estimate
    held: Estimate
    difference: float
    low: float
    high: float
    verdict: str
    target: float | None = None


def share_of(values: Sequence[float]) -> Estimate:
    """Return the share of values that are 0 or 1, with Wilson's interval."""
    n = len(values)
    if not n:
        return Estimate(0, 0.0, 0.0, 1.0)
    low, high = wilson(sum(values), n)
    return Estimate(n, sum(values) / n, low, high)


def wilson(hits: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's score interval of a share."""
    p = hits / n
    centre, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def mean_of(values: Sequence[float]) -> Estimate:
    """Return the mean with the normal interval of its error."""
    n = len(values)
    if not n:
        return Estimate(0, 0.0, 0.0, 0.0)
    mean = sum(values) / n
    error = Z95 * math.sqrt(_variance(values, mean) / n)
    return Estimate(n, mean, mean - error, mean + error)


def _variance(values: Sequence[float], mean: float) -> float:
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1) if len(values) > 1 else 0.0


def interval(
    told: Sequence[float], held: Sequence[float], *, shares: bool, z: float = Z95
) -> tuple[float, float]:
    """Return the interval of the difference of two arms, told minus held back; neither is empty."""
    one, other = sum(told) / len(told), sum(held) / len(held)
    if shares:
        low1, high1 = wilson(sum(told), len(told), z)
        low2, high2 = wilson(sum(held), len(held), z)
        down = math.hypot(one - low1, high2 - other)
        up = math.hypot(high1 - one, other - low2)
        return one - other - down, one - other + up
    error = z * math.sqrt(_variance(told, one) / len(told) + _variance(held, other) / len(held))
    return one - other - error, one - other + error


def compare(
    name: str,
    units: Sequence[tuple[str, float]],
    *,
    shares: bool,
    less_is_better: bool = True,
    target: float | None = None,
) -> Compared:
    """Return the comparison of both arms in one metric.

    Args:
        name: of the metric.
        units: (arm, value) in order of time; an arm is "said" or "held".
        shares: whether values are 0 or 1.
        less_is_better: whether lower values are better.
        target: see `Compared`.
    """
    told, held = ([v for arm, v in units if arm == which] for which in (SAID, HELD))
    estimate = share_of if shares else mean_of
    low, high = interval(told, held, shares=shares) if told and held else (-math.inf, math.inf)
    one, other = estimate(told), estimate(held)
    verdict = _verdict(units, shares=shares, less_is_better=less_is_better)
    return Compared(name, one, other, one.mean - other.mean, low, high, verdict, target)


def _verdict(units: Sequence[tuple[str, float]], *, shares: bool, less_is_better: bool) -> str:
    """Return the verdict of the looks so far; each look with enough units replaces the one before."""
    from statistics import NormalDist  # needed only for a report

    verdict, seen = "few", LEAST
    z = NormalDist().inv_cdf(1 - ALPHA / LOOKS)
    for _ in range(LOOKS):
        if seen > len(units):
            break
        told, held = ([v for arm, v in units[:seen] if arm == which] for which in (SAID, HELD))
        seen *= 2
        if len(held) < LEAST or len(told) < LEAST:
            continue
        low, high = interval(told, held, shares=shares, z=z)
        better, worse = (high < 0, low > 0) if less_is_better else (low > 0, high < 0)
        verdict = "helps" if better else "hurts" if worse else "open"
    return verdict


def factor(helped: float, unhelped: float, prior: float) -> float:
    """Return a memory's help relative to the usual: its rate over the prior, shrunk and bounded.

    >>> factor(0, 0, 0.5), round(factor(0, 13, 0.5), 2), factor(100, 0, 0.5)
    (1.0, 0.7, 1.5)
    """
    if prior <= 0:
        return 1.0
    rate = (helped + PRIOR_WEIGHT * prior) / (helped + unhelped + PRIOR_WEIGHT)
    return min(BOUNDS[1], max(BOUNDS[0], rate / prior))
