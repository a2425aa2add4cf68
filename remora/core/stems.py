"""Reduce words to stems. Small, since a hook loads it at every edit."""

import re

_SUFFIX = re.compile(r"(?:ations?|ions?|ings?|ed|ers?|es|s|e)$")


def stem(word: str) -> str:
    """Return a word without its commonest English endings, so that forms of one word are equal.

    >>> [stem(w) for w in ("commits", "committing", "migrations", "migrate", "merge", "entry", "entries")]
    ['commit', 'commit', 'migr', 'migr', 'merg', 'entri', 'entri']
    >>> stem(""), stem("-"), stem("e-mail")
    ('', '', 'email')
    """
    word = word.lower().replace("-", "")
    cut = _SUFFIX.sub("", word) if len(word) > 3 and not word.endswith("ss") else word
    cut = cut if len(cut) > 2 else word
    if len(cut) > 3 and cut[-1] == "y" and cut[-2] not in "aeiou":
        return cut[:-1] + "i"  # "entry", "entries"
    if cut.endswith("at") and len(cut) > 4 and cut != word:
        cut = cut[:-2]
    return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "sl" else cut
