"""Read JSON lines from a file that may be huge, broken or still growing, one line at a time.

A line is complete if a newline ends it, or if it is a whole JSON value: a program writes a line at once, but
a copy of a file may end without its newline. Only complete lines count.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from remora.core.budget import look
from remora.core.errors import NotFound, SourceError

MAX_LINE = 20_000_000  # bytes; tool output is cut by the hosts long before, so more is damage
MAX_DOCUMENT = 200_000_000  # bytes of a file that is one JSON value
MAX_BAD = 50  # places that are remembered; all are counted
_CHUNK = 1 << 20


class Unusable(ValueError):
    """A line is JSON but not a valid record; the text is the reason."""


class BadLine(NamedTuple):
    """A rejected line: its position and the reason."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class Counts:
    """The counts of a reading.

    Attributes:
        lines: complete lines, blank ones included.
        bad: number of rejected lines; `bad_lines` lists the first.
        repeated: events and lines that were already read, as copied by forks and resumes.
        skipped: lines and blocks left out on purpose, by type.
    """

    def __init__(self) -> None:
        self.lines = 0
        self.bad = 0
        self.bad_lines: list[BadLine] = []
        self.repeated = 0
        self.skipped: Counter[str] = Counter()

    def refuse(self, path: Path, line: int, reason: str) -> None:
        """Count a rejected line."""
        self.bad += 1
        if len(self.bad_lines) < MAX_BAD:
            self.bad_lines.append(BadLine(str(path), line, reason))

    def skip(self, what: str) -> None:
        """Count a skipped item; only the first few hundred names are counted separately."""
        name = what[:60] or "?"
        self.skipped[name if name in self.skipped or len(self.skipped) < 300 else "other types"] += 1


def lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield the numbers and the bytes of a file's complete lines; at most MAX_LINE bytes are held.

    The bytes are those without the newline; None for a line over the limit.

    Raises:
        NotFound: there is no such file.
        SourceError: the file cannot be read.
    """
    with opened_file(path) as file:
        number = 0
        while data := file.readline(MAX_LINE + 1):
            look()
            number += 1
            whole = data.endswith(b"\n")
            if not whole and len(data) > MAX_LINE:
                while not whole and (more := file.readline(_CHUNK)):
                    whole = more.endswith(b"\n")
                if whole:
                    yield number, None
            elif whole or _is_json(data):
                yield number, data.rstrip(b"\r\n")


@contextmanager
def opened_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading.

    Raises:
        NotFound, SourceError: the file does not exist or cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise NotFound(
            f"{path} does not exist", hint="Pass a transcript or a folder of transcripts."
        ) from None
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {error.strerror or error}", hint="Check the file's permissions."
        ) from None


def _is_json(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data.decode("utf-8", "replace")), dict)
    except (ValueError, RecursionError):
        return False


def parse(path: Path, number: int, data: bytes | None, counts: Counts) -> dict[str, Any] | None:
    """Return the JSON object of a line; None if it is blank, or rejected and counted."""
    if data is None:
        counts.refuse(path, number, f"longer than {MAX_LINE:,} bytes")
        return None
    text = (data.removeprefix(b"\xef\xbb\xbf") if number == 1 else data).decode("utf-8", "replace")
    if not text.strip():
        return None
    try:
        # NaN and the infinities are not valid JSON and could not be written later.
        value = json.loads(text, parse_constant=lambda _: None)
    except RecursionError:
        counts.refuse(path, number, "nested too deeply")
        return None
    except ValueError as error:
        counts.refuse(path, number, f"not JSON: {error}"[:120])
        return None
    if not isinstance(value, dict):
        counts.refuse(path, number, "not a JSON object")
        return None
    return value


def objects(path: Path, counts: Counts) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the numbers and the content of a file's valid lines; the others are counted."""
    for number, data in lines(path):
        counts.lines += 1
        value = parse(path, number, data, counts)
        if value is not None:
            yield number, value


def first_object(path: Path) -> dict[str, Any]:
    """Return the content of the first valid line of a file, an empty object if there is none."""
    return next((value for _, value in objects(path, Counts())), {})


def document(path: Path) -> dict[str, Any]:
    """Return the content of a file that is one JSON object.

    Raises:
        NotFound: there is no such file.
        SourceError: the file cannot be read, or holds no JSON object or one over MAX_DOCUMENT.
    """
    with opened_file(path) as file:
        data = file.read(MAX_DOCUMENT + 1)
    counts = Counts()
    value = parse(path, 1, data if len(data) <= MAX_DOCUMENT else None, counts)
    if value is None:
        why = counts.bad_lines[0].reason if counts.bad_lines else "empty"
        raise SourceError(f"{path} cannot be read: {why}")
    return value
