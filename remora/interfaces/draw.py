"""Renderer of pages: plain lines for a pipe, tables and colour for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.text import collapse, safe, shorten
from remora.interfaces.page import Cell, Fields, Item, Page, Para, Part, Table
from remora.interfaces.present import SHORT_ID
from remora.interfaces.words import say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from rich.console import Console, RenderableType
    from rich.text import Text

ITEM_CHARS = 600  # maximum of a hit in a pipe; nearly every memory is shorter
WIDE_CHARS = 160  # maximum of the widest column in a pipe
ITEM_LINES = 4  # maximum of a hit on a terminal
WIDE_LINES = 3  # maximum of a row in a table
MIN_WIDE = 20  # columns for the widest column, however narrow the terminal
STYLES = {"id": "cyan", "good": "green", "warn": "yellow", "bad": "bold red", "dim": "dim", "strong": "bold"}


def plain(page: Page) -> str:
    """Return a page as plain lines, each with its line end; columns are two spaces apart."""
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
                yield " " * part.indent + say("named", name=safe(name), text=first)
                yield from (" " * (part.indent + 2) + line for line in rest)
        case Table():
            yield from _plain_table(part)


def _plain_table(table: Table) -> Iterator[str]:
    wide = table.wide % len(table.head)
    rows = [[collapse(safe(cell.text)) for cell in row] for row in table.rows]
    sizes = [max((len(row[i]) for row in rows), default=0) for i in range(len(table.head))]
    for row in rows:
        cells = [cell.ljust(size) for cell, size in zip(row[:wide], sizes, strict=False) if size]
        extra = [f"[{cell}]" for cell in row[wide + 1 :] if cell]
        text = row[wide] if table.whole else shorten(row[wide], WIDE_CHARS)
        yield " " * table.indent + "  ".join([*cells, text, *extra])


def paint(page: Page, stream: TextIO, *, colour: bool, width: int | None = None) -> None:
    """Write a page to a terminal.

    Args:
        page: the page.
        stream: a terminal, or any text stream in a test.
        colour: False writes no escape sequences.
        width: columns; the terminal's width if None.
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

    def indented(what: RenderableType, columns: int) -> RenderableType:
        return Padding(what, (0, 0, 0, columns), expand=False) if columns else what

    match part:
        case Para():
            yield indented(_text(Cell(part.text, part.style)), part.indent)
        case Item():
            yield _joined([Cell(part.key, "id"), *part.facts])
            room = ITEM_LINES * max(MIN_WIDE, console.width - 2)
            yield indented(_text(Cell(shorten(safe(part.text), room), part.style)), 2)
            if tail := [cell for cell in part.tail if cell.text]:
                yield indented(_joined(tail), 2)
        case Fields():
            yield indented(_grid(part), part.indent)
        case Table():
            yield indented(_table(part, console.width - part.indent), part.indent)


def _text(cell: Cell) -> Text:
    from rich.text import Text

    return Text(safe(cell.text), STYLES.get(cell.style, ""))


def _joined(cells: list[Cell]) -> Text:
    from rich.text import Text

    line = Text()
    for number, cell in enumerate(cells):
        line.append(" · " if number else "", STYLES["dim"])
        line.append_text(_text(cell._replace(text=cell.text.rstrip())))
    return line


def _grid(fields: Fields) -> RenderableType:
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style=STYLES["dim"], no_wrap=True)
    grid.add_column(overflow="fold")
    for name, cell in fields.rows:
        grid.add_row(safe(name), _text(cell))
    return grid


def _table(table: Table, width: int) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Drawn

    drawn = Drawn(
        box=SIMPLE_HEAD if any(table.head) else None,
        pad_edge=False,
        show_edge=False,
        show_header=any(table.head),
        header_style=STYLES["strong"],
        padding=(0, 2, 0, 0),
    )
    wide = table.wide % len(table.head)
    sizes = _sizes(table, width)
    room = max(MIN_WIDE, width - sum(size + 2 for i, size in sizes.items() if i != wide))
    for i, size in sizes.items():
        if i == wide:
            drawn.add_column(table.head[i], overflow="fold", max_width=room)
        else:
            drawn.add_column(table.head[i], no_wrap=True, overflow="ellipsis", width=size)
    for row in table.rows:
        cells = list(row)
        if not table.whole:
            cells[wide] = row[wide]._replace(text=shorten(row[wide].text, WIDE_LINES * room))
        drawn.add_row(*(_text(cells[i]) for i in sizes))
    return drawn


def _sizes(table: Table, width: int) -> dict[int, int]:
    """Return the widths of the columns to draw, by index: no empty columns, spare ones only if they fit."""
    wide = table.wide % len(table.head)
    sizes = {}
    for i, name in enumerate(table.head):
        longest = max((len(row[i].text) for row in table.rows), default=0)
        if longest:
            sizes[i] = longest if i == wide else min(max(longest, len(name)), max(MIN_WIDE, width // 3))
    for i in table.spare:
        if sum(size + 2 for j, size in sizes.items() if j != wide) > width // 2:
            sizes.pop(i, None)
    return sizes
