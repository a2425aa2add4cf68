"""What a text says is in the code: names that one can look up, to see whether the text still holds.

Only names that are nobody's everyday words: with an inner capital (`getUserById`), with underscores
(`max_size`), or called (`retry()`). A sentence that speaks of removal claims nothing: what it names may
be gone and the sentence true.
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
    r"\b(?:[A-Za-z]\w*[a-z0-9][A-Z]\w*|[A-Z]+[A-Z][a-z]\w+|[A-Za-z]\w*_\w*[a-z]\w*)\b(?![/.-]\w)|`(\w+)\(\)?`"
)
_POINT = re.compile(
    r"(?:^|(?<=[.;!?])\s)\W{0,4}(?P<file>[\w./-]*\w\.[A-Za-z]{1,5})`?(?: \([^)]*\))?(?: ?[-–—]|:) "
    r"(?P<said>.+?)(?=[.;!?](?:\s|$)|$)",
    re.MULTILINE,
)


# "Added `a()` call to `b()`", "Updated `b()` to use `a`", "`b()` now calls `a()`".
_CALLED = r"`(?:\w+\.)*(?P<name>\w+)(?:\(\))?`"
_IN = r"`(?:\w+\.)*(?P<inside>\w+)\(\)`"
_BOUND = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_CALLED} (?:call|check) to {_IN}",
        rf"(?:updated|modified|changed) {_IN}[^.;`]{{0,60}} to (?:use|call) {_CALLED}",
        rf"{_IN}(?: [-–—]|:)?(?: in `[^`]+`)? (?:now )?(?:calls|uses) {_CALLED}",
    )
)


_PINNED = re.compile(r"`([\w./-]+@v?\d[\w.]*)`")
_NO_NAMES = frozenset(  # literals, and the endings of files
    """null nil none undefined true false c cc cfg cpp cs css go h html ini java js json jsx lock md mod php
    py rb rs sh sql toml ts tsx txt xml yaml yml""".split()
)


def pinned_claims(text: str) -> list[str]:
    """Return what a text says is used at a version.

    >>> pinned_claims("Uses `actions/setup@v2`. Replaced `actions/go@v1` with `actions/go@v2`.")
    ['actions/setup@v2']
    """
    said = (sentence for sentence in _SENTENCE.split(text) if not _REMOVAL.search(sentence))
    return [name for sentence in said for name in _PINNED.findall(sentence)]


def bound_claims(text: str) -> list[tuple[str, str]]:
    """Return the functions that a text says use something, each with what.

    >>> bound_claims("Added `pkg.Check()` call to `setUp()`. `main()` now calls `run()`.")
    [('setUp', 'Check'), ('main', 'run')]
    """
    found = []
    for sentence in _SENTENCE.split(text):
        if not _REMOVAL.search(sentence):
            found += [(m["inside"], m["name"]) for one in _BOUND for m in one.finditer(sentence)]
    return [(inside, name) for inside, name in found if name.lower() not in _NO_NAMES]


def placed_claims(text: str) -> list[tuple[str, str]]:
    """Return the files that points of a list begin with, each with the first name that it is said to have.

    >>> placed_claims("`web/rows.py`: Added `parse_row()` for `read_all()`. `main.py` - Removed `old_name`.")
    [('web/rows.py', 'parse_row')]
    """
    found = ((point["file"], claims(point["said"])) for point in _POINT.finditer(text))
    return [(file, names[0]) for file, names in found if names]


def claims(text: str) -> list[str]:
    """Return the names that a text says are there, each once, in order.

    >>> claims("Added `parseRow()` and `max_rows`. Removed `readAll`. Uses retry twice.")
    ['parseRow', 'max_rows']
    """
    names: list[str] = []
    for sentence in _SENTENCE.split(text):
        if not _REMOVAL.search(sentence):
            names += [found[1] or found[0] for found in _NAME.finditer(sentence)]
    return [name for name in dict.fromkeys(names) if len(name) >= SHORTEST]
