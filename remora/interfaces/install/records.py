"""Records of installations, one per host and scope, so that they can be undone to the byte.

A record is in `<data folder>/installed`. It contains no text of the files, which may contain secrets: only
hashes, the spans of insertions, and the created folders.
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
    """The record of a file's change.

    Attributes:
        path: the path of the file.
        parts: the added parts: "hooks", "mcp", "rules".
        before: SHA-256 of its bytes before; empty if there was no file.
        after: SHA-256 of its bytes afterwards.
        inserted: inserted spans of its text, without the byte order mark.
        folders: folders created for it, the outermost first.
    """

    path: Path
    parts: tuple[str, ...]
    before: str
    after: str
    inserted: tuple[Span, ...] = ()
    folders: tuple[Path, ...] = ()

    def kept(self, part: str) -> Kept:
        """Return the file's state before the installation, for the piece of a part."""
        return Kept(part in self.parts, fresh=not self.before)

    def restored(self, data: bytes | None) -> tuple[bool, bytes | None]:
        """Return whether the original bytes could be restored, and the bytes; None for no file.

        They can be if the file is unchanged since the installation.
        """
        if data is None or digest(data) != self.after:
            return False, None
        if not self.before:
            return True, None
        text = Text.of(data, str(self.path))
        old = text._replace(text=without(text.text, list(self.inserted))).encoded()
        return digest(old) == self.before, old


class Record(NamedTuple):
    """The record of an installation for a host, in a project or for a user.

    Attributes:
        host: the host's name.
        scope: "project", "user" or "local".
        root: the root of the project; empty for scope "user".
        command: the command that runs Remora, as one line.
        files: the changes of the files.
    """

    host: str
    scope: str
    root: str
    command: str
    files: tuple[Past, ...] = ()

    def file(self, path: Path) -> Past | None:
        """Return the change of a file; None if it was not changed."""
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
    """Return a record; None if it is missing or unreadable. Entries are then recognised by their commands."""
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
        tuple(map(Path, found["folders"])),
    )


def every(data_folder: Path, host: str = "") -> Iterator[Record]:
    """Yield the records of a host, or of all hosts."""
    for path in sorted((data_folder / FOLDER).glob("*.json")):
        record = read(path)
        if record is not None and host in ("", record.host):
            yield record


def write(path: Path, record: Record) -> None:
    """Write a record durably."""
    files = [past._asdict() for past in record.files]
    document = {"version": VERSION, **record._asdict(), "files": files}
    write_atomic(path, json.dumps(document, indent=1, default=str) + "\n")  # paths as texts


def remove(path: Path) -> None:
    """Remove a record, and the folder of records if it is then empty."""
    path.unlink(missing_ok=True)
    with suppress(OSError):  # the folder has other records
        path.parent.rmdir()
