"""The weights of the signals that predict files, and the sum that ranks the files.

A signal ranks files with scores from 0 to 1. A score counts by its excess over the thirty-first score: a
ranking in which all are alike says nothing, however sure its best file looks. The sum of the signals, each
times its weight, ranks the files. The weights are few and round, chosen on the sessions of some projects and
measured on others; weights fitted to a project's own sessions changed little there (`sessions` in
benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

BESIDE = 30  # files that are ranked alike say nothing

Signals = Mapping[str, Mapping[str, float]]

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "parts": 1.0,
        "names": 1.0,
        "frames": 1.0,
        "paths": 1.0,
        "modules": 0.25,  # an imported module of an example is used, but not always at fault
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
SIGNALS: tuple[str, ...] = tuple(WEIGHTS)


def standing_out(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores as shares of the best, less that of the file which BESIDE others beat.

    >>> standing_out({"a": 2.0, "b": 1.0}), standing_out(dict.fromkeys(map(str, range(99)), 1.0))
    ({'a': 1.0, 'b': 0.5}, {})
    """
    top = max(scores.values(), default=0.0)
    if top <= 0:
        return {}
    ordered = sorted(scores.values(), reverse=True)
    least = ordered[BESIDE] if len(ordered) > BESIDE else 0.0
    return {path: (score - least) / top for path, score in scores.items() if score > max(least, 0.0)}


def weighed(signals: Signals) -> dict[str, float]:
    """Return the sum of the signals for each file, each signal times its weight.

    >>> weighed({"parts": {"a": 0.5}, "branch": {"a": 1.0, "b": 1.0}})
    {'a': 2.5, 'b': 2.0}
    """
    total: dict[str, float] = {}
    for name, votes in signals.items():
        for path, vote in votes.items():
            total[path] = total.get(path, 0.0) + WEIGHTS[name] * vote
    return total


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Return the files, best first, ties by path."""
    return sorted(scores, key=lambda path: (-round(scores[path], 12), path))
