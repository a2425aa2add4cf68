"""Read a SCIP index: what a compiler or type checker found out about the names in a project.

SCIP (the format of Sourcegraph's indexers, scip-python, scip-typescript, rust-analyzer and others) is
one protocol-buffer message, read here by the numbers of its fields.

An index may have hundreds of megabytes, so it is read document by document from an open file: no more
than one document is in memory. Fields that are not known are passed over, so a newer index can be
read too. Damage raises an error that names the byte; what was read before it is good.

Lines count from 1, as everywhere in the graph (SCIP counts from 0). Columns count from 0 in the units
that `ScipDocument.columns` names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from remora.core.errors import SourceError
from remora.core.protobuf import LEN, MAX_VARINT, VARINT, Damaged, fields, span, varint

DEFINITION, IMPORT, WRITE, READ, GENERATED, TEST, FORWARD = 1, 2, 4, 8, 16, 32, 64  # bits of `roles`
PLACES = ("index.scip", ".scip/index.scip")
_COLUMNS = ("", "utf-8", "utf-16", "utf-32")


class ScipOccurrence(NamedTuple):
    """A place where a symbol stands. `enclosing` are the first and last line of what it defines, or None."""

    line: int
    start: int
    end_line: int
    end: int
    symbol: str
    roles: int = 0
    enclosing: tuple[int, int] | None = None


class ScipRelationship(NamedTuple):
    """How a symbol stands to another: it implements or overrides it, has its type, or is the same."""

    symbol: str
    is_reference: bool = False
    is_implementation: bool = False
    is_type_definition: bool = False
    is_definition: bool = False


class ScipSymbol(NamedTuple):
    """What an index tells of a symbol. `kind` and `display_name` are empty in many indexes."""

    symbol: str
    relationships: tuple[ScipRelationship, ...] = ()
    kind: int = 0
    display_name: str = ""
    enclosing_symbol: str = ""


class ScipDocument(NamedTuple):
    """A file of the index; `skipped` counts occurrences whose place makes no sense."""

    relative_path: str
    language: str = ""
    occurrences: tuple[ScipOccurrence, ...] = ()
    symbols: tuple[ScipSymbol, ...] = ()
    columns: str = ""
    skipped: int = 0


def find_index(root: Path) -> Path | None:
    """Return the index of a project, None when there is none."""
    return next((root / place for place in PLACES if (root / place).is_file()), None)


def read_index(file: BinaryIO) -> Iterator[ScipDocument]:
    """Yield the documents of an index one by one.

    Args:
        file: the index, open for reading; it must be able to seek.

    Raises:
        SourceError: the index is damaged or ends too soon; the message names the byte.
    """
    for data, base in _documents(file):
        try:
            found = _document(data)
        except Damaged as error:
            raise _damaged(base + error.at, error.what) from None
        yield found


def _damaged(at: int, what: str) -> SourceError:
    return SourceError(
        f"the SCIP index is damaged at byte {at}: {what}",
        hint="Let its tool write the index again, or delete the file.",
    )


def _documents(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the documents of an index as bytes, with their offset in the index."""
    size = file.seek(0, os.SEEK_END)
    at = 0
    while at < size:
        file.seek(at)
        head = file.read(2 * MAX_VARINT)
        try:
            key, start = varint(head, 0, len(head))
            if key & 7 == VARINT:
                at += varint(head, start, len(head))[1]
                continue
            start, end = span(head, key & 7, start, len(head))
        except Damaged as error:
            raise _damaged(at + error.at, error.what) from None
        if at + end > size:
            there = max(0, size - at - start)
            raise _damaged(at, f"{end - start} bytes are announced, {there} are there")
        if key >> 3 == 2 and key & 7 == LEN:
            file.seek(at + start)
            data = file.read(end - start)
            if len(data) != end - start:
                raise _damaged(at, "the file became shorter while it was read")
            yield data, at + start
        at += end


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")


def _document(data: bytes) -> ScipDocument:
    path = language = ""
    encoding = skipped = 0
    occurrences: list[ScipOccurrence] = []
    symbols: list[ScipSymbol] = []
    names: dict[bytes, str] = {}  # a symbol stands many times in a document; its text is kept once
    for number, kind, value, start, end in fields(data):
        if kind == VARINT:
            encoding = value if number == 6 else encoding
        elif kind != LEN:
            continue
        elif number == 2:
            occurrence = _occurrence(data, start, end, names)
            if occurrence is None:
                skipped += 1
            else:
                occurrences.append(occurrence)
        elif number == 3:
            symbols.append(_symbol(data, start, end))
        elif number == 1:
            path = _text(data, start, end)
        elif number == 4:
            language = _text(data, start, end)
    columns = _COLUMNS[encoding] if encoding < len(_COLUMNS) else ""
    return ScipDocument(path, language, tuple(occurrences), tuple(symbols), columns, skipped)


def _occurrence(data: bytes, start: int, end: int, names: dict[bytes, str]) -> ScipOccurrence | None:
    place: list[int] = []
    around: list[int] = []
    symbol = ""
    roles = 0
    for number, kind, value, a, b in fields(data, start, end):
        if number in (1, 7):
            numbers = place if number == 1 else around
            if kind == VARINT:  # written one by one
                numbers.append(value)
            while a < b:
                value, a = varint(data, a, b)
                numbers.append(value)
        elif number == 2:
            raw = data[a:b]
            symbol = names.get(raw) or names.setdefault(raw, raw.decode("utf-8", "replace"))
        elif number == 3 and kind == VARINT:
            roles = value
    spot = _range(place)
    if spot is None:
        return None
    whole = _range(around)
    enclosing = (whole[0], whole[2]) if whole else None
    return ScipOccurrence(*spot, symbol, roles, enclosing)


def _range(numbers: list[int]) -> tuple[int, int, int, int] | None:
    """Return line, column, end line, end column; None for what is no range. Lines count from 1."""
    if len(numbers) == 3:
        line, start, end = numbers
        numbers = [line, start, line, end]
    if len(numbers) != 4 or max(numbers) > 0x7FFF_FFFF or numbers[:2] > numbers[2:]:
        return None
    line, start, end_line, end = numbers
    return line + 1, start, end_line + 1, end


def _symbol(data: bytes, start: int, end: int) -> ScipSymbol:
    symbol = display_name = enclosing = ""
    symbol_kind = 0
    relations: list[ScipRelationship] = []
    for number, kind, value, a, b in fields(data, start, end):
        if kind == VARINT:
            symbol_kind = value if number == 5 else symbol_kind
        elif kind != LEN:
            continue
        elif number == 1:
            symbol = _text(data, a, b)
        elif number == 4:
            relations.append(_relationship(data, a, b))
        elif number == 6:
            display_name = _text(data, a, b)
        elif number == 8:
            enclosing = _text(data, a, b)
    return ScipSymbol(symbol, tuple(relations), symbol_kind, display_name, enclosing)


def _relationship(data: bytes, start: int, end: int) -> ScipRelationship:
    symbol = ""
    flags = [False] * 4
    for number, kind, value, a, b in fields(data, start, end):
        if number == 1 and kind == LEN:
            symbol = _text(data, a, b)
        elif 2 <= number <= 5 and kind == VARINT:
            flags[number - 2] = bool(value)
    return ScipRelationship(symbol, *flags)
