"""Shorten text at the end of a sentence, in Western and East Asian scripts."""

from __future__ import annotations

import re

# A full stop inside a number, a file name or a version has no space after it. A run of stops is looked at
# from its start only. Both kinds begin with a sign, so that what is no sign is passed over fast.
_END = re.compile(r"[.!?…؟](?<![.!?…؟]{2})(?>[.!?…؟]*[\"'”’»)\]*_`]*)(?=\s|$)|[。！？．｡][」』”）)]*|(?=\n)")


def shorten_to_sentence(text: str, limit: int, *, broken: bool = False) -> str:
    """Return a text of at most `limit` characters (one at least) that ends at a sentence or a line.

    If that would leave less than half, it ends at a word, with an ellipsis.

    Args:
        text: any text; outer white space goes.
        limit: in characters.
        broken: whether the text stops in the middle of a sentence, which is then removed too.

    >>> shorten_to_sentence("One two. Three four.", 14)
    'One two.'
    >>> shorten_to_sentence("One two three four five", 12)
    'One two…'
    >>> shorten_to_sentence("One two three. Four f", 100, broken=True)
    'One two three.'
    """
    text = text.strip()
    limit = max(1, limit)
    if len(text) <= limit and not broken:
        return text
    room = min(limit, len(text))
    last = 0
    for end in _END.finditer(text):
        if end.end() > room:
            break
        last = end.end()
    if last > room // 2:
        return text[:last].rstrip()
    kept = text[: min(limit - 1, len(text))]
    space = kept.rfind(" ")
    return (kept[:space] if space > len(kept) // 2 else kept).rstrip() + "…"
