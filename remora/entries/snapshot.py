"""The file of the entry store: a table to bytes and back.

`docs/entry-store.md` describes the format for other implementations. In short: a header of 64 bytes with its
own checksum, a list of pages with theirs, the entries, the search index. The index can be rebuilt from the
entries, so a damaged index only costs time; a file with damage before the index is rejected.
"""

from __future__ import annotations

import struct
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from remora.core.errors import StoreCorrupt, StoreTooNew
from remora.core.values import ENTRY_KINDS
from remora.entries.bm25 import Index
from remora.entries.table import ALIAS, HEAD, Record, Table

MAGIC = b"REMENTRY"
FORMAT = 1
HEADER = 64  # bytes; their layout stays over all versions, so that an old reader can tell damage from age

# magic, version, nothing, generation, next id, entries, pages, bytes of entries, bytes of the index,
# checksum of the pages' list
_FIELDS = struct.Struct("<8sIIQQIIQQI")
_CHECKSUM = struct.Struct("<I")
_PAGE = struct.Struct("<QII")
PAGE = 64  # ids whose entries share a page


class _Header(NamedTuple):
    generation: int
    next_id: int
    pages: int
    entry_bytes: int
    index_bytes: int
    list_checksum: int


def encode(table: Table) -> bytes:
    """Return a table as the bytes of its file."""
    pages: list[bytes] = []
    listed = b""
    for _, records in groupby(table.records.values(), lambda record: record.id // PAGE):
        raws = [record.raw for record in records]
        pages.append(b"".join(raws))
        listed += _PAGE.pack(len(pages[-1]), crc32(pages[-1]), len(raws))
    index = table.index.encode()
    fields = _FIELDS.pack(
        MAGIC,
        FORMAT,
        0,
        table.generation,
        table.next_id,
        len(table.records),
        len(pages),
        sum(map(len, pages)),
        len(index),
        crc32(listed),
    )
    return b"".join((fields, _CHECKSUM.pack(crc32(fields)), listed, *pages, index))


def decode(data: bytes, path: Path) -> Table:
    """Return the table of a file's bytes.

    Args:
        data: the whole file.
        path: of the file, for messages.

    Raises:
        StoreCorrupt: the entries cannot be read completely, or the file is not Remora's.
        StoreTooNew: a later version wrote the file.
    """
    header = _header(data, path)
    at = HEADER + _PAGE.size * header.pages
    listed, end = data[HEADER:at], at + header.entry_bytes
    if crc32(listed) != header.list_checksum or len(data) < end:
        raise _damaged(path, "its list of pages or its entries are truncated or changed")
    records: dict[int, Record] = {}
    for size, checksum, count in _PAGE.iter_unpack(listed):
        page = data[at : at + size]
        if crc32(page) != checksum:
            raise _damaged(path, f"{count} entries from byte {at} on are changed")
        try:
            records.update((record.id, record) for record in _records(page))
        except (ValueError, IndexError, struct.error) as error:
            raise _damaged(path, f"the entries from byte {at} on are invalid ({error})") from error
        at += size
    names = {name: record.id for record in records.values() for name in (record.name, *record.aliases)}
    try:
        index = Index.decode(data[end : end + header.index_bytes])
    except (ValueError, struct.error):
        index = None
    return Table(records, names, next_id=header.next_id, generation=header.generation, index=index)


def _header(data: bytes, path: Path) -> _Header:
    if not data.startswith(MAGIC):
        raise StoreCorrupt(
            f"{path} is empty" if not data else f"{path} is not a file of the entry store", hint=_MOVE_AWAY
        )
    if len(data) < HEADER or crc32(data[: _FIELDS.size]) != _CHECKSUM.unpack_from(data, _FIELDS.size)[0]:
        raise _damaged(path, "its header is truncated or changed")
    _, version, _, generation, next_id, _, *rest = _FIELDS.unpack_from(data)
    if version > FORMAT:
        raise StoreTooNew(
            f"{path} was written by a newer version of Remora (format {version}, this one reads {FORMAT})",
            hint="Update Remora.",
        )
    return _Header(generation, next_id, *rest)


_MOVE_AWAY = "Nothing was changed. Restore a copy of the file, or move it away to start with an empty store."


def _damaged(path: Path, what: str) -> StoreCorrupt:
    return StoreCorrupt(f"{path} is damaged: {what}", hint=_MOVE_AWAY)


def _records(data: bytes) -> list[Record]:
    """Return the entries of a page.

    Raises:
        ValueError, IndexError, struct.error: its bytes are no entries.
    """
    found: list[Record] = []
    at = 0
    while at < len(data):
        id_, created, kind, _, aliases, name_size, size = HEAD.unpack_from(data, at)
        name_end = at + HEAD.size + name_size
        name = data[at + HEAD.size : name_end].decode()
        others, end = _aliases(data, name_end, aliases)
        end += size
        data[end - size : end].decode()  # content is decoded when it is asked for; it must be text
        found.append(Record(id_, name, others, ENTRY_KINDS[kind], created, data[at:end]))
        at = end
    if at != len(data):
        raise ValueError("the last entry is truncated")
    return found


def _aliases(data: bytes, at: int, count: int) -> tuple[tuple[str, ...], int]:
    found: list[str] = []
    for _ in range(count):
        (size,) = ALIAS.unpack_from(data, at)
        found.append(data[at + ALIAS.size : at + ALIAS.size + size].decode())
        at += ALIAS.size + size
    return tuple(found), at
