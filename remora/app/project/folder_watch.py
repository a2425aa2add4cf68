"""A folder of files that the search index follows: what changed since the last look, and when to look."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

SLOW_LOOK, LOOK_SHARE = 0.005, 20  # a look that takes longer is made a twentieth of the time
MOST_BELOW = 5_000  # files of a subfolder, by name; nobody keeps more notes than that

Looks = dict[str, tuple[int, int]]


class Followed:
    """What this process knows of a folder, so that a search only looks at what changed.

    Attributes:
        seen: file name to (size, modification time in ns) when its rows were last made; None before the
            first look.
        next_look: when to look again, on the monotonic clock; later where looking takes long.
    """

    def __init__(self) -> None:
        self.seen: Looks | None = None
        self.next_look = 0.0

    def look(self, folder: Path, wanted: Callable[[str], bool], below: str = "") -> Looks | None:
        """Return how the files look now; None where nothing changed, or it is not time to look.

        Only the processor's time counts as slow: a busy machine must not hide what was just written.

        Args:
            folder: where they are.
            wanted: whether a file of a name is one of them.
            below: a subfolder in which all files are, at any depth, but those that are hidden.
        """
        started = time.monotonic()
        if started < self.next_look:
            return None
        worked = time.thread_time()
        there = _files(folder, wanted)
        if below and there is not None:
            there |= _files_below(folder, below)
        took = time.thread_time() - worked
        self.next_look = started + LOOK_SHARE * took if took > SLOW_LOOK else 0.0
        return None if there == self.seen else there


def _files(folder: Path, wanted: Callable[[str], bool]) -> Looks | None:
    """Return the wanted files of a folder; none where there is no folder, None where it cannot be read."""
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


def _files_below(folder: Path, name: str) -> Looks:
    """Return the files of a subfolder by their paths; links and hidden files are left out."""
    return dict(islice(_walk(folder / name, f"{name}/"), MOST_BELOW))


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, tuple[int, int]]]:
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
