"""What any program could do with the sessions so far: the rivals of `sessions`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.agent_sessions import AgentSession
from benchmarks.metrics import rrf

NEAREST = 5  # sessions whose files are named; of 3, 5, 10 and 20 the best here, which helps the rival

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def frequent_files(past: Sequence[AgentSession]) -> list[str]:
    """Return the files that most sessions edited, the newest of equals first."""
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for number, session in enumerate(past):
        counts.update(session.gold)
        last |= dict.fromkeys(session.gold, number)
    return sorted(counts, key=lambda path: (-counts[path], -last[path], path))


def recent_files(past: Sequence[AgentSession]) -> list[str]:
    """Return the files that sessions edited, the last session first, of one by how many edited them."""
    often = {path: place for place, path in enumerate(frequent_files(past))}
    return list(
        dict.fromkeys(
            path for session in reversed(past) for path in sorted(session.gold, key=often.__getitem__)
        )
    )


def nearest_files(past: Sequence[AgentSession], prompt: str) -> list[str]:
    """Return what the sessions edited whose first prompts are nearest, by the sum of their cosines.

    Cosine of TF-IDF vectors, (1 + ln tf) (1 + ln((1 + N) / (1 + df))), over words and parts of identifiers.
    """
    documents = [Counter(_words(session.prompt)) for session in past]
    found_in = Counter(word for document in documents for word in document)

    def vector(counts: Mapping[str, int]) -> dict[str, float]:
        found = {
            word: (1 + math.log(n)) * (1 + math.log((1 + len(documents)) / (1 + found_in[word])))
            for word, n in counts.items()
        }
        length = math.sqrt(sum(x * x for x in found.values())) or 1.0
        return {word: x / length for word, x in found.items()}

    asked = vector(Counter(_words(prompt)))
    cosines = []
    for number, document in enumerate(documents):
        there = vector(document)
        cosines.append((sum(x * there[word] for word, x in asked.items() if word in there), number))
    scores: Counter[str] = Counter()
    for cosine, number in sorted(cosines, reverse=True)[:NEAREST]:
        for path in past[number].gold:
            scores[path] += cosine  # type: ignore[assignment]  # a Counter of floats
    return sorted(scores, key=lambda path: (-scores[path], path))


def file_floors(past: Sequence[AgentSession], prompt: str) -> dict[str, list[str]]:
    """Return the four floors of `sessions`."""
    frequent, nearest = frequent_files(past), nearest_files(past, prompt)
    return {
        "frequency": frequent,
        "recency": recent_files(past),
        "nearest sessions": nearest,
        "nearest and frequency by rank": rrf([frequent, nearest]),
    }


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        yield word.lower()
        parts = _PART.findall(word)
        if len(parts) > 1:
            yield from (part.lower() for part in parts)
