"""Split a long text into pieces within a model's input limit, at lines, then sentences, then words."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A text up to WHOLE characters is one piece: about 256 WordPiece tokens, the input limit of small models.
# Longer ones are split into pieces of half that, since the vector of a short piece is more precise.
WHOLE = 1_000
PIECE = 480
MOST = 200  # pieces of one text; 100,000 characters
READ = 4 * MOST * PIECE  # characters read: room for white space between the pieces

_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


def pieces(text: str) -> list[str]:
    """Return the pieces of a text in order; a blank text gives none.

    >>> pieces("short")
    ['short']
    >>> [len(p) <= PIECE for p in pieces("word " * 1000)] == [True] * 11
    True
    """
    stripped = text.strip()[:READ]
    if len(stripped) <= WHOLE:
        return [stripped] if stripped else []
    found: list[str] = []
    current = ""
    for part in _parts(stripped):
        if current and len(current) + 1 + len(part) > PIECE:
            found.append(current)
            current = ""
            if len(found) == MOST:
                return found
        current = f"{current}\n{part}" if current else part
    return [*found, current] if current else found


def _parts(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if not line.strip():
            continue
        if len(line) <= PIECE:
            yield line
            continue
        for sentence in _SENTENCE.split(line):
            while len(sentence) > PIECE:
                cut = sentence.rfind(" ", PIECE // 2, PIECE)
                cut = cut if cut > 0 else PIECE
                yield sentence[:cut]
                sentence = sentence[cut:].lstrip()
            if sentence:
                yield sentence
