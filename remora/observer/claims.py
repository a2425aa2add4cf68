"""Names of code in a text, which can be looked up to check whether the text still holds.

Only names that are not everyday words count: with an inner capital (`getUserById`), with underscores
(`max_size`), or called (`retry()`). A sentence about removal claims nothing: it stays true if its names
are gone.
"""

from __future__ import annotations

import re

SHORTEST = 5  # characters of a name
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n+")
_REMOVAL = re.compile(
    r"\b(?:remov\w*|delet\w*|drop(?:s|ped)?|renam\w*|replac\w*|instead of|no longer|consolidat\w*"
    r"|mov(?:e[ds]?|ing)|extract\w*|from|was|were|previously|duplicat\w*|unused|deprecat\w*|not|never|fails?|without)\b|→|->",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?=[A-Za-z]\w*?[a-z0-9][A-Z]|[A-Z]{2,}+[a-z]\w|[A-Za-z][^\W_]*+_\w*[a-z])\w++(?![/.-]\w)|`(\w+)\(\)?`"
)


def claims(text: str) -> list[str]:
    """Return the names that exist according to a text, each once, in order.

    >>> claims("Added `parseRow()` and `max_rows`. Removed `readAll`. Uses retry twice.")
    ['parseRow', 'max_rows']
    """
    names: list[str] = []
    for sentence in _SENTENCE.split(text):
        if not _REMOVAL.search(sentence):
            names += [found[1] or found[0] for found in _NAME.finditer(sentence)]
    return [name for name in dict.fromkeys(names) if len(name) >= SHORTEST]
