"""Write SCIP indexes byte by byte, as its indexers do."""

from __future__ import annotations

import io
from collections.abc import Iterator

from remora.graph.scip_index import ScipDocument, read_index
from tests.wire import data, varint, whole


def field(at: int, value: int | str | bytes) -> bytes:
    """Return a field that is a number, text or bytes."""
    return whole(at, value) if isinstance(value, int) else data(at, value)


def occurrence(place: list[int], symbol: str, roles: int = 0, enclosing: list[int] | None = None) -> bytes:
    """Return an occurrence; its place is [line, start, end] or with an end line, from 0."""
    found = field(1, b"".join(map(varint, place))) + field(2, symbol)
    if roles:
        found += field(3, roles)
    if enclosing:
        found += field(7, b"".join(map(varint, enclosing)))
    return found


def document(path: str, occurrences: list[bytes]) -> bytes:
    """Return a document."""
    return field(4, "python") + field(1, path) + b"".join(field(2, o) for o in occurrences) + field(6, 2)


def index(*documents: bytes) -> bytes:
    """Return an index with its metadata."""
    tool = field(1, "maker") + field(2, "1.2") + field(3, "--all")
    metadata = field(1, 0) + field(2, tool) + field(3, "file:///p") + field(4, 1)
    return field(1, metadata) + b"".join(field(2, d) for d in documents)


def documents_in(index: bytes) -> Iterator[ScipDocument]:
    """Return the documents of an index that is in memory."""
    return read_index(io.BytesIO(index))
