"""Split the journal's files into searchable pieces, each with its lines.

MEMORY.md is split at its headings, a history entry and an exchange in a daily note are one piece each. A
longer text is split at the blank line after `TARGET` characters, or before a line that would exceed `MOST`; a
longer line at its spaces. Pieces do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, tzinfo
from typing import NamedTuple

from remora.core.clock import to_iso
from remora.core.fences import fence_after
from remora.core.history_entries import HistoryEntry
from remora.journal.files import MEMORY

TARGET, MOST = 800, 1200  # characters of a piece

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)\Z")
_STAMP = re.compile(r"\[([01]\d|2[0-3]):([0-5]\d)\]")


class Piece(NamedTuple):
    """A part of one file: `kind` is "longterm", "history" or "daily"; lines count from 1.

    `time` is ISO 8601 in UTC if the text has one. `heading` lists the sections of MEMORY.md around the piece,
    outermost first.
    """

    kind: str
    path: str
    start_line: int
    end_line: int
    text: str
    time: str | None = None
    heading: str = ""


class _Line(NamedTuple):
    number: int
    text: str


_Group = list[_Line]


def memory_pieces(text: str, path: str = MEMORY) -> list[Piece]:
    """Return the pieces of a long-term memory. A heading is in the first piece of its section."""
    pieces: list[Piece] = []
    for heading, section in _sections(_lines(text)):
        if any(line.text.strip() and not _HEADING.match(line.text) for line in section):
            pieces += [
                Piece("longterm", path, group[0].number, group[-1].number, _joined(group), None, heading)
                for group in _groups(section)
            ]
    return pieces


def history_pieces(entry: HistoryEntry) -> list[Piece]:
    """Return an entry as one piece, or as several if it is long; the header is in the first."""
    lines = entry.text.split("\n")
    first = entry.end_line - len(lines) + 1
    groups = _groups([_Line(first + at, line) for at, line in enumerate(lines)])
    starts = [entry.start_line, *(group[0].number for group in groups[1:])]
    return [
        Piece("history", entry.path, start, group[-1].number, _joined(group), entry.time)
        for start, group in zip(starts, groups, strict=False)
    ]


def daily_pieces(text: str, day: date, zone: tzinfo | None, path: str) -> list[Piece]:
    """Return the pieces of a daily note: one for each exchange, with the lines that follow it.

    An exchange has the time of its stamp on that day; other text has the time of the day's beginning.

    Args:
        text: the note.
        day: its date, in the journal's zone.
        zone: that zone; None for the machine's own.
        path: the file's name.
    """
    pieces: list[Piece] = []
    blocks: list[_Group] = [[]]
    for line in _lines(text):
        if _STAMP.match(line.text) or not line.text.strip():
            blocks.append([])
        blocks[-1].append(line)
    for block in filter(None, blocks):
        stamp = _STAMP.match(block[0].text)
        moment = datetime.combine(day, time(int(stamp[1]), int(stamp[2])) if stamp else time(), zone)
        instant = to_iso(moment.timestamp())
        pieces += [
            Piece("daily", path, group[0].number, group[-1].number, _joined(group), instant)
            for group in _groups(block)
        ]
    return pieces


def _lines(text: str) -> list[_Line]:
    return [_Line(at, line.rstrip("\r")) for at, line in enumerate(text.split("\n"), 1)]


def _joined(group: _Group) -> str:
    return "\n".join(line.text for line in group)


def _sections(lines: Sequence[_Line]) -> Iterator[tuple[str, _Group]]:
    """Yield each heading's path with the lines from it to the next heading."""
    above: list[tuple[int, str]] = []
    section: _Group = []
    fence = ""
    for line in lines:
        heading = None if fence else _HEADING.match(line.text)
        if heading is not None:
            yield " > ".join(title for _, title in above), section
            level = len(heading[1])
            above = [(depth, title) for depth, title in above if depth < level] + [
                (level, heading[2].rstrip(" \t#"))
            ]
            section = []
        fence = fence_after(line.text, fence)
        section.append(line)
    yield " > ".join(title for _, title in above), section


def _groups(lines: Iterable[_Line]) -> list[_Group]:
    """Return lines in groups of about `TARGET` characters, without blank lines at their ends."""
    groups: list[_Group] = [[]]
    size = 0
    for line in lines:
        blank = not line.text.strip()
        for text in _slices(line.text):
            if size + len(text) > MOST or (blank and size >= TARGET):
                groups.append([])
                size = 0
            if groups[-1] or not blank:
                groups[-1].append(_Line(line.number, text))
                size += len(text) + 1
    for group in groups:
        while group and not group[-1].text.strip():
            group.pop()
    return [group for group in groups if group]


def _slices(line: str) -> Iterator[str]:
    while len(line) > MOST:
        space = line.rfind(" ", TARGET // 2, MOST)
        end = space if space > 0 else MOST
        yield line[:end]
        line = line[end:].lstrip()
    yield line
