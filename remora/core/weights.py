"""The weights of the file signals: the defaults, and their adjustment to a project's own sessions.

A signal scores files from 0 to 1. Only the part of a score above that of the file ranked 31st counts: a
signal that scores all files alike has no information, however high its best score is. Files are ranked by the
weighted sum of their signals.

The default weights are few and round, chosen on the sessions of some projects and measured on others. A
replay predicts the edits of each of a project's own sessions from the data before it. A weight is halved,
doubled or set to 0 if the replay gains more than chance by it and its newest part does not lose. At the end
the simple rankings are replayed as well: if one of them is better, the search restarts from it, so the
result is never below any of them in the replay. A search from zero was worse than one from the defaults: a
project has only some tens of sessions.

The code of today includes the results of past tasks, so a replay overrates its signals: it may only lower
their weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

K = 10  # files that a replay compares
BESIDE = 30  # scores of files beyond this rank count as background
SURE = 2.0  # standard errors that a change of a weight must gain
FEWEST = 12  # minimum of tasks for a replay
NEWEST = 3  # the newest third of the tasks must not lose
MOST, LEAST = 4.0, 0.1  # bounds of a changed weight

Weights = Mapping[str, float]
Signals = Mapping[str, Mapping[str, float]]

SHIPPED: Weights = MappingProxyType(
    {
        "parts": 1.0,
        "names": 1.0,
        "frames": 1.0,
        "paths": 1.0,
        "imports": 0.3,
        "meaning": 1.0,
        "memories": 1.0,
        "commits": 1.0,
        "sessions": 1.0,
        "often": 1.0,
        "lately": 0.5,
        "heat": 1.0,
        "branch": 2.0,
    }
)
SIGNALS: tuple[str, ...] = tuple(SHIPPED)
KNOWS_AFTER = frozenset({"parts", "names", "frames", "imports"})  # overrated by a replay
UNSEEN = frozenset({"meaning", "memories", "branch"})  # unknown to a replay

# The simple rankings, as lower bounds of the result.
FLOORS: Mapping[str, Weights] = MappingProxyType(
    {
        "frequency": {"often": 1.0},
        "recency": {"lately": 1.0},
        "nearest sessions": {"sessions": 1.0},
        "nearest sessions and frequency": {"sessions": 1.0, "often": 1.0},
        "commits alike": {"commits": 1.0},
        "what changes most": {"heat": 1.0},
    }
)


class Task(NamedTuple):
    """A task of the past: its signals, the files it names, the files it changed."""

    signals: Signals
    named: Sequence[str]
    touched: frozenset[str]


class Fitted(NamedTuple):
    """The result of a replay.

    Attributes:
        weights: the weights to use.
        recall: share of a task's files among the first K, the mean over the tasks.
        shipped: the same with the default weights.
        floor: the name of the best simple ranking, and `floor_recall` its share.
    """

    weights: Weights
    recall: float
    shipped: float
    floor: str
    floor_recall: float


def standing_out(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores relative to the best, minus the score of the file that BESIDE others outrank.

    >>> standing_out({"a": 2.0, "b": 1.0}), standing_out(dict.fromkeys(map(str, range(99)), 1.0))
    ({'a': 1.0, 'b': 0.5}, {})
    """
    top = max(scores.values(), default=0.0)
    if top <= 0:
        return {}
    ordered = sorted(scores.values(), reverse=True)
    least = ordered[BESIDE] if len(ordered) > BESIDE else 0.0
    return {path: (score - least) / top for path, score in scores.items() if score > max(least, 0.0)}


def weighed(signals: Signals, weights: Weights) -> dict[str, float]:
    """Return the weighted sum of the signals for each file."""
    total: dict[str, float] = {}
    for name, votes in signals.items():
        if weight := weights.get(name, 0.0):
            for path, vote in votes.items():
                total[path] = total.get(path, 0.0) + weight * vote
    return total


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Return the files, best first, ties by path."""
    return sorted(scores, key=lambda path: (-round(scores[path], 12), path))


def recall(task: Task, weights: Weights) -> float:
    """Return the share of a task's files among the first K."""
    rest = (path for path in ranked(weighed(task.signals, weights)) if path not in task.named)
    first = [*task.named, *rest][:K]
    return len(task.touched.intersection(first)) / len(task.touched)


def fit(tasks: Sequence[Task]) -> Fitted:
    """Return the weights with the best replay; tasks are oldest first, FEWEST at least."""
    floors = {name: _mean(_recalls(tasks, floor)) for name, floor in FLOORS.items()}
    shipped = _mean(_recalls(tasks, SHIPPED))
    weights, best = _climb(tasks, SHIPPED)
    unseen = {name: SHIPPED[name] for name in sorted(UNSEEN)}
    for name, floor in FLOORS.items():
        if floors[name] > best:
            weights, best = _climb(tasks, {**unseen, **floor})
    name = max(floors, key=lambda one: floors[one])
    used = {signal: weights.get(signal, 0.0) for signal in SIGNALS}
    return Fitted(used, best, shipped, name, floors[name])


def _climb(tasks: Sequence[Task], weights: Weights) -> tuple[Weights, float]:
    """Change one weight at a time, the one with the highest gain, while the gain exceeds chance."""
    now = _recalls(tasks, weights)
    while True:
        best, most, then = None, 0.0, now
        for changed in _changes(weights):
            found = _recalls(tasks, changed)
            gains = [new - old for new, old in zip(found, now, strict=True)]
            gain = _mean(gains)
            if gain > most + 1e-9 and gain > SURE * _error(gains) and _mean(gains[-_third(tasks) :]) >= 0:
                best, most, then = changed, gain, found
        if best is None:
            return weights, _mean(now)
        weights, now = best, then


def _changes(weights: Weights) -> Iterator[Weights]:
    for name in SIGNALS:
        if name in UNSEEN:
            continue
        weight, shipped = weights.get(name, 0.0), SHIPPED[name]
        for step in (0.0, weight / 2, weight * 2) if weight else (shipped / 2, shipped):
            flattered = name in KNOWS_AFTER and step > shipped
            if not flattered and (not step or LEAST <= step <= MOST):
                yield {**weights, name: step}


def _third(tasks: Sequence[Task]) -> int:
    return max(1, len(tasks) // NEWEST)


def _recalls(tasks: Sequence[Task], weights: Weights) -> list[float]:
    return [recall(task, weights) for task in tasks]


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _error(values: Sequence[float]) -> float:
    """Return the standard error of a mean."""
    middle = _mean(values)
    spread = sum((value - middle) ** 2 for value in values)
    return math.sqrt(spread / max(1, len(values) - 1) / len(values))
