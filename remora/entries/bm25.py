"""The search index of the entries: BM25 over the words of each entry's content and name.

A change must not touch lists over all entries, so the index has three parts: lists (`Postings`) of many
entries; `young`, the packed words of entries added or changed since; and `dead`, those of deleted or changed
entries in the lists. Occasionally the two are merged into the lists. An index is immutable: a change returns
another one. Scores are those of `remora.core.bm25`.

A word is a run of letters and digits of any script, at least two characters long, in lower case; everything
else, including the underscore, separates words. English function words are dropped, endings are kept. Two
additions serve scripts that the plain rule splits wrongly: vowel signs and other marks belong to the
preceding letter, and a run of Chinese, Japanese or Korean characters, which is one word by the rule, also
gives its overlapping pairs of characters and the other words inside it, so that a part of it can be found.
"""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cached_property
from zlib import crc32

from remora.core.bm25 import K1, B, idf
from remora.core.text import cjk_pairs
from remora.entries.postings import EMPTY, Doc, Postings, doc_size, pack_doc, unpack_doc

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


# So many changed entries may stand beside the lists. A search looks into each, a merge costs some ten
# milliseconds: with 256 it is every search's tenth of a millisecond and one change in 256.
CHANGED = 256

# Version of the words, bytes of the lists, young and dead entries, their checksums.
_HEAD = struct.Struct("<16sQIIII")
_ID = struct.Struct("<Q")


class Index:
    """The words of all entries, with the scores of a query."""

    def __init__(
        self,
        lists: Postings = EMPTY,
        young: Mapping[int, bytes] | None = None,
        dead: Mapping[int, bytes] | None = None,
    ) -> None:
        self.lists = lists
        self.young = young or {}
        self.dead = dead or {}

    @classmethod
    def of(cls, texts: Iterable[tuple[int, str]]) -> Index:
        """Return the index of entries given as (id, searchable text)."""
        return cls().changed((id_, None, text) for id_, text in texts)

    def changed(self, changes: Iterable[tuple[int, str | None, str | None]]) -> Index:
        """Return the index after changes, given as (id, text before, text after).

        None means that the entry did not exist before or does not exist after.
        """
        young, dead = dict(self.young), dict(self.dead)
        for id_, before, after in changes:
            if id_ in young:
                del young[id_]
            elif before is not None and id_ in self.lists.lengths and id_ not in dead:
                dead[id_] = pack_doc(tokens(before))
            words = tokens(after) if after is not None else []
            if words:
                young[id_] = pack_doc(words)
        if len(young) + len(dead) > CHANGED:
            return Index(self.lists.merged(dead, young))
        return Index(self.lists, young, dead)

    @cached_property
    def _new(self) -> list[tuple[int, Doc]]:
        return [(id_, unpack_doc(data)) for id_, data in self.young.items()]

    @cached_property
    def _gone(self) -> list[Doc]:
        return [unpack_doc(data) for data in self.dead.values()]

    @cached_property
    def _norms(self) -> tuple[int, dict[int, float], dict[int, float]]:
        """The number of entries with words, and the length term of each entry in the BM25 denominator.

        The entries in the lists come first, with infinity for deleted or changed ones, which makes their
        scores 0; then the other entries.
        """
        lists = self.lists.lengths
        young = {id_: doc.length for id_, doc in self._new}
        n = len(lists) - len(self.dead) + len(young)
        total = sum(lists.values()) - sum(doc.length for doc in self._gone) + sum(young.values())
        plain, scale = K1 * (1.0 - B), K1 * B * n / total if total else 0.0
        old = {id_: plain + scale * length for id_, length in lists.items()}
        old.update(dict.fromkeys(self.dead, math.inf))
        return n, old, {id_: plain + scale * length for id_, length in young.items()}

    def scores(self, query: str) -> dict[int, float]:
        """Return the score of every entry with a word of the query, by id; all are above 0."""
        n, old, young = self._norms
        found: dict[int, float] = {}
        so_far = found.get
        for term in sorted(set(tokens(query))):
            ids, times = self.lists.of(term)
            new = [(id_, doc.counts[term]) for id_, doc in self._new if term in doc.counts]
            df = len(ids) - sum(term in doc.counts for doc in self._gone) + len(new)
            weight = idf(n, df) * (K1 + 1.0)
            for id_, tf in zip(ids, times, strict=True):
                found[id_] = so_far(id_, 0.0) + weight * tf / (tf + old[id_])
            for id_, tf in new:
                found[id_] = so_far(id_, 0.0) + weight * tf / (tf + young[id_])
        for id_ in self.dead:
            if so_far(id_) == 0.0:
                del found[id_]
        return found

    def encode(self) -> list[bytes]:
        """Return the index as bytes, in parts to be concatenated."""
        rest = b"".join(
            part
            for docs in (self.young, self.dead)
            for id_, data in docs.items()
            for part in (_ID.pack(id_), data)
        )
        counts = (len(self.lists.data), len(self.young), len(self.dead))
        head = _HEAD.pack(VERSION.encode(), *counts, self.lists.checksum, crc32(rest))
        return [head, self.lists.data, rest, struct.pack("<I", crc32(head))]

    @classmethod
    def decode(cls, data: bytes) -> Index:
        """Return the index in bytes of `encode`.

        Raises:
            ValueError: they are damaged, or from another version of the tokenizer.
        """
        if len(data) < _HEAD.size + 4:
            raise ValueError("the search index is truncated")
        head, tail = data[: _HEAD.size], data[-4:]
        version, size, young, dead, lists_checksum, rest_checksum = _HEAD.unpack(head)
        rest = data[_HEAD.size + size : -4]
        if tail != struct.pack("<I", crc32(head)) or crc32(rest) != rest_checksum:
            raise ValueError("the search index is damaged")
        lists = Postings(data[_HEAD.size : _HEAD.size + size])
        if lists.checksum != lists_checksum:
            raise ValueError("the search index is damaged")
        if version.rstrip(b"\0").decode() != VERSION:
            raise ValueError("the search index is of another version")
        docs: list[tuple[int, bytes]] = []
        at = 0
        for _ in range(young + dead):
            (id_,) = _ID.unpack_from(rest, at)
            end = at + _ID.size + doc_size(rest, at + _ID.size)
            docs.append((id_, rest[at + _ID.size : end]))
            at = end
        return cls(lists, dict(docs[:young]), dict(docs[young:]))
