"""Read CrabTalk's files: memory files and dumped trees.

A path may be a memory file, a dumped tree, or a folder that contains them. The user chooses the name of a
memory file, so files are recognized by their first bytes.

A dumped tree has one file `<name>.md` per entry in `notes/`, `archives/`, `topics/` (and, for a while,
`prompts/`). A file begins with a block `<div id="meta">` with the creation time and the aliases of the entry;
the text follows. A file without the block, or with an unclosed one, is all text. SUMMARY.md and book.toml are
generated.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from remora.core.values import Entry
from remora.sources.instant import instant
from remora.sources.others import crabtalk_file
from remora.sources.others.files import File, files_of, head_of, read_text
from remora.sources.others.import_result import Found, Gatherer

SYSTEM = "crabtalk"
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
    if path.is_file():
        crabtalk_file.read_file(File(path, path.name), gather)
        return gather.found()
    for file in memory_files(path):
        crabtalk_file.read_file(file, gather)
    for root in trees(path):
        _read_tree(root, gather, "" if root == path else f"{root.name}/")
    return gather.found()


def memory_files(path: Path) -> Iterator[File]:
    """Yield the memory files below a folder, recognized by their first bytes."""
    for number, file in enumerate(files_of(path), 1):
        if number > LOOKED_AT:
            return
        if file.shown.count("/") < _DEPTH and head_of(file.path, 6) == crabtalk_file.MAGIC:
            yield file


def trees(path: Path) -> list[Path]:
    """Return the dumped trees: the folder itself, or those directly below it."""
    return [root for root in (path, *_folders(path)) if _is_tree(root)]


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(one for one in path.iterdir() if one.is_dir() and not one.is_symlink())
    except OSError:
        return []


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
