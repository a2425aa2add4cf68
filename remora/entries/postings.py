"""The entries of each word, as compact lists that are read without decoding.

`Postings` is one immutable block of bytes: the entries that it covers, with their lengths in words, then
every word with its list of (entry id, count). It is decoded on first use. `merged` makes a new one with some
entries removed and some added; it touches only the lists of their words and copies the ranges between them.
"""

from __future__ import annotations

import itertools
import struct
import sys
from array import array
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple
from zlib import crc32

# Entries, words, pairs, bytes of the words' text, bytes of an id, bytes of a number of times.
_HEAD = struct.Struct("<QQQQBB")
# Words, bytes of their text.
_DOC_HEAD = struct.Struct("<II")
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}

Array = array  # arrays of unsigned integers, as wide as their values need


class Doc(NamedTuple):
    """The index data of one entry: its length in words and the count of each word."""

    length: int
    counts: Mapping[str, int]


def pack_doc(words: list[str]) -> bytes:
    """Return the words of an entry as bytes: the number of distinct words, their counts, then the words."""
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    text = "\n".join(counts).encode()
    return _DOC_HEAD.pack(len(counts), len(text)) + packed(array("I", counts.values())) + text


@lru_cache(maxsize=1024)
def unpack_doc(data: bytes) -> Doc:
    """Return the data in bytes of `pack_doc`; callers must not change it.

    Raises:
        ValueError: the bytes are not such a pack.
    """
    count, size = _DOC_HEAD.unpack_from(data)
    if len(data) != _DOC_HEAD.size + 4 * count + size:
        raise ValueError("a packed entry has the wrong size")
    times = unpacked(4, data[_DOC_HEAD.size : _DOC_HEAD.size + 4 * count])
    words = data[len(data) - size :].decode().split("\n") if count else []
    return Doc(sum(times), dict(zip(words, times, strict=True)))


def doc_size(data: bytes, at: int) -> int:
    """Return the size in bytes of the pack at a position."""
    count, size = _DOC_HEAD.unpack_from(data, at)
    return _DOC_HEAD.size + 4 * int(count) + int(size)


class Postings:
    """The lists of all words of many entries.

    Attributes:
        data: the bytes, the only state.
    """

    def __init__(self, data: bytes) -> None:
        """Take the bytes of a block.

        Raises:
            ValueError: their sizes are inconsistent.
        """
        self.data = data
        if len(data) < _HEAD.size:
            raise ValueError("the lists of words are truncated")
        docs, terms, pairs, text, wide, deep = _HEAD.unpack_from(data)
        if wide not in _CODES or deep not in _CODES:
            raise ValueError("the lists of words have numbers of an unknown size")
        sizes = (wide * docs, 4 * docs, 4 * terms, text, wide * pairs, deep * pairs)
        self._ends = list(itertools.accumulate(sizes, initial=_HEAD.size))
        self._wide, self._deep = wide, deep
        if self._ends[-1] != len(data):
            raise ValueError("the lists of words have the wrong size")
        words = data[self._ends[3] : self._ends[4]]
        if words.count(b"\n") + (terms > 0) != terms or sum(self.counts) != pairs:
            raise ValueError("the lists of words do not match their words")

    @cached_property
    def checksum(self) -> int:
        """The CRC-32 of the bytes."""
        return crc32(self.data)

    def _part(self, number: int, width: int) -> Array[int]:
        return unpacked(width, self.data[self._ends[number] : self._ends[number + 1]])

    @cached_property
    def counts(self) -> Array[int]:
        """The number of entries of each word, in the order of the words."""
        return self._part(2, 4)

    @cached_property
    def lengths(self) -> dict[int, int]:
        """The length of each entry in words, by its id."""
        return dict(zip(self._part(0, self._wide), self._part(1, 4), strict=True))

    @cached_property
    def terms(self) -> list[str]:
        """All words, in the order of their lists."""
        text = self.data[self._ends[3] : self._ends[4]]
        return text.decode().split("\n") if text else []

    @cached_property
    def places(self) -> dict[str, int]:
        """The position of each word in that order."""
        return {term: place for place, term in enumerate(self.terms)}

    @cached_property
    def starts(self) -> list[int]:
        """The start of each word's list, and the end of the last one."""
        return list(itertools.accumulate(self.counts, initial=0))

    @cached_property
    def ids(self) -> Array[int]:
        """The entry ids of all lists, concatenated."""
        return self._part(4, self._wide)

    @cached_property
    def times(self) -> Array[int]:
        """The count of the word in the entry, parallel to `ids`."""
        return self._part(5, self._deep)

    def of(self, term: str) -> tuple[Array[int], Array[int]]:
        """Return the list of a word: the ids of its entries, and its count in each."""
        place = self.places.get(term)
        if place is None:
            return self.ids[:0], self.times[:0]
        start, end = self.starts[place], self.starts[place + 1]
        return self.ids[start:end], self.times[start:end]

    def merged(self, gone: Mapping[int, bytes], new: Mapping[int, bytes]) -> Postings:
        """Return the lists without some of their entries and with others.

        Args:
            gone: packed words of entries that are in these lists, by id.
            new: packed words of entries that are not in them (or are in `gone`), by id.
        """
        lengths = {id_: length for id_, length in self.lengths.items() if id_ not in gone}
        thinner = {term for data in gone.values() for term in unpack_doc(data).counts}
        added: dict[str, tuple[list[int], list[int]]] = {}
        for id_, data in new.items():
            doc = unpack_doc(data)
            lengths[id_] = doc.length
            for term, times in doc.counts.items():
                more = added.get(term)
                if more is None:
                    more = added[term] = ([], [])
                more[0].append(id_)
                more[1].append(times)
        return self._with(lengths, thinner, frozenset(gone), added)

    def _with(
        self,
        lengths: dict[int, int],
        thinner: set[str],
        gone: frozenset[int],
        added: dict[str, tuple[list[int], list[int]]],
    ) -> Postings:
        """Build the new block: the lists of `thinner` without `gone`; the lists of `added` appended."""
        highest = max((max(times) for _, times in added.values()), default=0)
        ids: Array[int] = array(_CODES[max(width_of(max(lengths, default=0)), self._wide)])
        times: Array[int] = array(_CODES[max(width_of(highest), self._deep)])
        old_ids, old_times = as_wide(self.ids, ids.typecode), as_wide(self.times, times.typecode)
        counts, terms, places = self.counts[:], self.terms, self.places
        copied = 0
        for place in sorted(places[term] for term in thinner | added.keys() if term in places):
            term, start, end = terms[place], self.starts[place], self.starts[place + 1]
            if term in thinner:
                cuts = [at for at, id_ in enumerate(old_ids[start:end], start) if id_ in gone]
                for cut in cuts:
                    ids += old_ids[copied:cut]
                    times += old_times[copied:cut]
                    copied = cut + 1
                counts[place] -= len(cuts)
            if term in added:
                ids += old_ids[copied:end]
                times += old_times[copied:end]
                copied = end
                counts[place] += _extend(ids, times, added[term])
        ids += old_ids[copied:]
        times += old_times[copied:]
        fresh = [term for term in added if term not in places]
        counts.extend([_extend(ids, times, added[term]) for term in fresh])
        terms = terms + fresh
        if 0 in counts:
            terms = [term for term, count in zip(terms, counts, strict=True) if count]
            counts = array("I", [count for count in counts if count])
        return Postings(_encoded(lengths, terms, counts, ids, times))


def _extend(ids: Array[int], times: Array[int], more: tuple[list[int], list[int]]) -> int:
    """Append a word's new entries; return their number."""
    ids.extend(more[0])
    times.extend(more[1])
    return len(more[0])


def _encoded(
    lengths: dict[int, int], terms: list[str], counts: Array[int], ids: Array[int], times: Array[int]
) -> bytes:
    text = "\n".join(terms).encode()
    head = _HEAD.pack(len(lengths), len(terms), len(ids), len(text), ids.itemsize, times.itemsize)
    known = array(ids.typecode, lengths)
    parts = (known, array("I", lengths.values()), counts, text, ids, times)
    return head + b"".join(part if isinstance(part, bytes) else packed(part) for part in parts)


def width_of(highest: int) -> int:
    """Return the number of bytes of an integer: 1, 2, 4 or 8.

    >>> width_of(255), width_of(256), width_of(2**32)
    (1, 2, 8)
    """
    return next(width for width in _CODES if highest < 1 << (8 * width))


def as_wide(values: Array[int], code: str) -> Array[int]:
    """Return an array with elements of the same or a greater size."""
    return values if values.typecode == code else array(code, values)


def packed(values: Array[int]) -> bytes:
    """Return an array as little-endian bytes."""
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()


def unpacked(width: int, data: bytes) -> Array[int]:
    """Return the array of little-endian bytes with elements of `width` bytes."""
    values: Array[int] = array(_CODES[width], data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


EMPTY = Postings(_HEAD.pack(0, 0, 0, 0, 1, 1))
