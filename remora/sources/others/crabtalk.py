"""Read CrabTalk's files: memory files and dumped trees.

A path may be a memory file, a dumped tree, or a folder that contains them. The user chooses the name of a
memory file, so files are recognized by their first bytes.

A memory file of version 1 is binary, with little-endian numbers:

    header, 16 bytes: "CRMEM" and NUL; version (4 bytes) 1; flags (2) 0; 4 unused bytes
    body: next id (8 bytes), number of entries (4), then each entry:
      id (8), created (8, seconds since 1970), kind (4: 0 note, 1 archive, 2 topic),
      name, content, number of aliases (4), each alias; a text is its length in bytes (4) and UTF-8

Bytes after the last entry are ignored. CrabTalk rejects a file with any damage. Here the entries before the
damage are imported.

A dumped tree has one file `<name>.md` per entry in `notes/`, `archives/`, `topics/`. A file begins with a
block `<div id="meta">` with the creation time and the aliases of the entry; the text follows. A file without
the block, or with an unclosed one, is all text. SUMMARY.md and book.toml are generated. Topics become notes.
"""

from __future__ import annotations

import html
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from remora.core.values import Entry
from remora.sources.instant import instant
from remora.sources.others.files import File, files_of, head_of, read_bytes, read_text
from remora.sources.others.import_result import Found, Gatherer, Unreadable

SYSTEM = "crabtalk"
MAGIC = b"CRMEM\0"
_KINDS = {0: "note", 1: "archive", 2: "note"}
_HEADER = MAGIC + struct.pack("<IH", 1, 0)
_BODY = struct.Struct("<QI")
_ENTRY = struct.Struct("<QQI")
_NUMBER = struct.Struct("<I")
LOOKED_AT = 2_000  # maximum of files whose beginning is read
_DEPTH = 3
_FOLDERS = {"notes": "note", "archives": "archive", "topics": "note"}
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
                gather.entry(_parse(file.path.stem, read_text(file, gather), kind), file.shown)


def _is_tree(root: Path) -> bool:
    """Return whether a folder is a dumped memory: one of its first entries has the block."""
    files = [file for folder in _FOLDERS for file in sorted((root / folder).glob("*.md"))[:50]]
    return any(_META.encode() in head_of(file, 64) for file in files)


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


def _read_file(file: File, gather: Gatherer) -> None:
    """Read the entries of a memory file."""
    with gather.reading(file.shown):
        raw = read_bytes(file.path)
        if not raw.startswith(_HEADER):
            raise Unreadable("not a memory file of version 1")
        at, number, count = len(_HEADER) + 4, 0, 0
        try:
            _, count = _BODY.unpack_from(raw, at)
            at += _BODY.size
            for number in range(1, count + 1):
                entry, at = _entry(raw, at)
                gather.saw("entries")
                gather.entry(entry, f"{file.shown}:{number}")
        except (struct.error, ValueError, KeyError):
            left = max(count - number + 1, 1)
            gather.pass_over("entries", f"{file.shown}:{number}", "damaged; the rest was not read", left)


def _entry(raw: bytes, at: int) -> tuple[Entry, int]:
    """Return the entry at an offset, and the offset after it."""
    number, created, code = _ENTRY.unpack_from(raw, at)
    name, at = _text(raw, at + _ENTRY.size)
    content, at = _text(raw, at)
    (more,) = _NUMBER.unpack_from(raw, at)
    at += _NUMBER.size
    aliases: list[str] = []
    for _ in range(more):
        alias, at = _text(raw, at)
        aliases.append(alias)
    time = instant(created) if created < 1e11 else None
    return Entry(number, name, content, _KINDS[code], tuple(aliases), time or ""), at


def _text(raw: bytes, at: int) -> tuple[str, int]:
    """Return the text at an offset, and the offset after it."""
    (size,) = _NUMBER.unpack_from(raw, at)
    start = at + _NUMBER.size
    if start + size > len(raw):
        raise ValueError("the file ends inside a text")
    return raw[start : start + size].decode(), start + size
