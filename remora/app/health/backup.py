"""Back up a project's home to one tar file, and recover the readable rows of a damaged database."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.app.project.locate import DATABASE
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
    """The result of a backup: path of the tar file, number of files in it, size in bytes."""

    path: str
    files: int
    bytes: int


class Recovery(NamedTuple):
    """The result of a recovery: the recovered rows by table, and the new path of the damaged file."""

    tables: tuple[recovery.Recovered, ...]
    damaged: str


def backup(home: Path, target: Path, first: tuple[str, bytes] | None = None) -> Backup:
    """Copy a home into one tar file: databases by SQLite's online backup, other files unchanged.

    `first` is the name and the content of a further file, at the beginning of the tar file.
    Other processes may read and write meanwhile. To restore it, unpack the file into an empty home
    (`remora doctor` names the home).

    Raises:
        Conflict: the target exists, or appears before the copy is complete.
        StoreError: a file cannot be read or written; no partial copy is left.
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
                if first is not None:
                    info = tarfile.TarInfo(first[0])
                    info.size = len(first[1])
                    tar.addfile(info, io.BytesIO(first[1]))
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
            try:  # reserves the name: another process may have created the file meanwhile
                os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                raise _there(target) from None
            temporary.replace(target)
            sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)
    return Backup(str(target), count, target.stat().st_size)


def _there(target: Path) -> Conflict:
    return Conflict(f"{target} already exists", hint="Name a file that does not exist yet.")


def recover(project: Location) -> Recovery:
    """Replace a damaged database by a new one that holds the readable rows.

    The damaged file is kept beside it. No process may use the memory meanwhile.

    Raises:
        NotFound: there is no database.
        StoreError: the new database cannot be written; the damaged one stays in its place.
    """
    path = project.home / DATABASE
    if not path.exists():
        raise NotFound(f"{path} does not exist", hint="`remora init` creates one.")
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
