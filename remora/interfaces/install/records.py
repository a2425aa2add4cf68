"""What was installed: a small record for each host and project, so that it can be undone to the byte.

It lies in `<data folder>/installed` and holds no text of the files, which may have secrets in them: only
hashes, the places of what was inserted, and the folders that were made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from remora.disk.files import write_atomic
from remora.interfaces.install.components import Kept
from remora.interfaces.install.insertions import Span, Text, without

FOLDER = "installed"
VERSION = 1


class Past(NamedTuple):
    """What an install did to a file.

    Attributes:
        path: of the file.
        parts: what was put into it: "hooks", "mcp", "rules".
        before: SHA-256 of its bytes before; empty where there was no file.
        after: SHA-256 of its bytes afterwards.
        inserted: spans of its text that were inserted, without the byte order mark.
        empty: paths of what was there with nothing in it.
        top: keys that were added beside our entries.
        folders: that were made for it, the outermost first.
    """

    path: Path
    parts: tuple[str, ...]
    before: str
    after: str
    inserted: tuple[Span, ...] = ()
    empty: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()

    def kept(self, part: str) -> Kept:
        """Return what it says of the file as it was, to a piece of ours."""
        return Kept(part in self.parts, self.empty, self.top, fresh=not self.before)

    def untouched(self, data: bytes | None) -> bool:
        """Return whether nobody has changed the file since."""
        return data is not None and digest(data) == self.after

    def restored(self, data: bytes) -> tuple[bool, bytes | None]:
        """Return whether the bytes from before could be made of these, and those bytes, None for no file."""
        if not self.before:
            return True, None
        text = Text.of(data, str(self.path))
        old = text._replace(text=without(text.text, list(self.inserted))).encoded()
        return digest(old) == self.before, old


class Record(NamedTuple):
    """What was installed for a host, in a project or for a user.

    Attributes:
        host: its name.
        scope: "project", "user" or "local".
        root: of the project; empty for a user.
        command: how Remora is called, as one line.
        files: what was done to each.
    """

    host: str
    scope: str
    root: str
    command: str
    files: tuple[Past, ...] = ()

    def file(self, path: Path) -> Past | None:
        """Return what was done to a file, None when nothing was."""
        return next((past for past in self.files if past.path == path), None)


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes in hex."""
    return hashlib.sha256(data).hexdigest()


def place_of(data_folder: Path, host: str, scope: str, root: Path) -> Path:
    """Return the path of a record."""
    of = "user" if scope == "user" else digest(str(root).encode("utf-8", "surrogateescape"))[:16]
    of += "-local" if scope == "local" else ""
    return data_folder / FOLDER / f"{host}-{of}.json"


def read(path: Path) -> Record | None:
    """Return a record, None when there is none that can be read: then entries are known by their looks."""
    try:
        found = json.loads(path.read_text("utf-8"))
        if found["version"] != VERSION:
            return None
        files = tuple(_past(one) for one in found["files"])
        host, scope, root, command = (str(found[name]) for name in ("host", "scope", "root", "command"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Record(host, scope, root, command, files)


def _past(found: dict[str, Any]) -> Past:
    return Past(
        Path(found["path"]),
        tuple(map(str, found["parts"])),
        str(found["before"]),
        str(found["after"]),
        tuple((int(start), int(end)) for start, end in found["inserted"]),
        tuple(map(str, found["empty"])),
        tuple(map(str, found["top"])),
        tuple(map(Path, found["folders"])),
    )


def every(data_folder: Path, host: str = "") -> Iterator[Record]:
    """Return all records of a host, or of all hosts."""
    for path in sorted((data_folder / FOLDER).glob("*.json")):
        record = read(path)
        if record is not None and host in ("", record.host):
            yield record


def write(path: Path, record: Record) -> None:
    """Write a record durably."""
    files = [
        {
            **past._asdict(),
            "path": str(past.path),
            "folders": [str(folder) for folder in past.folders],
        }
        for past in record.files
    ]
    document = {"version": VERSION, **record._asdict(), "files": files}
    write_atomic(path, json.dumps(document, indent=1) + "\n")


def remove(path: Path) -> None:
    """Remove a record, and the folder of records with the last of them."""
    path.unlink(missing_ok=True)
    with suppress(OSError):  # there are others in it
        path.parent.rmdir()
