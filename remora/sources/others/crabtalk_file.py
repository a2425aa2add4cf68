"""Read CrabTalk's memory file, version 1, byte by byte.

    header, 16 bytes: "CRMEM" and NUL; version (4 bytes) 1; flags (2) 0; 4 unused bytes
    body: next id (8 bytes), number of entries (4), then each entry:
      id (8), created (8, seconds since 1970), kind (4: 0 note, 1 archive, 2 topic),
      name, content, number of aliases (4), each alias; a text is its length in bytes (4) and UTF-8

Numbers are little-endian. Bytes after the last entry are ignored. CrabTalk rejects a file with any damage.
Here the entries before the damage are imported. An entry with an unknown kind or with text that is not UTF-8
is skipped alone, because its length is still known.
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

from remora.core.values import Entry
from remora.sources.instant import instant
from remora.sources.others.files import File, open_regular
from remora.sources.others.import_result import Gatherer, Unreadable

MAGIC = b"CRMEM\0"
KINDS = {0: "note", 1: "archive", 2: "topic"}
_HEADER = struct.Struct("<6sIH4x")
_BODY = struct.Struct("<QI")
_ENTRY = struct.Struct("<QQI")
_NUMBER = struct.Struct("<I")


def read_file(file: File, gather: Gatherer) -> None:
    """Read the entries of a memory file."""
    try:
        with os.fdopen(open_regular(file.path), "rb") as stream:
            _Reader(stream, file.shown, gather).read()
    except Unreadable as error:
        gather.pass_over("files", file.shown, str(error))
    except OSError as error:
        gather.pass_over("files", file.shown, f"cannot be read: {error.strerror}")


class _Cut(Exception):
    """The file ends inside an entry."""


class _Reader:
    def __init__(self, stream: BinaryIO, shown: str, gather: Gatherer) -> None:
        self._stream = stream
        self._left = os.fstat(stream.fileno()).st_size
        self._shown = shown
        self._gather = gather

    def read(self) -> None:
        """Read the entries; the header and the numbers must be valid.

        Raises:
            Unreadable: it is no memory file of this version.
        """
        count = self._start()
        self._gather.saw("entries", count)
        for number in range(1, count + 1):
            place = f"{self._shown}:{number}"
            try:
                entry, why = self._entry(place)
            except _Cut:
                why = f"the file ends inside entry {number:,} of {count:,}"
                self._gather.skip("entries", place, why, count - number + 1)
                return
            if entry is None:
                self._gather.skip("entries", place, why)
                continue
            self._gather.entry(entry, place)

    def _start(self) -> int:
        """Check the header and return the announced number of entries."""
        if self._left < _HEADER.size:
            raise Unreadable("shorter than the header of a memory file")
        magic, version, flags = _HEADER.unpack(self._take(_HEADER.size))
        if magic != MAGIC:
            raise Unreadable("not a memory file: wrong header")
        if version != 1:
            raise Unreadable(f"a memory file of version {version}; only version 1 is known")
        if flags:
            raise Unreadable(f"a memory file with unknown flags ({flags:#06x})")
        try:
            _, count = _BODY.unpack(self._take(_BODY.size))
        except _Cut:
            raise Unreadable("the file ends before its first entry") from None
        return int(count)

    def _entry(self, place: str) -> tuple[Entry | None, str]:
        """Return the next entry, or None and the reason for skipping it."""
        number, created, kind = _ENTRY.unpack(self._take(_ENTRY.size))
        texts = [self._text(), self._text()]
        (aliases,) = _NUMBER.unpack(self._take(_NUMBER.size))
        if aliases > self._left // _NUMBER.size:
            raise _Cut
        texts += [self._text() for _ in range(aliases)]
        if kind not in KINDS:
            return None, f"an entry of unknown kind {kind}"
        try:
            name, content, *others = (raw.decode() for raw in texts)
        except UnicodeDecodeError:
            return None, "text that is not UTF-8"
        time = instant(created) if created < 1e11 else None
        if time is None:
            self._gather.remark("creation time unknown", place)
        if KINDS[kind] == "topic":
            self._gather.remark("topics were imported as notes", place)
        ours = "archive" if KINDS[kind] == "archive" else "note"
        return Entry(number, name, content, ours, tuple(others), time or ""), ""

    def _text(self) -> bytes:
        return self._take(_NUMBER.unpack(self._take(_NUMBER.size))[0])

    def _take(self, size: int) -> bytes:
        """Return the next bytes; a length beyond the end allocates no memory."""
        if size > self._left:
            raise _Cut
        raw = self._stream.read(size)
        if len(raw) < size:
            raise _Cut
        self._left -= size
        return raw
