"""Write SCIP indexes byte by byte, as its indexers do."""

from __future__ import annotations


def number(value: int) -> bytes:
    """Return a number of variable length; a negative one takes ten bytes."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def field(at: int, value: int | str | bytes) -> bytes:
    """Return a field that is a number, text or bytes."""
    if isinstance(value, int):
        return number(at << 3) + number(value)
    data = value.encode() if isinstance(value, str) else value
    return number(at << 3 | 2) + number(len(data)) + data


def occurrence(place: list[int], symbol: str, roles: int = 0, enclosing: list[int] | None = None) -> bytes:
    """Return an occurrence; its place is [line, start, end] or with an end line, from 0."""
    data = field(1, b"".join(map(number, place))) + field(2, symbol)
    if roles:
        data += field(3, roles)
    if enclosing:
        data += field(7, b"".join(map(number, enclosing)))
    return data


def relation(symbol: str, flag: int = 3) -> bytes:
    """Return a relationship with one flag; 3 is is_implementation."""
    return field(1, symbol) + field(flag, 1)


def symbol(name: str, *relations: bytes) -> bytes:
    """Return what is told of a symbol."""
    return field(1, name) + field(3, "docs") + b"".join(field(4, r) for r in relations)


def document(path: str, occurrences: list[bytes], symbols: tuple[bytes, ...] = ()) -> bytes:
    """Return a document."""
    data = field(4, "python") + field(1, path)
    data += b"".join(field(2, o) for o in occurrences)
    return data + b"".join(field(3, s) for s in symbols) + field(6, 2)


def index(*documents: bytes) -> bytes:
    """Return an index with its metadata."""
    tool = field(1, "maker") + field(2, "1.2") + field(3, "--all")
    metadata = field(1, 0) + field(2, tool) + field(3, "file:///p") + field(4, 1)
    return field(1, metadata) + b"".join(field(2, d) for d in documents)
