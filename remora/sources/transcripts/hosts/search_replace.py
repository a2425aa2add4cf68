"""Parse edit blocks in a model's reply: the text to search for, and its replacement.

Several hosts use them, with slightly different markers.
"""

from __future__ import annotations

import re

_START = re.compile(r"(?:<{3,}|-{3,}) SEARCH>?\s*$")
_MIDDLE = re.compile(r"={3,}\s*$")
_END = re.compile(r"(?:>{3,}|\+{3,}) REPLACE>?\s*$")
_PLACE = re.compile(r":(?:start|end)_line:\s*+\d*+\s*+$")  # Roo Code's line numbers, above dashes
_DASHES = re.compile(r"-{3,}\s*$")


def blocks_in(text: str) -> list[tuple[tuple[int, int], tuple[str, str]]]:
    r"""Return the edits in a text with their first line and the line after the last; no unclosed one.

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
