"""Helpers for several readers: JSON files, values by kind, edit blocks, keys for records without ids."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from remora.sources.transcripts.lines import Counts, opened_file
from remora.sources.transcripts.texts import joined

MAX_FILE = 500_000_000  # bytes
_START = re.compile(r"(?:<{3,}|-{3,}) SEARCH>?\s*$")
_MIDDLE = re.compile(r"={3,}\s*$")
_END = re.compile(r"(?:>{3,}|\+{3,}) REPLACE>?\s*$")
_PLACE = re.compile(r":(?:start|end)_line:\s*+\d*+\s*+$")  # Roo Code's line numbers, above dashes
_DASHES = re.compile(r"-{3,}\s*$")


def data_of(path: Path, limit: int = MAX_FILE, *, start: int = 0) -> bytes:
    """Return at most `limit` bytes of a file, from its beginning or from `start`.

    Raises:
        NotFound, SourceError: the file does not exist or cannot be read.
    """
    with opened_file(path) as file:
        file.seek(start)
        return file.read(limit)


def json_of(data: bytes | str) -> Any:
    """Return a JSON value; None if it is invalid. NaN and the infinities become None.

    >>> json_of(b'{"a": NaN}'), json_of("{")
    ({'a': None}, None)
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig", "replace")
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def json_file(path: Path, counts: Counts) -> Any:
    """Return the JSON value in a file; None if it is damaged, which is counted.

    Raises:
        NotFound, SourceError: the file does not exist or cannot be read.
    """
    value = json_of(data_of(path))
    if value is None:
        counts.refuse(path, 0, "not JSON")
    return value


def mapping(value: Any) -> dict[str, Any]:
    """Return a value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return a value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def apart(text: str, opening: str, closing: str) -> tuple[str, list[str]]:
    """Return a text without the parts between marks, and those parts.

    >>> apart("a<b>c</b>d<b>", "<b>", "</b>")
    ('ad<b>', ['c'])
    """
    kept: list[str] = []
    found: list[str] = []
    at = 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(text[at:start])
        found.append(text[start + len(opening) : end])
        at = end + len(closing)
    return "".join([*kept, text[at:]]), found


def said(blocks: Iterable[Mapping[str, Any]], kind: str) -> str:
    """Return the texts of the blocks of a kind; a block has its text under the name of its kind."""
    return "\n".join(joined(block.get(kind)) for block in blocks if block.get("type") == kind)


def exit_code(text: str, pattern: re.Pattern[str]) -> tuple[str, int | None]:
    """Return the output of a command without the host's note at its end, and the exit code in it, if any."""
    found = pattern.search(text)
    return (text[: found.start()], int(found[1])) if found else (text, None)


def blocks_in(text: str) -> list[tuple[tuple[int, int], tuple[str, str]]]:
    r"""Return the edit blocks in a reply: the text to search for, and its replacement.

    Several hosts use them, with slightly different markers. Each has its first line and the line after its
    last; an unclosed one is left out.

    >>> blocks_in("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE")
    [((0, 5), ('a\n', 'b\n'))]
    """
    found: list[tuple[tuple[int, int], tuple[str, str]]] = []
    start = middle = -1
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if _START.match(line):
            start, middle = number, -1
        elif start >= 0 and middle < 0 and _MIDDLE.match(line):
            middle = number
        elif middle >= 0 and _END.match(line):
            old = lines[start + 1 : middle]
            old = _without_place(old) if lines[start].startswith("<") else old
            found.append(((start, number + 1), ("".join(old), "".join(lines[middle + 1 : number]))))
            start = middle = -1
    return found


def _without_place(lines: list[str]) -> list[str]:
    places = 0
    while places < len(lines) and _PLACE.match(lines[places]):
        places += 1
    if places < len(lines) and _DASHES.match(lines[places]):
        places += 1
    return lines[places:]


class Keys:
    """Keys for records without ids: derived from their text and their position among equal texts.

    A key is the same at every reading unless an equal text is inserted before it.

    Attributes:
        session: the session of the keys; other sessions have other keys.
    """

    def __init__(self, session: str) -> None:
        self.session = session
        self._met: Counter[str] = Counter()

    def of(self, words: str) -> str:
        """Return the key of the next record with this text."""
        whole = f"{self.session}\n{words}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(whole).hexdigest()[:20]
        self._met[digest] += 1
        return digest if self._met[digest] == 1 else f"{digest}.{self._met[digest]}"
