"""Read the wire format of protocol buffers, field by field, without a schema.

A message is a sequence of fields: a varint with the field's number and kind (its wire type), then a
varint, four or eight bytes, or a length and that many bytes. The caller interprets the fields.

The protobuf library is not used: it ignores fields of the wrong kind, cannot locate damage in a
message, and loads 75 modules.
"""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, LEN, FIXED32 = 0, 1, 2, 5  # kinds; 3 and 4 are of groups, which are obsolete
MAX_VARINT = 10  # bytes

Field = tuple[int, int, int, int, int]  # number, kind, value of a VARINT or -1, where its bytes start and end


class Damaged(ValueError):
    """Bytes that are not a valid message: the error, and its byte offset."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(what)
        self.at, self.what = at, what


def fields(data: bytes, at: int = 0, end: int | None = None) -> Iterator[Field]:
    r"""Yield the fields of a message.

    Args:
        data: bytes that contain it.
        at: the offset of its first byte.
        end: the offset after its last byte; None for the end of `data`.

    Raises:
        Damaged: the message is truncated or invalid.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi"))
    [(1, 0, 150, 3, 3), (2, 2, -1, 5, 7)]
    """
    end = len(data) if end is None else end
    while at < end:
        key = data[at]
        if key < 0x80:
            at += 1
        else:
            key, at = varint(data, at, end)
        kind = key & 7
        if kind == VARINT:
            value, at = varint(data, at, end)
            yield key >> 3, kind, value, at, at
            continue
        if kind == LEN and at < end and data[at] < 0x80:  # most lengths are one byte
            start = at + 1
            after = start + data[at]
        else:
            start, after = span(data, kind, at, end)
        if after > end:
            raise Damaged(start, f"{after - start} bytes were declared, {end - start} remain")
        yield key >> 3, kind, -1, start, after
        at = after


def span(data: bytes, kind: int, at: int, end: int) -> tuple[int, int]:
    """Return the start and the end of a field's bytes (not of a VARINT), even if it ends too late.

    Raises:
        Damaged: the kind is unknown, or the message ends within the length.
    """
    if kind == LEN:
        length, start = varint(data, at, end)
        return start, start + length
    if kind not in (FIXED64, FIXED32):
        raise Damaged(at, f"unknown kind of field: {kind}")
    return at, at + (8 if kind == FIXED64 else 4)


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return a varint, below 2**64, and the offset of its end: seven bits a byte, the lowest first.

    Raises:
        Damaged: it does not end, or has more than `MAX_VARINT` bytes.
    """
    value = shift = 0
    start = at
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7
        if at - start == MAX_VARINT:
            raise Damaged(start, "the number is too long")
    raise Damaged(start, "the data ends within a number")
