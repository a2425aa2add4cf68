"""Read the live files of the sessions of a project that are not imported yet.

Two weeks of work leave hundreds of live files. Nearly all of them are imported: their injections are in the
database, their last line says so, and nothing else of them is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from remora.disk.live import LEARNT, Head, Line, files_in, folder, last_line, read


class Waiting(NamedTuple):
    """A session with moments that are not imported yet.

    Attributes:
        head: the head of its live file; a session may continue in another folder, and the last head counts.
        lines: its moments, in order; at least one.
    """

    head: Head
    lines: list[Line]

    @property
    def last(self) -> Line:
        """Its last moment."""
        return self.lines[-1]


def waiting(environ: Mapping[str, str], home: str) -> Iterator[Waiting]:
    """Yield the sessions of a project that are not imported yet, the last written first."""
    for _, path in sorted(files_in(folder(environ)), reverse=True):
        with suppress(OSError):
            if last_line(path).get("k") == LEARNT:
                continue
            head, lines = read(path)
            if lines and head is not None and head.home == home:
                yield Waiting(head, lines)
