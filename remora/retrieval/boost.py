"""Raise hits whose files are neighbours of the best hits' files in the graph (section 7).

The specification adds 0.3 x share of neighbours to a fused score. Here that is a share of the best
score, on the same scale, and a raised hit never reaches the ten that it was raised for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from remora.retrieval.request import Candidate, ranked

TOP = 10
REACH = 50
BOOST = 0.3


class Neighbours(Protocol):
    """Knows which files stand next to a file: imports, calls, changes together."""

    def __call__(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return neighbour files, each with the file it is next to."""
        ...


def boost(candidates: list[Candidate], neighbours: Neighbours) -> list[Candidate]:
    """Return candidates with those in places 11 to 50 raised that are about neighbouring files."""
    order = ranked(candidates)
    if len(order) <= TOP:
        return order
    top_files = list(dict.fromkeys(f for c in order[:TOP] for f in c.files))
    near = neighbours(top_files) if top_files else {}
    if not near:
        return order
    # Just below the tenth, and each a little below the last: where scores are equal, ids would decide.
    best, below = order[0].score, math.nextafter(order[TOP - 1].score, 0.0)
    for place in range(TOP, min(len(order), REACH)):
        candidate = order[place]
        shared = [f for f in candidate.files if f in near]
        gain = BOOST * min(1.0, len(shared) / len(top_files)) * best
        score = min(candidate.score + gain, below)
        if score > candidate.score:
            note = f"{shared[0]} stands next to {near[shared[0]]}"
            order[place] = candidate._replace(score=score).because(
                "neighbourhood", score - candidate.score, note
            )
            below = math.nextafter(below, 0.0) if score == below else below
    return ranked(order)
