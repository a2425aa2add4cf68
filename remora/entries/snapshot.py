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
_CRABTALK = b"CRMEM\0"
_OLDEST, _LATEST = -30_610_224_000, 253_402_300_799  # Unix seconds of the years 1000 to 9999


class _Header(NamedTuple):
    version: int
    generation: int
    next_id: int
    entries: int
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
    start = HEADER + _PAGE.size * header.pages
    listed, end = data[HEADER:start], start + header.entry_bytes
    if crc32(listed) != header.list_checksum or len(data) < end:
        raise _damaged(path, "its list of pages or its entries are truncated or changed")
    records: dict[int, Record] = {}
    at, last, block = start, 0, -1
    for size, checksum, count in _PAGE.iter_unpack(listed):
        piece = data[at : at + size]
        if len(piece) != size or crc32(piece) != checksum:
            raise _damaged(path, f"{count} entries from byte {at} on are changed")
        try:
            found = _records(piece, count)
        except (ValueError, struct.error) as error:
            raise _damaged(path, f"the entries from byte {at} on are invalid ({error})") from error
        blocks = {record.id // PAGE for record in found}
        if len(blocks) > 1 or block in blocks or found[0].id <= last:
            raise _damaged(path, f"the entries from byte {at} on are out of order")
        records.update((record.id, record) for record in found)
        at, last, block = at + size, found[-1].id, blocks.pop()
    names = {record.name: record.id for record in records.values()}
    names.update((alias, record.id) for record in records.values() for alias in record.aliases)
    counts = (len(records), len(names), at)
    wanted = (header.entries, sum(1 + len(r.aliases) for r in records.values()), end)
    if counts != wanted or last >= header.next_id:
        raise _damaged(path, "its counts do not match its entries, or a name occurs twice")
    index, problem = _index(data[end:], header.index_bytes)
    return Table(
        records,
        names,
        next_id=header.next_id,
        generation=header.generation,
        index=index,
        problem=problem,
    )


def _header(data: bytes, path: Path) -> _Header:
    if data.startswith(_CRABTALK):
        raise StoreCorrupt(
            f"{path} is a memory file of CrabTalk, not one of Remora",
            hint="`remora move-in` reads such files without changing them.",
        )
    if not data.startswith(MAGIC):
        raise StoreCorrupt(
            f"{path} is empty" if not data else f"{path} is not a file of the entry store", hint=_MOVE_AWAY
        )
    if len(data) < HEADER or crc32(data[: _FIELDS.size]) != _CHECKSUM.unpack_from(data, _FIELDS.size)[0]:
        raise _damaged(path, "its header is truncated or changed")
    _, version, _, *rest = _FIELDS.unpack_from(data)
    if version > FORMAT:
        raise StoreTooNew(
            f"{path} was written by a newer version of Remora (format {version}, this one reads {FORMAT})",
            hint="Update Remora.",
        )
    return _Header(version, *rest)


_MOVE_AWAY = "Nothing was changed. Restore a copy of the file, or move it away to start with an empty store."


def _damaged(path: Path, what: str) -> StoreCorrupt:
    return StoreCorrupt(f"{path} is damaged: {what}", hint=_MOVE_AWAY)


def _records(data: bytes, count: int) -> list[Record]:
    """Return the entries of a page.

    Raises:
        ValueError, struct.error: its bytes are not the given number of entries, in the order of ids.
    """
    found: list[Record] = []
    at = 0
    for _ in range(count):
        id_, created, kind, _, aliases, name_size, size = HEAD.unpack_from(data, at)
        name_end = at + HEAD.size + name_size
        name = data[at + HEAD.size : name_end].decode()
        others, end = _aliases(data, name_end, aliases) if aliases else ((), name_end)
        end += size
        data[end - size : end].decode()  # content is decoded when it is asked for; it must be text
        known = kind < len(ENTRY_KINDS) and _OLDEST <= created <= _LATEST
        if not known or (found and id_ <= found[-1].id) or end > len(data):
            raise ValueError("an entry has an unknown kind, a wrong id, time or size")
        found.append(Record(id_, name, others, ENTRY_KINDS[kind], created, data[at:end]))
        at = end
    if at != len(data) or not found:
        raise ValueError("a page has no entries or too many bytes")
    return found


def _aliases(data: bytes, at: int, count: int) -> tuple[tuple[str, ...], int]:
    found: list[str] = []
    for _ in range(count):
        (size,) = ALIAS.unpack_from(data, at)
        found.append(data[at + ALIAS.size : at + ALIAS.size + size].decode())
        at += ALIAS.size + size
    return tuple(found), at


def _index(data: bytes, size: int) -> tuple[Index | None, str]:
    """Return the search index, or None and the reason for rebuilding it."""
    if len(data) != size:
        return None, "the search index is truncated, or data follows it"
    try:
        return Index.decode(data), ""
    except (ValueError, struct.error) as error:
        return None, str(error)
