"""Read a SCIP index: a compiler's or type checker's data about the names in a project.

SCIP (the format of Sourcegraph's indexers, scip-python, scip-typescript, rust-analyzer and others) is one
protocol-buffer message, read here by the numbers of its fields.

An index may have hundreds of megabytes, so it is read document by document from an open file: at most one
document is in memory. Unknown fields are skipped, so a newer index can be read too. Damage raises an error
with the byte offset; the documents before it are valid.

Lines count from 1, as everywhere in the graph (SCIP counts from 0). Columns count from 0.

A global name has the form `scheme manager package version descriptors`, its parts separated by one blank; a
blank inside a part is doubled, and an empty part is written ".". The end of each descriptor shows its kind:
`a/` a namespace, `A#` a type, `x.` a term, `f().` a method (with a disambiguator between the brackets if it
has several forms), `[T]` a type parameter, `(x)` a parameter, `m!` a macro, `n:` meta. A name with other
characters is in backticks, with backticks doubled. `local 7` is known only within its document.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from remora.core.errors import SourceError
from remora.core.protobuf import LEN, MAX_VARINT, VARINT, Damaged, fields, span, varint

DEFINITION, IMPORT = 1, 2  # bits of `roles`
PLACES = ("index.scip", ".scip/index.scip")
NAMESPACE, TYPE, TERM, METHOD = "namespace", "type", "term", "method"
TYPE_PARAMETER, PARAMETER, MACRO, META = "type parameter", "parameter", "macro", "meta"

_NAME = r"(?:`(?:[^`]|``)+`|[\w+\-$]+)"
_DESCRIPTOR = re.compile(
    rf"\[(?P<type_parameter>{_NAME})\]|\((?P<parameter>{_NAME})\)"
    rf"|(?P<name>{_NAME})(?P<end>\({_NAME}?\)\.|[/#.!:])"
)
_KINDS = {"/": NAMESPACE, "#": TYPE, ".": TERM, "!": MACRO, ":": META}
# Scheme (never empty), manager, package and version, each with the blank behind it; "  " is a blank within.
_HEAD = re.compile(r"(?!\.? (?! ))(?>(?:[^ ]|  )* ){4}")


class ScipOccurrence(NamedTuple):
    """An occurrence of a symbol: its line, its first and its end column."""

    line: int
    start: int
    end: int
    symbol: str
    roles: int = 0


class ScipDocument(NamedTuple):
    """A file of the index. Occurrences with an invalid place are left out."""

    relative_path: str
    occurrences: tuple[ScipOccurrence, ...] = ()


def find_index(root: Path) -> Path | None:
    """Return the index of a project, None if there is none."""
    return next((root / place for place in PLACES if (root / place).is_file()), None)


def read_index(file: BinaryIO) -> Iterator[ScipDocument]:
    """Yield the documents of an index one by one.

    Args:
        file: the index, open for reading; it must be seekable.

    Raises:
        SourceError: the index is damaged or truncated; the message has the byte offset.
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
        hint="Regenerate the index with its tool, or delete the file.",
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
            raise _damaged(at, f"{end - start} bytes were declared, {there} remain")
        if key >> 3 == 2 and key & 7 == LEN:
            file.seek(at + start)
            data = file.read(end - start)
            if len(data) != end - start:
                raise _damaged(at, "the file was truncated during the read")
            yield data, at + start
        at += end


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")


def _document(data: bytes) -> ScipDocument:
    path = ""
    occurrences: list[ScipOccurrence] = []
    names: dict[bytes, str] = {}  # a symbol stands many times in a document; its text is kept once
    for number, kind, _, start, end in fields(data):
        if kind != LEN:
            continue
        if number == 2:
            occurrence = _occurrence(data, start, end, names)
            if occurrence is not None:
                occurrences.append(occurrence)
        elif number == 1:
            path = _text(data, start, end)
    return ScipDocument(path, tuple(occurrences))


def _occurrence(data: bytes, start: int, end: int, names: dict[bytes, str]) -> ScipOccurrence | None:
    place: list[int] = []
    symbol = ""
    roles = 0
    for number, kind, value, a, b in fields(data, start, end):
        if number == 1:
            if kind == VARINT:  # written one by one
                place.append(value)
            while a < b:
                value, a = varint(data, a, b)
                place.append(value)
        elif number == 2:
            raw = data[a:b]
            symbol = names.get(raw) or names.setdefault(raw, raw.decode("utf-8", "replace"))
        elif number == 3 and kind == VARINT:
            roles = value
    spot = _range(place)
    return ScipOccurrence(*spot, symbol, roles) if spot is not None else None


def _range(numbers: list[int]) -> tuple[int, int, int] | None:
    """Return line, column, end column; None for an invalid range. Lines count from 1."""
    if len(numbers) == 3:
        line, start, end = numbers
        numbers = [line, start, line, end]
    if len(numbers) != 4 or max(numbers) > 0x7FFF_FFFF or numbers[:2] > numbers[2:]:
        return None
    line, start, _, end = numbers
    return line + 1, start, end


class Descriptor(NamedTuple):
    """One step of a name."""

    name: str
    kind: str


class ScipName(NamedTuple):
    """A parsed name: a local one is known only within its document and has no steps."""

    local: bool
    descriptors: tuple[Descriptor, ...] = ()

    @property
    def last(self) -> Descriptor | None:
        """The last step, which is the named item."""
        return self.descriptors[-1] if self.descriptors else None


@lru_cache(maxsize=65_536)
def parse_name(symbol: str) -> ScipName | None:
    """Return a parsed symbol string, None if it is invalid.

    >>> parse_name("scip-python python demo 0.1 `pkg.a`/A#run().").descriptors[1:]
    (Descriptor(name='A', kind='type'), Descriptor(name='run', kind='method'))
    >>> parse_name("local 7").local, parse_name("nonsense")
    (True, None)
    """
    if symbol.startswith("local "):
        return ScipName(local=True) if symbol[6:] else None
    head = _HEAD.match(symbol)
    descriptors = _descriptors(symbol, head.end()) if head is not None else None
    return ScipName(local=False, descriptors=descriptors) if descriptors is not None else None


def _descriptors(symbol: str, at: int) -> tuple[Descriptor, ...] | None:
    found: list[Descriptor] = []
    while at < len(symbol):
        step = _DESCRIPTOR.match(symbol, at)
        if step is None:
            return None
        at = step.end()
        if step["type_parameter"]:
            found.append(Descriptor(_plain(step["type_parameter"]), TYPE_PARAMETER))
        elif step["parameter"]:
            found.append(Descriptor(_plain(step["parameter"]), PARAMETER))
        else:
            found.append(Descriptor(_plain(step["name"]), _KINDS.get(step["end"], METHOD)))
    return tuple(found)


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
