"""Cut a text into the words that the entry store searches by.

A word is a run of letters and digits of any script, at least two characters long, in lower case; everything
else, also the underscore, parts words. Function words of English are dropped, endings stay. Two additions
for scripts that the plain rule cuts wrongly: vowel signs and other marks belong to the letter before them,
and a run of Chinese, Japanese or Korean signs, which is one word by the rule, also gives its overlapping
pairs of signs and the words that stand in it without a space, so that a part of it can be found.
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
    """Return the words of a text, in order, as often as they stand in it.

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
    """Say whether a sign changes the letter before it; variation selectors change only its looks."""
    return unicodedata.category(sign) in ("Mn", "Mc") and not "\ufe00" <= sign <= "\ufe0f"


def _parts(word: str) -> list[str]:
    """Return the pairs of signs in a word, and what stands between runs of them; not the word itself."""
    pairs = cjk_pairs(word)
    if not pairs:
        return []
    signs = set("".join(pairs))
    others = "".join(" " if sign in signs else sign for sign in word).split()
    kept = [other for other in others if len(other) > 1 and other not in STOP_WORDS]
    return [part for part in pairs + kept if part != word]
