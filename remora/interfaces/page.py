"""Page model of answers, independent of the output.

A page yields its parts. `draw.plain` renders it as lines for a pipe, `draw.paint` with tables and colour
for a terminal. Styles are names, not colours: id, good, warn, bad, dim, strong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from remora.interfaces.words import columns, field


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
    """A key with facts and a text: one line in a pipe, a block with a heading on a terminal."""

    key: str
    facts: tuple[Cell, ...]
    text: str
    tail: tuple[Cell, ...] = ()
    style: str = ""


class Fields(NamedTuple):
    """Names with their values, one per line; a value may have several lines."""

    rows: tuple[tuple[str, Cell], ...]
    indent: int = 0


class Table(NamedTuple):
    """Rows of cells.

    Attributes:
        wide: the index of the column that takes the remaining width.
        spare: indices of columns that a narrow terminal omits, in this order.
        whole: show the wide column in full; else only its beginning.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    wide: int = -1
    spare: tuple[int, ...] = ()
    whole: bool = False
    indent: int = 0


Part = Para | Item | Fields | Table
Page = Iterable[Part]


def fields(rows: Iterable[tuple[str, str | Cell]], indent: int = 0) -> Fields:
    """Return values under the translated names of their fields; empty values are left out."""
    cells = ((name, Cell(value) if isinstance(value, str) else value) for name, value in rows)
    return Fields(tuple((field(name), cell) for name, cell in cells if cell.text), indent)


def table(key: str, rows: Iterable[Sequence[str | Cell]], **how: Any) -> tuple[Table, ...]:
    """Return a table under the translated headings `columns.KEY`; nothing without rows."""
    made = tuple(tuple(Cell(one) if isinstance(one, str) else one for one in row) for row in rows)
    return (Table(columns(f"columns.{key}"), made, **how),) if made else ()
