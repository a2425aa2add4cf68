"""Read a tree of Markdown files dumped from CrabTalk's memory.

`notes/`, `archives/`, `topics/` (and, for a while, `prompts/`) hold one file `<name>.md` per entry. A file
begins with a block `<div id="meta">` with the creation time and the aliases of the entry; the text follows. A
file without the block, or with an unclosed one, is all text. SUMMARY.md and book.toml are generated.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from remora.core.values import Entry
from remora.sources.others.files import Unreadable, files_of, instant, read_text
from remora.sources.others.import_result import Gatherer

FOLDERS = {"notes": "note", "archives": "archive", "topics": "note", "prompts": "note"}
META = '<div id="meta">'
_END = "</div>"
_TIME = re.compile(r'datetime="([^"]*)"')
_ALIASES = re.compile(r"<dt>Aliases</dt>(.*?)(?=<dt>|\Z)", re.DOTALL)
_ITEM = re.compile(r"<li>((?>(?:(?!</?li>).)*))</li>", re.DOTALL)


def read_tree(root: Path, gather: Gatherer, prefix: str = "") -> None:
    """Read the entries of a dumped tree."""
    for folder, kind in FOLDERS.items():
        if not (root / folder).is_dir():
            continue
        for file in files_of(root / folder, gather, prefix=f"{prefix}{folder}/"):
            if file.path.suffix != ".md" or file.path.parent != root / folder:
                gather.pass_over("files", file.shown, "not an entry of a dumped memory")
                continue
            gather.saw("entries")
            try:
                entry = parse(file.path.stem, read_text(file, gather), kind)
            except Unreadable as error:
                gather.skip("entries", file.shown, str(error))
                continue
            if folder in ("topics", "prompts"):
                gather.remark(f"{folder} were imported as notes", file.shown)
            gather.entry(entry, file.shown)


def is_tree(root: Path) -> bool:
    """Return whether a folder is a dumped memory: an entry with its block, or its summary's headings."""
    if not any((root / folder).is_dir() for folder in FOLDERS):
        return False
    for folder in FOLDERS:
        for file in sorted((root / folder).glob("*.md"))[:50]:
            try:
                with file.open("rb") as stream:
                    if stream.read(64).removeprefix(b"\xef\xbb\xbf").startswith(META.encode()):
                        return True
            except OSError:
                continue
    try:
        with (root / "SUMMARY.md").open("rb") as stream:
            said = stream.read(4096)
    except OSError:
        return False
    return said.startswith(b"# Summary") and bool(
        re.search(rb"^# (?:Notes|Archives|Topics)\s*$", said, re.MULTILINE)
    )


def parse(name: str, said: str, kind: str) -> Entry:
    """Return the entry of a file's text."""
    meta, end, body = said.removeprefix(META).partition(_END)
    if not said.startswith(META) or not end:
        return Entry(0, name, said.rstrip(), kind)
    time = _TIME.search(meta)
    created = instant(time[1]) if time else None
    row = _ALIASES.search(meta)
    aliases = tuple(html.unescape(one.strip()) for one in _ITEM.findall(row[1])) if row else ()
    before_1970 = created is not None and created < "1970"
    return Entry(0, name, body.strip(), kind, aliases, "" if before_1970 or not created else created)
