r"""Write and parse the entries of HISTORY.md and its monthly files, even after manual edits.

An entry is a line feed, `## <instant>`, a line feed, the text, a line feed. A line of the text that would
itself read as such a header is escaped with a leading backslash, which Markdown does not show and the reader
removes; so the text is read as it was written.

People edit these files. Text before the first header is an entry without a time. A header without an instant
is text. Byte order marks and Windows line ends are accepted. Bytes that are not UTF-8 are replaced and
reported with their line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from remora.core.clock import from_iso, to_iso
from remora.core.text import sound

HISTORY = "HISTORY.md"

_INSTANT = (
    r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)"  # a day will do
)
_HEADER = re.compile(rf"##[ \t]+{_INSTANT}[ \t]*\Z")
_ESCAPED = re.compile(rf"\\+##[ \t]+{_INSTANT}[ \t]*\Z")


class HistoryEntry(NamedTuple):
    """One entry: its time (ISO 8601 in UTC, None without a header), its text, and its lines.

    Lines count from 1; `start_line` is the header's, if there is one.
    """

    time: str | None
    text: str
    path: str
    start_line: int
    end_line: int


def month_file(instant: str) -> str:
    """Return the name of the monthly file of an ISO instant in UTC.

    >>> month_file("2026-02-27T14:30:00.000Z")
    'HISTORY-2026-02.md'
    """
    return f"HISTORY-{instant[:7]}.md"


def render(entry: str, instant: str) -> str:
    r"""Return the appended text of an entry.

    >>> render("Chose ES256.", "2026-02-27T14:30:00.000Z")
    '\n## 2026-02-27T14:30:00.000Z\nChose ES256.\n'
    """
    lines = sound(entry).replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")
    return f"\n## {instant}\n" + "\n".join(_escape(line) for line in lines) + "\n"


def _escape(line: str) -> str:
    return "\\" + line if _time_of(line) or _ESCAPED.match(line) else line


def _time_of(line: str) -> str | None:
    """Return the instant of a header line, None for any other line."""
    found = _HEADER.match(line)
    if found is None:
        return None
    try:
        return to_iso(from_iso(found[1].replace(",", ".")))
    except (ValueError, OverflowError):
        return None


def parse(
    lines: Iterable[bytes], path: str = HISTORY, problems: list[str] | None = None
) -> Iterator[HistoryEntry]:
    """Yield the entries of one file, in its order, holding one at a time.

    Args:
        lines: the file's lines, as bytes.
        path: the file's name, for the entries and the problems.
        problems: receives a sentence for every line with bytes that are not UTF-8.
    """
    time: str | None = None
    start, body = 1, list[str]()
    for number, raw in enumerate(lines, 1):
        line = _text(raw, f"{path}:{number}", problems)
        if number == 1:
            line = line.removeprefix("\ufeff")
        stamp = _time_of(line)
        if stamp is None:
            body.append(line[1:] if _ESCAPED.match(line) else line)
            continue
        yield from _entry(time, body, path, start)
        time, start, body = stamp, number, []
    yield from _entry(time, body, path, start)


def _text(raw: bytes, where: str, problems: list[str] | None) -> str:
    raw = raw.rstrip(b"\r\n")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        if problems is not None:
            problems.append(f"{where}: bytes that are not UTF-8 were replaced")
        return raw.decode("utf-8", "replace")


def _entry(time: str | None, body: list[str], path: str, start: int) -> Iterator[HistoryEntry]:
    """Yield the entry of a header line and the lines under it, unless it is empty."""
    text = "\n".join(body).strip()
    if not text:
        return
    first = start + 1 if time else start  # the line of body[0]
    filled = [first + at for at, line in enumerate(body) if line.strip()]
    yield HistoryEntry(time, text, path, start if time else filled[0], filled[-1])
