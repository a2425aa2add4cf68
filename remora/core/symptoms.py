"""Extract the words of an error from a text, to recognize the output of a failed command."""

from __future__ import annotations

import re

from remora.core.programs import PROGRAMS
from remora.core.text import STOP_WORDS

_READ = 2_000  # characters of a text that are read
_REMEDY = re.compile(
    r"(?<!\s)\s*(?:→|->|=>|;|:\s|\.\s|\s[-–—]\s|\bmeans?\b|\bheißt\b|\bsignifie\b|\bsignifica\b)\s*"
)
_QUOTE = re.compile(r"\"([^\"\n]{6,160})\"|“([^”\n]{6,160})”|(?<!\w)'([^'\n]{8,160})'(?!\w)")
# Output in backticks or quotes, as held by `symptoms`, behind the verb that introduces it.
_PRINTED = re.compile(
    r"\b(?:print|show|say|said|fail|die|stop|end|error|crash|complain|abort|exit|see|get)\w{0,3}"
    r"\s+(?:with\s+|in\s+)?\x00(\d+)\x00",
    re.IGNORECASE,
)
_SPAN = re.compile(rf"`[^`\n]*`|{_QUOTE.pattern}")
_OUTPUT_WORD = re.compile(r"[^\W_][\w.-]*\w|-\w[\w-]+|\w\d\w*")


def symptoms(text: str, *, literal: bool = False) -> list[tuple[str, ...]]:
    """Return the word tuples by which a command's output is matched to a text about its error.

    The words before the remedy count, and those in quotes; in lower case, the longest word first. If output
    in backticks or quotes is introduced before the remedy, only that counts of the words there.

    Args:
        text: the text.
        literal: only output that a verb introduces before the remedy counts.

    >>> symptoms("`database is locked`: stop the old worker")
    [('database', 'locked')]
    >>> symptoms("If the tests print `database is locked`, stop the worker; `make stop` does")
    [('database', 'locked')]
    >>> symptoms("Use tabs")
    []
    """
    spans: list[str] = []

    def held(found: re.Match[str]) -> str:
        spans.append(found[0])
        return f"\x00{len(spans) - 1}\x00"

    parts = _REMEDY.split(_SPAN.sub(held, text[:_READ]), maxsplit=1)
    told: list[str] = []
    if len(parts) > 1 and parts[1].strip():
        shown = [spans[int(found[1])].strip("`\"'“”") for found in _PRINTED.finditer(parts[0])]
        told = [one for one in shown if len(one.split()) > 1 and one.split()[0] not in PROGRAMS]
        if not told and not literal:
            told = [re.sub("\x00(\\d+)\x00", lambda m: spans[int(m[1])], parts[0])]
    if not literal:
        told += [next(filter(None, found)) for found in _QUOTE.findall(text)]
    found = [
        tuple(sorted(set(output_words(one)) - STOP_WORDS - _GENERAL, key=lambda w: (-len(w), w)))
        for one in told
    ]
    return [words for words in dict.fromkeys(found) if len(words) >= 2 or any(_tells(w) for w in words)]


def quotes_output(text: str) -> bool:
    """Return whether a text has the words of an output in quotes."""
    return _QUOTE.search(text) is not None


def output_words(text: str) -> list[str]:
    """Return the words of a command's output, in lower case."""
    return [word.lower() for word in _OUTPUT_WORD.findall(text)]


def _tells(word: str) -> bool:
    return len(word) > 5 and (any(c.isdigit() for c in word) or "." in word or "_" in word)


_GENERAL = frozenset("error errors failed fails failure fail exception when says if with and of".split())
