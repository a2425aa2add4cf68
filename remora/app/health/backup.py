"""A copy of a project's home in one file, and what can be saved of a database that is damaged."""

from __future__ import annotations

import os
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.app.project.open_project import DATABASE
from remora.core.errors import Conflict, NotFound
from remora.disk.files import os_errors, sync_folder
from remora.store import recovery
from remora.store.connection import Connection

if TYPE_CHECKING:
    from remora.app.project.locate import Location

_BESIDE = ("-wal", "-shm", "-journal")
_DATABASES = (DATABASE, "items.db")
_PASSED_OVER = (".lock", ".tmp", ".part")


class Backup(NamedTuple):
    """What was copied: the file, how many files are in it and how large it is."""

    path: str
    files: int
    bytes: int


class Recovery(NamedTuple):
    """What was saved of a database, table by table, and where the damaged file lies now."""

    tables: tuple[recovery.Recovered, ...]
    damaged: str


def backup(home: Path, target: Path) -> Backup:
    """Copy a home into one tar file: databases by SQLite's online backup, all else as it is.

    Other processes may read and write meanwhile. To restore it, unpack the file into an empty home
    (`remora doctor` names the home).

    Raises:
        Conflict: there is such a file already, or by the time the copy is whole.
        StoreError: something cannot be read or written; no file is left.
    """
    with os_errors(target, "write"):
        there = target.exists()
    if there:
        raise _there(target)
    count = 0
    with tempfile.TemporaryDirectory(prefix="remora-backup-") as folder, os_errors(target, "write"):
        temporary = target.with_name(f".{target.name}.part")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
                for path in sorted(home.rglob("*")):
                    if not path.is_file() or path.is_symlink() or path.name.endswith(_PASSED_OVER):
                        continue
                    if path.parent == home and path.name.startswith(_DATABASES):
                        if path.name not in _DATABASES:
                            continue
                        copy = Path(folder) / path.name
                        Connection.copy(path, copy)
                        tar.add(copy, path.name)
                    else:
                        tar.add(path, str(path.relative_to(home)))
                    count += 1
                file.flush()
                os.fsync(file.fileno())
            try:  # the name is taken first: a file that appeared meanwhile is somebody else's
                os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                raise _there(target) from None
            temporary.replace(target)
            sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)
    return Backup(str(target), count, target.stat().st_size)


def _there(target: Path) -> Conflict:
    return Conflict(f"{target} is there already", hint="Name a file that does not exist yet.")


def recover(project: Location) -> Recovery:
    """Put a fresh database in the place of a damaged one, with the rows that could be read.

    The damaged file is kept beside it. Nothing may use the memory meanwhile.

    Raises:
        NotFound: there is no database.
        StoreError: the fresh one cannot be written; the damaged one is where it was.
    """
    path = project.home / DATABASE
    if not path.exists():
        raise NotFound(f"{path} does not exist", hint="`remora init` makes one.")
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    fresh = project.home / f"{DATABASE}.recovered-{stamp}"
    tables = recovery.recover(path, fresh)
    aside = project.home / f"{DATABASE}.damaged-{stamp}"
    with os_errors(path, "move"):
        path.replace(aside)
        for suffix in _BESIDE:
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                beside.replace(aside.with_name(aside.name + suffix))
        fresh.replace(path)
    return Recovery(tuple(tables), str(aside))
