"""Write protocol buffers, for tests: fields of the kinds that SCIP indexes have."""

from __future__ import annotations


def varint(value: int) -> bytes:
    """Return a number in as few bytes as it needs; a negative one takes ten."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def whole(number: int, value: int) -> bytes:
    """Return a field that holds a whole number."""
    return varint(number << 3) + varint(value)


def data(number: int, value: bytes | str) -> bytes:
    """Return a field that holds text, bytes or a message."""
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw
