r"""Find the words of a code name in a search pattern: `VAT_RATES?` and `vatRate` are words of a text, too."""

from __future__ import annotations

import re

SPOKEN_OF = 3  # most memories that may contain a specific name
MOST = 20  # names of a pattern
_READ = 400  # characters of a pattern
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_CLASS = re.compile(r"\\[bBsSwWdDAZzntr]")  # of characters, or a position between them
_DEFINES = frozenset(
    "async class const def enum export fn fun func function import interface let mod pub public static struct"
    " trait type val var".split()
)


def phrases(pattern: str) -> list[str]:
    r"""Return the words of each name or phrase in a search pattern, if it has several; in lower case.

    >>> phrases(r"VAT_RATES?|vat_?rate\b"), phrases("taxRate"), phrases("limits")
    (['vat rates', 'vat rate'], ['tax rate'], [])
    """
    plain = _CLASS.sub(" ", pattern[:_READ])
    plain = re.sub(r"[_ -][?*]|\\s[+*]|\.[*+]?|\[[^\]]{1,9}\]", " ", plain)
    found = []
    for name in re.findall(r"\w+(?: \w+){0,3}", plain.replace("?", "")):
        parts = [part for part in _SUBWORD.findall(name) if part.lower() not in _DEFINES]
        if 1 < len(parts) <= 4 and all(len(part) > 2 for part in parts):
            found.append(" ".join(parts).lower())
    return list(dict.fromkeys(found))[:MOST]
