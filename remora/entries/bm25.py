"""The search index of the entries: BM25 over the words of each entry's content and name.

Each word has one list, the id of every entry that holds it with its count there. An index is immutable: a
change returns another one, which shares the lists of all words that the change does not touch. Scores are
those of `remora.core.bm25`.

A word is a run of letters and digits of any script, at least two characters long, in lower case; everything
else, including the underscore, separates words. English function words are dropped, endings are kept. Two
additions serve scripts that the plain rule splits wrongly: vowel signs and other marks belong to the
preceding letter, and a run of Chinese, Japanese or Korean characters, which is one word by the rule, also
gives its overlapping pairs of characters and the other words inside it, so that a part of it can be found.
"""

from __future__ import annotations

import re
import struct
import sys
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import accumulate, pairwise
from zlib import crc32

from remora.core.bm25 import K1, B, idf
from remora.core.text import cjk_pairs

STOP_WORDS = frozenset(
    """a an the is it in of to and or for on at by with as be was are been has had have do does did but not no
    if so from that this then than into its my me we he she they you your our his her""".split()
)

# An index of another version is rebuilt. Letters differ with Unicode's version, numbers with the machine.
VERSION = f"2/{unicodedata.unidata_version}/{sys.byteorder}".encode()

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


# Version, checksum of the rest.
_HEAD = struct.Struct("=16sI")


class Index:
    """The words of all entries, with the scores of a query.

    Attributes:
        lengths: the length in words of each entry with words, by its id.
        lists: for each word an array of unsigned 32-bit integers: the id and the count of each entry
            that holds it, in order of ids.
    """

    def __init__(
        self, lengths: Mapping[int, int] | None = None, lists: Mapping[str, bytes] | None = None
    ) -> None:
        self.lengths, self.lists = lengths or {}, lists or {}

    @classmethod
    def of(cls, texts: Iterable[tuple[int, str]]) -> Index:
        """Return the index of entries given as (id, searchable text)."""
        return cls().changed((id_, None, text) for id_, text in texts)

    def changed(self, changes: Iterable[tuple[int, str | None, str | None]]) -> Index:
        """Return the index after changes of different entries, given as (id, text before, text after).

        None means that the entry did not exist before or does not exist after.
        """
        lengths, lists = dict(self.lengths), dict(self.lists)
        own: dict[str, array[int]] = {}
        for id_, before, after in changes:
            old, new = Counter(tokens(before or "")), Counter(tokens(after or ""))
            lengths.pop(id_, None)
            if new:
                lengths[id_] = new.total()
            for word in {**old, **new}:
                pairs = own.get(word)
                if pairs is None:
                    pairs = own[word] = array("I", lists.get(word, b""))
                at = _place(pairs, id_)
                pairs[at : at + 2 * (word in old)] = array("I", (id_, new[word]) if word in new else ())
        for word, pairs in own.items():
            lists[word] = pairs.tobytes()
            if not pairs:
                del lists[word]
        return Index(lengths, lists)

    @cached_property
    def _norms(self) -> dict[int, float]:
        """The length term of each entry in the BM25 denominator."""
        scale = K1 * B * len(self.lengths) / (sum(self.lengths.values()) or 1)
        return {id_: K1 * (1.0 - B) + scale * length for id_, length in self.lengths.items()}

    def scores(self, query: str) -> dict[int, float]:
        """Return the score of every entry with a word of the query, by id; all are above 0."""
        norms = self._norms
        found: dict[int, float] = {}
        so_far = found.get
        for word in sorted(set(tokens(query))):
            pairs = array("I", self.lists.get(word, b""))
            weight = idf(len(norms), len(pairs) // 2) * (K1 + 1.0)
            for id_, count in zip(pairs[::2], pairs[1::2], strict=True):
                found[id_] = so_far(id_, 0.0) + weight * count / (count + norms[id_])
        return found

    def encode(self) -> bytes:
        """Return the index as bytes."""
        sizes = map(len, self.lists.values())
        numbers = (len(self.lengths), len(self.lists), *self.lengths, *self.lengths.values(), *sizes)
        rest = b"".join((array("I", numbers).tobytes(), *self.lists.values(), " ".join(self.lists).encode()))
        return _HEAD.pack(VERSION, crc32(rest)) + rest

    @classmethod
    def decode(cls, data: bytes) -> Index:
        """Return the index in bytes of `encode`.

        Raises:
            ValueError: they are damaged, or of another version.
        """
        if data[:16].rstrip(b"\0") != VERSION:
            raise ValueError("the search index is of another version")
        rest = data[_HEAD.size :]
        if len(data) < _HEAD.size + 8 or crc32(rest) != _HEAD.unpack_from(data)[1]:
            raise ValueError("the search index is damaged")
        entries, words = array("I", rest[:8])
        start = 8 + 8 * entries + 4 * words
        numbers = array("I", rest[8:start])
        ends = list(accumulate(numbers[2 * entries :], initial=start))
        lists = (rest[start:end] for start, end in pairwise(ends))
        return cls(
            dict(zip(numbers[:entries], numbers[entries : 2 * entries], strict=True)),
            dict(zip(rest[ends[-1] :].decode().split(), lists, strict=True)),
        )


def _place(pairs: array[int], id_: int) -> int:
    """Return where the pair of an id is or belongs in a list."""
    if not pairs or pairs[-2] < id_:
        return len(pairs)
    return 2 * bisect_left(range(0, len(pairs), 2), id_, key=pairs.__getitem__)
