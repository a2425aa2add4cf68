"""Texts made sound for UTF-8 and cut to size, with both their ends kept.

A hook loads this before every tool that an agent uses, so it imports nothing.
"""

from __future__ import annotations

WORD = 1_000  # characters; what is longer is no word, and is cut where it is


def sound(text: str) -> str:
    r"""Return a text that UTF-8 can hold: two halves of a sign are joined, a lone half becomes U+FFFD.

    Halves (surrogates) come from programs that cut UTF-16 text in the middle of a sign.

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

    A message tells what went wrong at its start or at its end, hardly ever in the middle. It is cut between
    words: of a secret, half would stay that nobody knows for one.

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
