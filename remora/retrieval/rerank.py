"""Reorder the top by a stronger model, if one is configured and answers in time.

The model's scores cannot be compared with ours or with another model's, so only its order is used: the scores
of the top are reassigned in that order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from remora.core.errors import RemoraError
from remora.retrieval.request import Candidate, ranked

if TYPE_CHECKING:
    from remora.llm.client import Reranker

MOST = 30  # more takes seconds on a laptop and does not change the first page


def rerank(
    candidates: list[Candidate], query: str, judge: Reranker, *, limit: int, seconds: float
) -> tuple[list[Candidate], str]:
    """Return the candidates in the model's order, and a note if it could not be used.

    Args:
        candidates: any order.
        query: the question as given.
        judge: scores texts against the query.
        limit: how many of the top it receives, 30 at most.
        seconds: the time limit; a late answer is not used.
    """
    order = ranked(candidates)
    top, rest = order[: min(limit, MOST)], order[min(limit, MOST) :]
    if len(top) < 2:
        return order, ""
    try:
        scores = judge.rerank(query, [_shown(c) for c in top], timeout=seconds)
    except RemoraError as error:
        return order, f"not reranked: {error}"
    if len(scores) != len(top) or not all(math.isfinite(s) for s in scores):
        return order, f"not reranked: the model did not return one finite score for each of {len(top)} texts"
    judged = sorted(range(len(top)), key=lambda i: (-scores[i], top[i].key))
    dealt = [c.score for c in top]
    reordered = [
        top[i]._replace(score=dealt[place]).because("rerank", scores[i], f"from #{i + 1}", place + 1)
        for place, i in enumerate(judged)
    ]
    return [*reordered, *rest], ""


def _shown(candidate: Candidate) -> str:
    memory = candidate.memory
    if memory is None:
        return candidate.text
    files = f" {', '.join(memory.related_files)}" if memory.related_files else ""
    return f"[{memory.type}]{files}: {memory.content}"
