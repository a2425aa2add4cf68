"""What an answer looks like before anybody knows whether a terminal or a pipe will show it.

A page is a row of parts. `draw.plain` writes it as lines for a pipe, `draw.paint` with tables and
colour for a terminal. Styles are names, not colours: id, good, warn, bad, dim, strong.
"""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """A piece of text with the name of its style."""

    text: str
    style: str = ""


class Para(NamedTuple):
    """One line or paragraph; `indent` in columns."""

    text: str
    style: str = ""
    indent: int = 0


class Item(NamedTuple):
    """Something with a key and a text: one line in a pipe, a headed block on a terminal."""

    key: str
    facts: tuple[Cell, ...]
    text: str
    tail: tuple[Cell, ...] = ()
    style: str = ""


class Fields(NamedTuple):
    """Names with their values, one a line; a value may have several lines."""

    rows: tuple[tuple[str, Cell], ...]
    indent: int = 0


class Table(NamedTuple):
    """Rows of cells.

    Attributes:
        wide: the column that takes the room the others leave.
        spare: columns that a narrow terminal does without, the first to go first.
        whole: show the wide column in full; otherwise its beginning is enough to know a row by.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    wide: int = -1
    spare: tuple[int, ...] = ()
    whole: bool = False
    indent: int = 0


Part = Para | Item | Fields | Table
Page = tuple[Part, ...]
