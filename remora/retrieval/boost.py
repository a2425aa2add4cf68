"""Boost hits whose files are neighbours of the best hits' files: code edges and co-change.

The specification (section 7) raises places 11 to 50 by 0.3 x the share of the top files that neighbour a
hit's files. This module walks one step from the files of the best hits, as in personalised PageRank: each
file passes its relevance to its neighbours, in proportion to their closeness, and the sum at a file
multiplies the odds of every hit about it. So places 1 to 10 change, too, a neighbour of the first hit counts
more than one of the tenth, and no score has to be capped.

The boost is off by default. It finds the files that a task will touch, on both histories that were tried; for
a question about one place it ranks busy files too high. benchmarks/README.md has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from remora.retrieval.fusion import with_odds
from remora.retrieval.request import Candidate, ranked

SEEDS = 10  # files that pass on their relevance
GAIN = 3.0  # logarithm of the factor on the odds for an arriving relevance of 1


def boost(candidates: list[Candidate], neighbours: Callable[[str], Mapping[str, float]]) -> list[Candidate]:
    """Return the candidates, with those about neighbours of the best hits' files boosted.

    `neighbours` returns those of a file, each with a closeness above 0 on any scale.
    """
    order = ranked(candidates)
    relevance: dict[str, float] = {}
    for candidate in order:
        for file in candidate.files:
            relevance.setdefault(file, candidate.score)
    arrived: dict[str, float] = {}
    most: dict[str, tuple[float, str]] = {}
    for seed in list(relevance)[:SEEDS]:
        near = {file: close for file, close in neighbours(seed).items() if file != seed}
        whole = sum(near.values())
        for file, close in near.items():
            part = relevance[seed] * close / whole
            arrived[file] = arrived.get(file, 0.0) + part
            if part > most.get(file, (0.0, ""))[0]:
                most[file] = (part, seed)
    return ranked([_raised(candidate, arrived, most) for candidate in order])


def _raised(
    candidate: Candidate, arrived: Mapping[str, float], most: Mapping[str, tuple[float, str]]
) -> Candidate:
    near = [(arrived[file], file) for file in candidate.files if arrived.get(file, 0.0) > 0.0]
    if not near:
        return candidate
    gain, file = max(near)
    score = max(candidate.score, with_odds(candidate.score, math.exp(GAIN * gain)))
    note = f"{file} is linked to {most[file][1]}"
    return candidate._replace(score=score).because("neighbourhood", score - candidate.score, note)
