"""Write a page: as plain lines for a pipe, with tables and colour for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.text import collapse, shorten
from remora.interfaces.page import Cell, Fields, Item, Page, Para, Part, Table
from remora.interfaces.present import SHORT_ID, safe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from rich.console import Console, RenderableType
    from rich.text import Text

ITEM_CHARS = 600  # of a hit in a pipe: room for the whole of nearly every memory
WIDE_CHARS = 160  # of the widest column in a pipe: a list is for looking over
ITEM_LINES = 4  # of a hit on a terminal
STYLES = {"id": "cyan", "good": "green", "warn": "yellow", "bad": "bold red", "dim": "dim", "strong": "bold"}


def plain(page: Page) -> str:
    """Return a page as lines without colour, each with its line end; columns are two spaces apart."""
    return "".join(line.rstrip() + "\n" for part in page for line in _plain_lines(part))


def _plain_lines(part: Part) -> Iterator[str]:
    match part:
        case Para():
            yield from (" " * part.indent + line for line in safe(part.text).splitlines() or [""])
        case Item():
            text = shorten(safe(part.text), ITEM_CHARS)
            facts = [safe(f.text) for f in part.facts]
            tail = [f"[{safe(t.text)}]" for t in part.tail if t.text]
            yield "  ".join([safe(part.key).ljust(SHORT_ID), *facts, text, *tail])
        case Fields():
            for name, cell in part.rows:
                first, *rest = safe(cell.text).splitlines() or [""]
                yield f"{' ' * part.indent}{name}: {first}"
                yield from (" " * (part.indent + 2) + line for line in rest)
        case Table():
            yield from _plain_table(part)


def _plain_table(table: Table) -> Iterator[str]:
    wide = table.wide % len(table.head)
    rows = [[collapse(safe(cell.text)) for cell in row] for row in table.rows]
    sizes = [max((len(row[i]) for row in rows), default=0) for i in range(len(table.head))]
    for row in rows:
        cells = [
            shorten(cell, WIDE_CHARS) if i == wide else cell.ljust(size)
            for i, (cell, size) in enumerate(zip(row, sizes, strict=True))
            if size
        ]
        yield " " * table.indent + "  ".join(c for i, c in enumerate(cells) if c or i < len(cells) - 1)


def paint(page: Page, stream: TextIO, *, colour: bool, width: int | None = None) -> None:
    """Write a page to a terminal.

    Args:
        page: what to show.
        stream: where; a terminal, or anything else in a test.
        colour: False writes no escape sequence at all.
        width: columns; asked of the terminal when left out.
    """
    from rich.console import Console

    console = Console(
        file=stream,
        width=width,
        color_system="auto" if colour else None,
        force_terminal=colour or None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for number, part in enumerate(page):
        if number and isinstance(part, Item):
            console.print()
        for piece in _painted(part, console):
            console.print(piece)


def _painted(part: Part, console: Console) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    match part:
        case Para():
            yield Padding(_text(Cell(part.text, part.style)), (0, 0, 0, part.indent))
        case Item():
            facts = [Cell(part.key, "id"), *part.facts]
            yield _joined(facts)
            room = max(20, console.width - 2)
            yield Padding(Text(shorten(safe(part.text), ITEM_LINES * room)), (0, 0, 0, 2))
            if any(cell.text for cell in part.tail):
                yield Padding(_joined([c for c in part.tail if c.text]), (0, 0, 0, 2))
        case Fields():
            yield Padding(_grid(part), (0, 0, 0, part.indent))
        case Table():
            yield Padding(_table(part, console), (0, 0, 0, part.indent))


def _text(cell: Cell) -> Text:
    from rich.text import Text

    return Text(safe(cell.text), STYLES.get(cell.style, ""))


def _joined(cells: list[Cell]) -> Text:
    from rich.text import Text

    return Text(" · ", style="dim").join(_text(cell) for cell in cells)


def _grid(fields: Fields) -> RenderableType:
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, cell in fields.rows:
        grid.add_row(name, _text(cell))
    return grid


def _table(table: Table, console: Console) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Drawn

    wide = table.wide % len(table.head)
    drawn = Drawn(
        box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", show_header=any(table.head)
    )
    used = [any(row[i].text for row in table.rows) for i in range(len(table.head))]
    for i, name in enumerate(table.head):
        if used[i]:
            drawn.add_column(name, no_wrap=i != wide, overflow="fold" if i == wide else "ellipsis")
    for row in table.rows:
        cells = [
            cell._replace(text=shorten(cell.text, 2 * console.width)) if i == wide else cell
            for i, cell in enumerate(row)
            if used[i]
        ]
        drawn.add_row(*(_text(cell) for cell in cells))
    return drawn
