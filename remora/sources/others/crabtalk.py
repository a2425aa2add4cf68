"""Read CrabTalk's files: memory files and dumped trees.

A path may be a memory file, a dumped tree, or a folder that contains them. The user chooses the name of a
memory file, so files are recognized by their first bytes.

A memory file of version 1 is binary, with little-endian numbers:

    header, 16 bytes: "CRMEM" and NUL; version (4 bytes) 1; flags (2) 0; 4 unused bytes
    body: next id (8 bytes), number of entries (4), then each entry:
      id (8), created (8, seconds since 1970), kind (4: 0 note, 1 archive, 2 topic),
      name, content, number of aliases (4), each alias; a text is its length in bytes (4) and UTF-8

Bytes after the last entry are ignored. CrabTalk rejects a file with any damage. Here the entries before the
damage are imported. An entry with an unknown kind or with text that is not UTF-8 is skipped alone, because
its length is still known.

A dumped tree has one file `<name>.md` per entry in `notes/`, `archives/`, `topics/` (and, for a while,
`prompts/`). A file begins with a block `<div id="meta">` with the creation time and the aliases of the entry;
the text follows. A file without the block, or with an unclosed one, is all text. SUMMARY.md and book.toml are
generated.
"""

from __future__ import annotations

import html
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from remora.core.values import Entry
from remora.sources.instant import instant
from remora.sources.others.files import File, files_of, head_of, opened, read_text
from remora.sources.others.import_result import Found, Gatherer, Unreadable

SYSTEM = "crabtalk"
MAGIC = b"CRMEM\0"
_KINDS = {0: "note", 1: "archive", 2: "topic"}
_HEADER = struct.Struct("<6sIH4x")
_BODY = struct.Struct("<QI")
_ENTRY = struct.Struct("<QQI")
_NUMBER = struct.Struct("<I")
LOOKED_AT = 2_000  # maximum of files whose beginning is read
_DEPTH = 3
_FOLDERS = {"notes": "note", "archives": "archive", "topics": "note", "prompts": "note"}
_META = '<div id="meta">'
_END = "</div>"
_TIME = re.compile(r'datetime="([^"]*)"')
_ALIASES = re.compile(r"<dt>Aliases</dt>(.*?)(?=<dt>|\Z)", re.DOTALL)
_ITEM = re.compile(r"<li>((?>(?:(?!</?li>).)*))</li>", re.DOTALL)


def read(path: Path) -> Found:
    """Return the contents of a memory file or a folder.

    Args:
        path: see the module.
    """
    gather = Gatherer(SYSTEM)
    for file in [File(path, path.name)] if path.is_file() else memory_files(path):
        _read_file(file, gather)
    for root in trees(path):
        _read_tree(root, gather, "" if root == path else f"{root.name}/")
    return gather.found()


def memory_files(path: Path) -> Iterator[File]:
    """Yield the memory files below a folder, recognized by their first bytes."""
    for number, file in enumerate(files_of(path), 1):
        if number > LOOKED_AT:
            return
        if file.shown.count("/") < _DEPTH and head_of(file.path, 6) == MAGIC:
            yield file


def trees(path: Path) -> list[Path]:
    """Return the dumped trees: the folder itself, or those directly below it."""
    below = sorted(one for one in path.glob("*") if one.is_dir() and not one.is_symlink())
    return [root for root in (path, *below) if _is_tree(root)]


def _read_tree(root: Path, gather: Gatherer, prefix: str) -> None:
    """Read the entries of a dumped tree."""
    for folder, kind in _FOLDERS.items():
        if not (root / folder).is_dir():
            continue
        for file in files_of(root / folder, gather, prefix=f"{prefix}{folder}/"):
            if file.path.suffix != ".md" or file.path.parent != root / folder:
                gather.pass_over("files", file.shown, "not an entry of a dumped memory")
                continue
            with gather.taking("entries", file.shown):
                entry = _parse(file.path.stem, read_text(file, gather), kind)
                if folder in ("topics", "prompts"):
                    gather.remark(f"{folder} were imported as notes", file.shown)
                gather.entry(entry, file.shown)


def _is_tree(root: Path) -> bool:
    """Return whether a folder is a dumped memory: an entry with its block, or its summary's headings."""
    if not any((root / folder).is_dir() for folder in _FOLDERS):
        return False
    for folder in _FOLDERS:
        for file in sorted((root / folder).glob("*.md"))[:50]:
            if head_of(file, 64).removeprefix(b"\xef\xbb\xbf").startswith(_META.encode()):
                return True
    said = head_of(root / "SUMMARY.md", 4096)
    return said.startswith(b"# Summary") and bool(
        re.search(rb"^# (?:Notes|Archives|Topics)\s*$", said, re.MULTILINE)
    )


def _parse(name: str, said: str, kind: str) -> Entry:
    """Return the entry of a file's text."""
    meta, end, body = said.removeprefix(_META).partition(_END)
    if not said.startswith(_META) or not end:
        return Entry(0, name, said.rstrip(), kind)
    time = _TIME.search(meta)
    created = instant(time[1]) if time else None
    row = _ALIASES.search(meta)
    aliases = tuple(html.unescape(one.strip()) for one in _ITEM.findall(row[1])) if row else ()
    before_1970 = created is not None and created < "1970"
    return Entry(0, name, body.strip(), kind, aliases, "" if before_1970 or not created else created)


class _Cut(Exception):
    """The file ends inside an entry."""


def _read_file(file: File, gather: Gatherer) -> None:
    """Read the entries of a memory file."""
    with gather.reading(file.shown), opened(file.path) as stream:
        count = _count(stream)
        gather.saw("entries", count)
        for number in range(1, count + 1):
            place = f"{file.shown}:{number}"
            try:
                _take_entry(stream, place, gather)
            except _Cut:
                why = f"the file ends inside entry {number:,} of {count:,}"
                gather.skip("entries", place, why, count - number + 1)
                return


def _count(stream: BinaryIO) -> int:
    """Check the header and return the announced number of entries.

    Raises:
        Unreadable: it is no memory file of this version.
    """
    try:
        magic, version, flags = _HEADER.unpack(_next(stream, _HEADER.size))
    except _Cut:
        raise Unreadable("shorter than the header of a memory file") from None
    if magic != MAGIC:
        raise Unreadable("not a memory file: wrong header")
    if version != 1:
        raise Unreadable(f"a memory file of version {version}; only version 1 is known")
    if flags:
        raise Unreadable(f"a memory file with unknown flags ({flags:#06x})")
    try:
        _, count = _BODY.unpack(_next(stream, _BODY.size))
    except _Cut:
        raise Unreadable("the file ends before its first entry") from None
    return int(count)


def _take_entry(stream: BinaryIO, place: str, gather: Gatherer) -> None:
    """Take the next entry, or skip it alone."""
    number, created, code = _ENTRY.unpack(_next(stream, _ENTRY.size))
    raw = [_text(stream), _text(stream)]
    raw += [_text(stream) for _ in range(_number(stream))]
    if code not in _KINDS:
        gather.skip("entries", place, f"an entry of unknown kind {code}")
        return
    try:
        name, content, *aliases = (one.decode() for one in raw)
    except UnicodeDecodeError:
        gather.skip("entries", place, "text that is not UTF-8")
        return
    time = instant(created) if created < 1e11 else None
    if time is None:
        gather.remark("creation time unknown", place)
    if _KINDS[code] == "topic":
        gather.remark("topics were imported as notes", place)
    kind = "archive" if _KINDS[code] == "archive" else "note"
    gather.entry(Entry(number, name, content, kind, tuple(aliases), time or ""), place)


def _text(stream: BinaryIO) -> bytes:
    return _next(stream, _number(stream))


def _number(stream: BinaryIO) -> int:
    return int(_NUMBER.unpack(_next(stream, _NUMBER.size))[0])


def _next(stream: BinaryIO, size: int) -> bytes:
    """Return the next bytes; a length beyond the end allocates no memory."""
    left = os.fstat(stream.fileno()).st_size - stream.tell()
    raw = stream.read(size) if size <= left else b""
    if len(raw) < size:
        raise _Cut
    return raw
