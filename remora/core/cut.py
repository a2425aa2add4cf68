"""Repair text for UTF-8, shorten it with both ends kept, and split it into pieces for a model.

A hook loads this module before every tool call, so its imports are few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

WORD = 1_000  # characters; a longer run is no word, and is cut anywhere


def sound(text: str) -> str:
    r"""Return a text that UTF-8 can encode: surrogate pairs are joined, a lone surrogate becomes U+FFFD.

    Surrogates come from programs that cut UTF-16 text inside a character.

    >>> sound("\ud83d\ude00 a\ud83d") == "\U0001f600 a\ufffd"
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def both_ends(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters that keeps its beginning and its end.

    The cause of an error is at the start or the end of a message, rarely in the middle. The cut is between
    words: half of a secret would remain, and no rule would recognize it.

    >>> len(both_ends("abc" * 100, 60)) <= 60
    True
    """
    if len(text) <= limit:
        return sound(text)
    mark = f"\n[… {len(text) - limit} characters …]\n"
    room = max(limit - len(mark), 2)
    head, tail = text[: room // 2], text[len(text) - (room - room // 2) :]
    if not text[len(head)].isspace():
        words = head.rsplit(None, 1)
        head = head.removesuffix(words[-1]) if words and len(words[-1]) < min(WORD, room // 4) else head
    if not text[-len(tail) - 1].isspace():
        words = tail.split(None, 1)
        tail = tail.removeprefix(words[0]) if words and len(words[0]) < min(WORD, room // 4) else tail
    return sound(head + mark + tail)


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
