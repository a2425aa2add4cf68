"""BM25: score texts for a query by the frequency and the rarity of its words.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with an idf that
stays above 0: for a word in df of n texts, with tf occurrences in a text of `length` words,

    ln((n - df + 0.5) / (df + 0.5) + 1) * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average))

summed over the distinct words of the query, in alphabetical order. n and the average count only texts that
have words. (Database searches are scored by FTS5, whose idf falls below 0 for a word in half of the texts.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

K1 = 1.2  # saturation of the term frequency
B = 0.75  # influence of a text's length


def idf(n: int, df: int) -> float:
    """Return the weight of a word that occurs in df of n texts; it is above 0.

    >>> round(idf(3, 2), 6)
    0.470004
    """
    return math.log((n - df + 0.5) / (df + 0.5) + 1.0)


def scores(texts: Sequence[Counter[str]], query: Collection[str]) -> list[float]:
    """Return the score of each text, 0 for a text without a word of the query.

    Args:
        texts: the number of occurrences of each word, per text.
        query: its words; each counts once.

    >>> texts = ["rust rust rust memory", "rust memory lane", "unrelated text entirely"]
    >>> [round(s, 4) for s in scores([Counter(t.split()) for t in texts], ["rust", "memory"])]
    [1.1427, 0.9801, 0.0]
    """
    lengths = [text.total() for text in texts]
    n = sum(length > 0 for length in lengths)
    scale = K1 * B * n / (sum(lengths) or 1)
    found = [0.0] * len(texts)
    for word in sorted(set(query)):
        weight = idf(n, sum(word in text for text in texts)) * (K1 + 1.0)
        for at, text in enumerate(texts):
            if tf := text[word]:
                found[at] += weight * tf / (tf + K1 * (1.0 - B) + scale * lengths[at])
    return found
