"""Temporary files: their names, and the removal of those of killed processes.

A file is left over if it is a day old; the next writer into the folder removes it. A writer that slept that
long finds its file gone, and its caller gets an error; the file that it would have replaced is untouched. A
folder is scanned once an hour at most.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path

TEMP_PREFIX = ".remora-"
STALE_SECONDS = 86_400.0
_SCAN_SECONDS = 3_600.0

_NAME = re.compile(re.escape(TEMP_PREFIX) + r"\d{1,10}-[0-9a-f]{12}")
_looked: dict[str, float] = {}  # when this process looked through a folder


def temporary_in(folder: Path) -> Path:
    """Return a path for a temporary file or folder, and remove leftovers."""
    remove_leftovers(folder)
    return folder / f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"


def remove_leftovers(folder: Path) -> None:
    """Remove the leftovers of killed processes in a folder; those that cannot be removed stay."""
    now = time.monotonic()
    if now - _looked.get(str(folder), -_SCAN_SECONDS) < _SCAN_SECONDS:
        return
    _looked[str(folder)] = now
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    _remove(entry)


def _remove(entry: os.DirEntry[str]) -> None:
    if time.time() - entry.stat(follow_symlinks=False).st_mtime <= STALE_SECONDS:
        return
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        Path(entry.path).unlink()
