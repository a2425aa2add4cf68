"""Temporary files: their names, and the removal of those of killed processes.

A name contains the process that made it. A file is left over if it is older than any write takes and its
process is gone; the next writer into the folder removes it. A laptop may sleep in the middle of a write, so
age alone is not enough. A folder is scanned once an hour at most.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

TEMP_PREFIX = ".remora-"
STALE_SECONDS = 3_600.0

_NAME = re.compile(re.escape(TEMP_PREFIX) + r"(\d{1,10})-[0-9a-f]{12}")
_STARTED = time.time()
_looked: dict[str, float] = {}  # when this process looked through a folder


def temporary_in(folder: Path) -> Path:
    """Return a path for a temporary file or folder, and remove leftovers."""
    remove_leftovers(folder)
    return folder / f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"


def remove_leftovers(folder: Path) -> None:
    """Remove the leftovers of killed processes in a folder; those that cannot be removed stay."""
    now = time.monotonic()
    if now - _looked.get(str(folder), -STALE_SECONDS) < STALE_SECONDS:
        return
    _looked[str(folder)] = now
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if (name := _NAME.fullmatch(entry.name)) and _left(entry, int(name[1])):
                _remove(entry)


def _left(entry: os.DirEntry[str], process: int) -> bool:
    try:
        written = entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return False
    if time.time() - written <= STALE_SECONDS:
        return False
    # In a container every process may have the number of the one before it.
    return written < _STARTED if process == os.getpid() else not _lives(process)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        with suppress(OSError):
            Path(entry.path).unlink()


def _lives(process: int) -> bool:
    """Return whether a process with this number runs. Windows itself protects open files from removal."""
    if sys.platform == "win32":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
