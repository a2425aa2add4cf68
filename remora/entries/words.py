"""Split a text into the words for the entry search.

A word is a run of letters and digits of any script, at least two characters long, in lower case; everything
else, including the underscore, separates words. English function words are dropped, endings are kept. Two
additions serve scripts that the plain rule splits wrongly: vowel signs and other marks belong to the
preceding letter, and a run of Chinese, Japanese or Korean characters, which is one word by the rule, also
gives its overlapping pairs of characters and the other words inside it, so that a part of it can be found.
"""

from __future__ import annotations

import re
import unicodedata

from remora.core.text import cjk_pairs

STOP_WORDS = frozenset(
    """a an the is it in of to and or for on at by with as be was are been has had have do does did but not no
    if so from that this then than into its my me we he she they you your our his her""".split()
)

# What cuts a text; an index that another version made is made again. Letters differ with Unicode's version.
VERSION = f"1/{unicodedata.unidata_version}"

_RUN = re.compile(r"[^\W_]+")
_FIRST_MARK = "\u0300"


def tokens(text: str) -> list[str]:
    """Return the words of a text, in order, with repetitions.

    >>> tokens("The deploy_target of R2D2 is x, über-groß")
    ['deploy', 'target', 'r2d2', 'über', 'groß']
    >>> tokens("用JWT认证")
    ['用jwt认证', '用', '认证', 'jwt']
    """
    if text.isascii():
        return [word for word in _RUN.findall(text.lower()) if len(word) > 1 and word not in STOP_WORDS]
    text = unicodedata.normalize("NFC", text)
    found: list[str] = []
    for word in _runs(text):
        low = word.lower()
        if len(word) > 1 and low not in STOP_WORDS:
            found.append(low)
        if not word.isascii():
            found += _parts(low)
    return found


def _runs(text: str) -> list[str]:
    marks = [sign for sign in set(text) if sign >= _FIRST_MARK and _is_mark(sign)]
    if not marks:
        return _RUN.findall(text)
    kept = re.escape("".join(sorted(marks)))
    return re.findall(rf"[^\W_](?:[^\W_]|[{kept}])*", text)


def _is_mark(sign: str) -> bool:
    """Return whether a character modifies the preceding letter; variation selectors change only its look."""
    return unicodedata.category(sign) in ("Mn", "Mc") and not "\ufe00" <= sign <= "\ufe0f"


def _parts(word: str) -> list[str]:
    """Return the pairs of characters in a word, and the text between runs of them; not the word itself."""
    pairs = cjk_pairs(word)
    if not pairs:
        return []
    signs = set("".join(pairs))
    others = "".join(" " if sign in signs else sign for sign in word).split()
    kept = [other for other in others if len(other) > 1 and other not in STOP_WORDS]
    return [part for part in pairs + kept if part != word]
