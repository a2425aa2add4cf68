r"""Find code names in texts and search patterns: `retry_budget`, `parseHeader`.

The form of a name distinguishes it from a word: an underscore, a capital, a dot or a hyphen inside. A search
has many forms, `def retry_budget`, `retry_budget\b`, `**/retry_budget*`; its target is the name in it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

SHORTEST = 5  # characters
SPOKEN_OF = 3  # most memories that may contain a specific name
MOST = 20  # names of a pattern
_READ = 400  # characters of a pattern
_SPAN = re.compile(r"`([^`\n]{2,160})`")
_WHOLE = re.compile(r"-{0,2}([^\W\d]\w*(?:[.-]\w+)*)(?:\(\))?$")
_FLAG = re.compile(r"(?<![\w-])--([a-z]\w*(?:-\w+)+)")
# Not a part of a path, of an address or of a longer name.
_BARE = re.compile(r"(?<![\w./@-])[^\W\d]\w*(?:\.\w+)*(?![\w/@-])")
_IN_PATTERN = re.compile(r"[^\W\d]\w*(?:[.-]\w+)*")
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_HUMP = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]{2}")
_CLASS = re.compile(r"\\[bBsSwWdDAZzntr]")  # of characters, or a position between them
_DEFINES = frozenset(
    "async class const def enum export fn fun func function import interface let mod pub public static struct"
    " trait type val var".split()
)


class Name(NamedTuple):
    """A name in a text; `sure` if it cannot be an ordinary word or the name of a product."""

    name: str
    sure: bool


def names_in(text: str) -> list[Name]:
    """Return the code names in a text, each once, in order.

    >>> [name for name, _ in names_in("The retry_budget (`limits`, `--dry-run`) is in config/limits.yaml")]
    ['limits', 'dry-run', 'retry_budget']
    >>> [name for name, _ in names_in("It calls app.jobs.run_all() in the read-only run, e.g. at night.")]
    ['app.jobs.run_all', 'run_all']
    >>> names_in("GitHub")
    [Name(name='GitHub', sure=False)]
    """
    found: dict[str, bool] = {}
    for span in _SPAN.findall(text):
        if whole := _WHOLE.match(span):
            found[whole[1]] = True
    found |= dict.fromkeys(_FLAG.findall(text), True)
    for name in _BARE.findall(text):
        if marked(name):
            found.setdefault(name, not name[0].isupper() or "_" in name or "." in name)
    for name in list(found):
        last = name.rpartition(".")[2]
        if last != name and marked(last):
            found.setdefault(last, found[name])
    return [Name(name, sure) for name, sure in found.items() if len(name) >= SHORTEST]


def marked(name: str) -> bool:
    """Return whether the form of a name identifies it as a code name.

    >>> [marked(n) for n in ("max_size", "maxSize", "app.cfg", "dry-run", "__init__", "size", "i.e")]
    [True, True, True, True, False, False, False]
    """
    parts = name.split(".")
    if len(parts) > 1:
        return all(len(part) > 1 and not part.isdigit() for part in parts)
    return any(c in name.strip("_-") for c in "_-") or _HUMP.search(name) is not None


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


def searched(pattern: str) -> list[str]:
    r"""Return the targets of a search, in lower case: the pattern itself, and the names in it.

    >>> searched(r"def retry_budget\b"), searched("Limits"), searched(r"error in \w+")
    (['def retry_budget\\b', 'retry_budget'], ['limits'], ['error in \\w+'])
    """
    plain = _CLASS.sub(" ", pattern[:_READ]).replace("\\", "")
    found = [pattern.strip()]
    for name in _IN_PATTERN.findall(plain):
        found += [part for part in (name, *name.split(".")) if len(part) >= SHORTEST and marked(part)]
    words = [word for word in re.findall(r"\w+", plain) if word not in _DEFINES]
    if len(words) == 1:
        found += words
    return [text for text in dict.fromkeys(text.lower() for text in found) if text][:MOST]
