"""Write protocol buffers, for tests: fields of the kinds that SCIP indexes and GolemCore's sessions have."""

from __future__ import annotations

import struct


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


def double(number: int, value: float) -> bytes:
    """Return a field that holds a double."""
    return varint(number << 3 | 1) + struct.pack("<d", value)


def data(number: int, value: bytes | str) -> bytes:
    """Return a field that holds text, bytes or a message."""
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def entry(number: int, key: str, value: bytes) -> bytes:
    """Return one entry of a map of JSON values."""
    return data(number, data(1, key) + data(2, value))


def time(number: int, seconds: int, nanoseconds: int = 0) -> bytes:
    """Return a field that holds a time."""
    return data(number, whole(1, seconds) + (whole(2, nanoseconds) if nanoseconds else b""))
