"""Which of some statements contradict each other, going by their words alone.

Two statements of the same matter (they share a third of their telling words or more) contradict each
other when one of them denies once more; two that differ in little but their numbers when they share none.
What decides about speaking prefers a silence too many to a wrong word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.core.text import NEGATIONS, STOP_WORDS, jaccard, words

SAME_MATTER = 0.34  # Jaccard of the telling words
SAME_MEASURE = 0.6  # the same where only the numbers differ
_NUMBER = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)?(?![\w-])")
_ORIGIN = re.compile(r"\s*\((?:seen|said|from)\b[^)]*\)\s*$")
_NOT_DENIALS = frozenset({"must", "instead", "except", "unless"})


def contradicted(texts: Sequence[str]) -> set[int]:
    """Return the places of the statements that another one of them contradicts.

    >>> sorted(contradicted(["Tests need REDIS_URL set", "Tests do not need REDIS_URL set", "Use tabs"]))
    [0, 1]
    """
    return {place for pair in contradictions(texts) for place in pair}


def contradictions(texts: Sequence[str], alike: float = SAME_MATTER) -> list[tuple[int, int]]:
    """Return the places of each two statements that contradict each other.

    Args:
        texts: the statements.
        alike: the share of telling words from which on two of them are of the same matter.
    """
    bare = [_ORIGIN.sub("", text) for text in texts]
    telling = [frozenset(w for w in words(t) if not w[0].isdigit()) - STOP_WORDS - NEGATIONS for t in bare]
    found: list[tuple[int, int]] = []
    for one in range(len(texts)):
        for other in range(one):
            shared = jaccard(telling[one], telling[other])
            denied = _denials(bare[one]) % 2 != _denials(bare[other]) % 2
            if (denied and shared >= alike) or (shared >= SAME_MEASURE and _numbers(bare[one], bare[other])):
                found.append((one, other))
    return found


def _denials(text: str) -> int:
    return sum(word in NEGATIONS - _NOT_DENIALS for word in words(text.replace("n't", " not")))


def _numbers(one: str, other: str) -> bool:
    """Return whether both give numbers and none of them is the same."""
    mine, theirs = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    return bool(mine and theirs and not mine & theirs)
