"""The live files of a project, each read only as far as a question needs.

Two weeks of work leave hundreds of these files, and nearly all of them were taken in: what was said in those
stands in the database. Their last line says so, and nothing else of them is read. Of the others the one
written last comes first, so that whoever asks for the newest can stop.
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
    """A session of which something was not taken in yet.

    Attributes:
        head: whose it is.
        last: its last moment.
        data: the bytes of its live file.
        written: when they were, at the latest, in seconds since the epoch: no moment in it is newer.
    """

    head: Head
    last: Line
    data: bytes
    written: float

    def lines(self) -> list[Line]:
        """Return its moments, in order."""
        return moments_in(self.data)


def waiting(
    environ: Mapping[str, str], home: str, *, sessions: Collection[str] | None = None, since: float = 0.0
) -> Iterator[Waiting]:
    """Yield the sessions of a project that were not taken in, the one written to last first.

    Args:
        environ: the process environment.
        home: where the project's memory lies.
        sessions: only files that are named for one of these, whatever its host; all by default.
        since: only those in which something may have happened since then, in seconds since the epoch.
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
            # A session may go on in another folder: the head at the beginning is not the one that counts.
            head = head_in(data)
            if head is not None and head.home == home:
                yield Waiting(head, last, data, written)


def _files(place: str, sessions: Collection[str] | None) -> Iterator[tuple[float, str]]:
    """Yield live files with the time before which all of each was written."""
    ends = SUFFIX if sessions is None else tuple(end for one in sessions for end in endings(one))
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.endswith(ends):
                with suppress(OSError):
                    yield entry.stat().st_mtime + SLACK, entry.path
