"""Repair text for UTF-8, and shorten it with both ends kept.

A hook loads this module before every tool call, so it imports nothing.
"""

from __future__ import annotations

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
