"""The entries as a folder of Markdown files for people and mdBook, and back.

```text
SUMMARY.md            the list of all entries, in mdBook's form
book.toml             mdBook's settings; written once, then left unchanged
notes/<name>.md       a note: a block with its date and aliases, then its content
archives/<name>.md    the same for an archive
```

A dump is a copy, the store remains the source: an interrupted dump is made again. It removes the files of an
earlier dump, so it only goes into folders that hold no other `notes` and `archives`. Loading replaces
everything in the store, in one step, and only if every file can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote

from remora.core.clock import from_iso, to_iso
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.core.values import Entry
from remora.disk.files import make_folder, os_errors
from remora.entries.store import EntryStore
from remora.entries.table import Add, Change

FOLDERS = {"note": "notes", "archive": "archives"}

_SUMMARY = "# Summary\n"
_BOOK = '[book]\ntitle = "Memory"\nsrc = "."\n'
_SUFFIX = ".md"

_META = re.compile(r'\s*<div id="meta">(.*?)</div>', re.DOTALL)
_TIME = re.compile(r'<time datetime="([^"]*)">')
_ITEM = re.compile(r"<li>((?>(?:(?!</?li>).)*))</li>", re.DOTALL)
_MAX_FILE_NAME = 255  # bytes, on the common file systems


def dump(store: EntryStore, folder: Path) -> int:
    """Write every entry as a file below a folder; return how many.

    Leading line ends of a content are dropped, and a missing final line end is added; ids are not kept.

    Raises:
        InvalidInput: an entry's name cannot be a file name; nothing was written.
        Conflict: `notes`, `archives` or `SUMMARY.md` exists and no dump made it; nothing was changed.
        StoreError: a file cannot be written, or the file system treats two names as one.
    """
    entries = store.entries()
    for entry in entries:
        _check_file_name(entry.name)
    with os_errors(folder, "write to"):
        _check_ours(folder)
        make_folder(folder)
        (folder / "SUMMARY.md").write_bytes(_summary(entries).encode())  # first: it marks the folder as ours
        for kind, name in FOLDERS.items():
            make_folder(folder / name)
            for path in _files(folder / name):
                path.unlink()
            for entry in entries:
                if entry.kind == kind:
                    path = folder / name / (entry.name + _SUFFIX)
                    path.touch(mode=0o600, exist_ok=False)
                    path.write_bytes(_page(entry).encode())
        with suppress(FileExistsError), (folder / "book.toml").open("x", encoding="utf-8") as book:
            book.write(_BOOK)
    return len(entries)


def load(store: EntryStore, folder: Path, clean: Callable[[str], str] = str) -> int:
    """Replace everything in a store by the entries of a dumped folder; return how many.

    Only `notes/*.md` and `archives/*.md` are read. A file without a valid block at its top is content as a
    whole; without a date, or with one before 1970, its entry gets the current time. White space around a
    content is dropped. Ids continue from the store's last one, in the order of dates.

    If an error is raised, the store is unchanged.

    Args:
        store: that is filled.
        folder: that a dump wrote.
        clean: what a content passes through before it is stored.

    Raises:
        NotFound: the folder has neither `notes` nor `archives`.
        InvalidInput: a file is not text, or its name is not a valid name.
        Conflict: two entries have the same name or alias.
        StoreError: a file cannot be read, or the store cannot be written.
    """
    with os_errors(folder, "read"):
        if not any((folder / name).is_dir() for name in FOLDERS.values()):
            raise NotFound(f"{folder} holds neither notes/ nor archives/", hint="Use the folder of a dump.")
        found = [_read(path, kind) for kind in FOLDERS for path in _files(folder / FOLDERS[kind])]
    # An entry without a date comes last: it is new now.
    found.sort(key=lambda new: (new.created_at or "~", new.kind, new.name))

    def replace(change: Change) -> None:
        change.clear()
        for new in found:
            change.add(new._replace(content=clean(new.content)))

    store.apply(replace)
    return len(found)


def _check_file_name(name: str) -> None:
    wrong = (
        name.startswith(".")
        or name.endswith((".", " "))
        or ".." in name
        or any(sign in "/\\" or ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in name)
        or len((name + _SUFFIX).encode()) > _MAX_FILE_NAME
    )
    if wrong:
        raise InvalidInput(
            f"the entry {name!r} cannot be dumped: its name is not a valid file name",
            hint="Rename it: no / or \\, no dots at its ends or in a row, not too long.",
        )


def _check_ours(folder: Path) -> None:
    """Refuse to delete files in folders that no dump made."""
    summary = folder / "SUMMARY.md"
    if summary.is_file() and summary.read_bytes().startswith(_SUMMARY.encode()):
        return
    if summary.exists() or any(any(_files(folder / name)) for name in FOLDERS.values()):
        raise Conflict(
            f"{folder} holds files that are not from a dump",
            hint="Choose another folder: a dump removes unknown files from its folders.",
        )


def _summary(entries: list[Entry]) -> str:
    parts = [_SUMMARY]
    for kind, folder in FOLDERS.items():
        names = sorted(entry.name for entry in entries if entry.kind == kind)
        if names:
            links = [f"- [{_bracketed(name)}]({folder}/{quote(name + _SUFFIX)})\n" for name in names]
            parts.append(f"# {folder.capitalize()}\n\n{''.join(links)}")
    return "\n".join(parts)


def _bracketed(name: str) -> str:
    return re.sub(r"([\[\]*_`<>])", r"\\\1", name)


def _page(entry: Entry) -> str:
    lines = [
        '<div id="meta">',
        "<dl>",
        "  <dt>Created</dt>",
        f'  <dd><time datetime="{entry.created_at}">{entry.created_at}</time></dd>',
    ]
    if entry.aliases:
        items = [f"      <li>{escape(alias, quote=False)}</li>" for alias in entry.aliases]
        lines += ["  <dt>Aliases</dt>", "  <dd>", "    <ul>", *items, "    </ul>", "  </dd>"]
    lines += ["</dl>", "</div>"]
    content = entry.content.lstrip("\n")
    return "\n".join([*lines, "", content]) + ("" if content.endswith("\n") else "\n")


def _files(folder: Path) -> Iterator[Path]:
    """Return the pages of a folder in the order of their names."""
    found = (path for path in folder.glob(f"*{_SUFFIX}") if path.is_file() and path.name != _SUFFIX)
    return iter(sorted(found, key=lambda path: path.name))


def _read(path: Path, kind: str) -> Add:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text", hint="Repair or remove it.") from error
    meta = _META.match(text)
    if meta is None:
        return Add(path.name.removesuffix(_SUFFIX), text.rstrip(), kind)
    aliases = tuple(unescape(item).strip() for item in _ITEM.findall(meta[1]))
    time = _TIME.search(meta[1])
    created = _date(time[1]) if time else ""
    return Add(path.name.removesuffix(_SUFFIX), text[meta.end() :].strip(), kind, aliases, created)


def _date(text: str) -> str:
    """Return a date in the store's form; empty if it is invalid or before 1970."""
    try:
        seconds = from_iso(text)
        return to_iso(seconds) if seconds >= 0 else ""
    except (ValueError, OverflowError):
        return ""
