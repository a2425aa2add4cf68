"""BM25 spelt out: no lists, no parts, every entry counted anew. What the index has to agree with."""

from __future__ import annotations

import math
from collections.abc import Mapping

from remora.entries.bm25 import tokens


def naive_scores(texts: Mapping[int, str], query: str) -> dict[int, float]:
    """Return the score of every text that has a word of the query, by its id."""
    words = {id_: tokens(text) for id_, text in texts.items()}
    words = {id_: found for id_, found in words.items() if found}
    n = len(words)
    average = sum(map(len, words.values())) / n if n else 0.0
    scores: dict[int, float] = {}
    for term in sorted(set(tokens(query))):
        df = sum(term in found for found in words.values())
        idf = math.log((n - df + 0.5) / (df + 0.5) + 1)
        for id_, found in words.items():
            tf = found.count(term)
            if tf:
                below = tf + 1.2 * (1 - 0.75 + 0.75 * len(found) / average)
                scores[id_] = scores.get(id_, 0.0) + idf * tf * 2.2 / below
    return scores
