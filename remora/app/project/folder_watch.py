"""Find the changed files of a folder that the search index follows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

MOST_BELOW = 5_000  # files of a subfolder, in the order of their names

Looks = dict[str, tuple[int, int]]


class Followed:
    """The state of a folder as this process knows it, so that a search reads only changed files.

    Attributes:
        seen: file name to (size, modification time in ns) when its rows were last made; None before the
            first scan.
    """

    def __init__(self) -> None:
        self.seen: Looks | None = None

    def look(self, folder: Path, wanted: Callable[[str], bool], below: str = "") -> Looks | None:
        """Return the present state of the files; None if nothing changed.

        Args:
            folder: the folder of the files.
            wanted: whether a file name is to be followed.
            below: a subfolder whose files are all followed, at any depth, except hidden ones.
        """
        there = _files(folder, wanted)
        if below and there is not None:
            there |= dict(islice(_walk(folder / below, f"{below}/"), MOST_BELOW))
        return None if there == self.seen else there


def _files(folder: Path, wanted: Callable[[str], bool]) -> Looks | None:
    """Return the wanted files of a folder; {} if the folder does not exist, None if it cannot be read."""
    found: Looks = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if wanted(entry.name) and entry.is_file():
                    status = entry.stat()
                    found[entry.name] = (status.st_size, status.st_mtime_ns)
    except FileNotFoundError:
        return {}
    except OSError:
        return None
    return found


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the files below a folder with their paths after the prefix, without links and hidden files."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        path = prefix + entry.name
        if entry.name.startswith(".") or not path.isprintable():
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name, f"{path}/")
        elif entry.is_file(follow_symlinks=False):
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                yield path, (status.st_size, status.st_mtime_ns)
