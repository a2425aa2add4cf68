"""Read the live files of a project, each only as far as necessary.

Two weeks of work leave hundreds of live files. Nearly all of them are imported: their injections are in the
database, their last line says so, and nothing else of them is read. The others are yielded newest first, so
that a caller that needs only the newest can stop.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from remora.disk.live import (
    LEARNT,
    MAX_BYTES,
    SUFFIX,
    Head,
    Line,
    endings,
    folder,
    head_in,
    last_line,
    moments_in,
)

SLACK = 600.0  # seconds that the clock of a file system may lag behind ours


class Waiting(NamedTuple):
    """A session with moments that are not imported yet.

    Attributes:
        head: the head of its live file.
        last: its last moment.
        data: the bytes of its live file.
        written: an upper bound of the file's write time, in seconds since the epoch: no moment in it is
            newer.
    """

    head: Head
    last: Line
    data: bytes
    written: float

    def lines(self) -> list[Line]:
        """Return the moments of the session, in order."""
        return moments_in(self.data)


def waiting(
    environ: Mapping[str, str], home: str, *, sessions: Collection[str] | None = None, since: float = 0.0
) -> Iterator[Waiting]:
    """Yield the sessions of a project that are not imported yet, the last written first.

    Args:
        environ: the process environment.
        home: the folder of the project's memory.
        sessions: only files named after one of these sessions, for any host; all by default.
        since: only sessions that may have moments after this time, in seconds since the epoch.
    """
    for written, path in sorted(_files(folder(environ), sessions), reverse=True):
        if written < since:
            return
        with suppress(OSError):
            last = last_line(path)
            if not last or last.get("k") == LEARNT:
                continue
            with open(path, "rb") as file:  # noqa: PTH123
                data = file.read(MAX_BYTES)
            # A session may continue in another folder: the last head counts, not the first.
            head = head_in(data)
            if head is not None and head.home == home:
                yield Waiting(head, last, data, written)


def _files(place: str, sessions: Collection[str] | None) -> Iterator[tuple[float, str]]:
    """Yield (upper bound of the write time, path) of each live file."""
    ends = SUFFIX if sessions is None else tuple(end for one in sessions for end in endings(one))
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.endswith(ends):
                with suppress(OSError):
                    yield entry.stat().st_mtime + SLACK, entry.path
