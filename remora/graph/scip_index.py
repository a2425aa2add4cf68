"""Read a SCIP index: what a compiler or type checker found out about the names in a project.

SCIP (the format of Sourcegraph's indexers, scip-python, scip-typescript, rust-analyzer and others) is
one protocol-buffer message. Its wire format is small, so it is read here directly, without generated
code: a message is a run of fields, each a number that holds the field's number and kind, then a
number, four or eight bytes, or a length and so many bytes.

An index may have hundreds of megabytes, so it is read document by document from an open file: no more
than one document is in memory. Fields that are not known are passed over, so a newer index can be
read too. Damage raises an error that names the byte; what was read before it is good.

Lines count from 1, as everywhere in the graph (SCIP counts from 0). Columns count from 0, in a unit that
differs from index to index.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from remora.core.errors import SourceError

DEFINITION, IMPORT = 1, 2  # bits of `roles`
PLACES = ("index.scip", ".scip/index.scip")
_NUMBER, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_MOST_NUMBER_BYTES = 10

Field = tuple[int, int, int, int]  # number of the field; its value or -1; where its bytes begin and end


class ScipOccurrence(NamedTuple):
    """A place where a symbol stands: its line, and the columns where it begins and ends."""

    line: int
    start: int
    end: int
    symbol: str
    roles: int = 0


class ScipSymbol(NamedTuple):
    """A symbol, and the symbols that it implements or overrides."""

    symbol: str
    implements: tuple[str, ...] = ()


class ScipDocument(NamedTuple):
    """A file of the index. Occurrences whose place makes no sense are left out."""

    relative_path: str
    occurrences: tuple[ScipOccurrence, ...] = ()
    symbols: tuple[ScipSymbol, ...] = ()


def find_index(root: Path) -> Path | None:
    """Return the index of a project, None when there is none."""
    return next((root / place for place in PLACES if (root / place).is_file()), None)


def read_index(source: bytes | memoryview | BinaryIO) -> Iterator[ScipDocument]:
    """Yield the documents of an index one by one.

    Args:
        source: the whole index, or a file that is open for reading (it must be able to seek).

    Raises:
        SourceError: the index is damaged or ends too soon; the message names the byte.
    """
    for data, base in _documents(source):
        yield _document(data, base)


def _damaged(at: int, what: str) -> SourceError:
    return SourceError(
        f"the SCIP index is damaged at byte {at}: {what}",
        hint="Let its tool write the index again, or delete the file.",
    )


class _View(io.RawIOBase):
    """Bytes that are read in parts without a copy of the whole."""

    def __init__(self, data: memoryview) -> None:
        self._data, self._at = data, 0

    def read(self, size: int = -1) -> bytes:
        part = self._data[self._at : self._at + size] if size >= 0 else self._data[self._at :]
        self._at += len(part)
        return bytes(part)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self._data)}[whence]
        self._at = start + offset
        return self._at


def _documents(source: bytes | memoryview | BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the documents of an index as bytes, with their offset in the index."""
    file = _View(memoryview(source)) if isinstance(source, (bytes, memoryview)) else source
    size = file.seek(0, os.SEEK_END)
    at = 0
    while at < size:
        file.seek(at)
        head = file.read(2 * _MOST_NUMBER_BYTES)
        key, after = _number(head, 0, len(head), at)
        kind = key & 7
        if kind == _BYTES:
            length, after = _number(head, after, len(head), at)
            if at + after + length > size:
                raise _damaged(at, f"{length} bytes are announced, {max(0, size - at - after)} are there")
            if key >> 3 == 2:
                file.seek(at + after)
                data = file.read(length)
                if len(data) != length:
                    raise _damaged(at, "the file became shorter while it was read")
                yield data, at + after
            after += length
        else:
            after = _past(head, kind, after, len(head), at)
        at += after


def _number(data: bytes, at: int, end: int, base: int) -> tuple[int, int]:
    """Return a number of variable length and where it ends: seven bits a byte, the lowest first."""
    value = shift = 0
    start = at
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
        if at - start == _MOST_NUMBER_BYTES:
            raise _damaged(base + start, "a number that is too long")
    raise _damaged(base + start, "it ends within a number")


def _past(data: bytes, kind: int, at: int, end: int, base: int) -> int:
    """Return where a field that is no bytes ends."""
    if kind == _NUMBER:
        return _number(data, at, end, base)[1]
    if kind not in (_FOUR, _EIGHT):
        raise _damaged(base + at, f"no field is of kind {kind}")
    after = at + (4 if kind == _FOUR else 8)
    if after > end:
        raise _damaged(base + at, "it ends within a field")
    return after


def _fields(data: bytes, at: int, end: int, base: int) -> Iterator[Field]:
    """Yield the fields of a message that are numbers or bytes."""
    while at < end:
        key = data[at]
        at += 1
        if key >= 0x80:
            key, at = _number(data, at - 1, end, base)
        kind = key & 7
        if kind == _BYTES:
            length = data[at] if at < end else 0x80
            if length < 0x80:
                at += 1
            else:
                length, at = _number(data, at, end, base)
            if at + length > end:
                raise _damaged(base + at, f"{length} bytes are announced, {end - at} are there")
            yield key >> 3, -1, at, at + length
            at += length
        elif kind == _NUMBER:
            value, at = _number(data, at, end, base)
            yield key >> 3, value, at, at
        else:
            at = _past(data, kind, at, end, base)


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")


def _document(data: bytes, base: int) -> ScipDocument:
    path = ""
    occurrences: list[ScipOccurrence] = []
    symbols: list[ScipSymbol] = []
    names: dict[bytes, str] = {}  # a symbol stands many times in a document; its text is kept once
    for number, value, start, end in _fields(data, 0, len(data), base):
        if number == 2 and value < 0:
            occurrence = _occurrence(data, start, end, base, names)
            if occurrence is not None:
                occurrences.append(occurrence)
        elif number == 3 and value < 0:
            symbols.append(_symbol(data, start, end, base))
        elif number == 1:
            path = _text(data, start, end)
    return ScipDocument(path, tuple(occurrences), tuple(symbols))


def _occurrence(
    data: bytes, start: int, end: int, base: int, names: dict[bytes, str]
) -> ScipOccurrence | None:
    place: list[int] = []
    symbol = ""
    roles = 0
    for number, value, a, b in _fields(data, start, end, base):
        if number == 1:
            if value >= 0:  # written one by one
                place.append(value)
            else:
                place += _numbers(data, a, b, base)
        elif number == 2:
            raw = data[a:b]
            symbol = names.get(raw) or names.setdefault(raw, raw.decode("utf-8", "replace"))
        elif number == 3 and value >= 0:
            roles = value
    spot = _range(place)
    return ScipOccurrence(*spot, symbol, roles) if spot is not None else None


def _numbers(data: bytes, at: int, end: int, base: int) -> list[int]:
    found = []
    while at < end:
        value, at = _number(data, at, end, base)
        found.append(value)
    return found


def _range(numbers: list[int]) -> tuple[int, int, int] | None:
    """Return line, column, end column; None for what is no range. Lines count from 1."""
    if len(numbers) == 3:
        line, start, end = numbers
        numbers = [line, start, line, end]
    if len(numbers) != 4 or max(numbers) > 0x7FFF_FFFF or numbers[:2] > numbers[2:]:
        return None
    line, start, _, end = numbers
    return line + 1, start, end


def _symbol(data: bytes, start: int, end: int, base: int) -> ScipSymbol:
    symbol = ""
    implements: list[str] = []
    for number, value, a, b in _fields(data, start, end, base):
        if number == 1:
            symbol = _text(data, a, b)
        elif number == 4 and value < 0 and (other := _implemented(data, a, b, base)) is not None:
            implements.append(other)
    return ScipSymbol(symbol, tuple(implements))


def _implemented(data: bytes, start: int, end: int, base: int) -> str | None:
    """Return the symbol of a relationship, None for one that is no implementation."""
    symbol = ""
    implementation = False
    for number, value, a, b in _fields(data, start, end, base):
        if number == 1:
            symbol = _text(data, a, b)
        elif number == 3 and value >= 0:
            implementation = bool(value)
    return symbol if implementation else None
