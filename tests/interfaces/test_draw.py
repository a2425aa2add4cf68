"""Pages as plain lines and on a terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest

from remora.interfaces import draw
from remora.interfaces.page import Cell, Fields, Item, Page, Para, Table

HITS: Page = (
    Item("1a2b3c4d", (Cell("#1"), Cell("0.90", "good")), "Tokens\nexpire", (Cell("a.py", "dim"), Cell(""))),
    Item("5e6f7a8b", (Cell("#2"),), "Caches " * 200),
)
ROWS: Page = (
    Table(
        ("id", "files", "memory", "marks"),
        (
            (Cell("1a2b3c4d", "id"), Cell("a.py, b.py"), Cell("word " * 60), Cell("yours")),
            (Cell("5e6f7a8b", "id"), Cell(""), Cell("short"), Cell("")),
        ),
        wide=2,
        spare=(1,),
    ),
)


def painted(page: Page, width: int, *, colour: bool = False) -> str:
    """Return what a terminal of so many columns would get."""
    stream = io.StringIO()
    draw.paint(page, stream, colour=colour, width=width)
    return stream.getvalue()


def test_items_and_rows_are_one_line_each() -> None:
    """In a pipe no tabs, no head, no empty tail: columns before the widest are aligned, it is shortened."""
    first, second = draw.plain(HITS).splitlines()
    assert first == "1a2b3c4d  #1  0.90  Tokens expire  [a.py]"
    assert second.startswith("5e6f7a8b  #2  Caches Caches")
    assert second.endswith("…")
    assert len(second) < draw.ITEM_CHARS + 20
    first, second = draw.plain(ROWS).splitlines()
    assert first.startswith("1a2b3c4d  a.py, b.py  word word")
    assert first.endswith("word…  [yours]")
    assert second == "5e6f7a8b              short"


LONG = ("word " * 100).strip()


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (Table(("a", "b"), ((Cell("x"), Cell(LONG)),), whole=True), f"x  {LONG}\n"),
        (Table(("id", "tags", "text"), ((Cell("1"), Cell(""), Cell("t")),)), "1  t\n"),
        (Fields((("files", Cell("a\nb")), ("tags", Cell("c")))), "files: a\n  b\ntags: c\n"),
        (Fields((("a\x1b[31m\u202eb", Cell("c\rd")),)), "ab: c\n  d\n"),
        (Para("a\n  b", indent=2), "  a\n    b\n"),
        (Para(""), "\n"),
    ],
)
def test_blocks_keep_what_matters(block: Any, lines: str) -> None:
    """Lines of values and paragraphs, and a text that matters, are whole; an empty column is left out."""
    assert draw.plain((block,)) == lines


def test_nothing_a_terminal_would_obey() -> None:
    """Control characters and markup in a memory are text; escape sequences come only with colour."""
    page: Page = (Item("id", (), "\x1b]0;title\x07 [red]x[/red] :smile:"),)
    assert "\x1b" not in draw.plain(page)
    assert "[red]x[/red] :smile:" in painted(page, 80)
    assert "\x1b" not in painted((*page, *HITS, *ROWS, Fields((("a", Cell("b", "bad")),))), 80)
    assert "\x1b[36m" in painted(HITS, 80, colour=True)


def test_pages_adapt_to_the_terminal() -> None:
    """No line is wider; a spare column goes before the text is a thin strip; blocks are lines apart."""
    page: Page = (*HITS, *ROWS, Fields((("a name", Cell("value " * 50)),)), Para("text " * 50))
    for width in (30, 60, 100, 200):
        assert max(map(len, painted(page, width).splitlines())) <= width
    assert "a.py, b.py" in painted(ROWS, 120)
    assert "a.py, b.py" not in painted(ROWS, 40)
    assert "marks" in painted(ROWS, 40)
    lines = [line.rstrip() for line in painted(HITS, 40).splitlines()]
    assert lines[:4] == ["1a2b3c4d · #1 · 0.90", "  Tokens expire", "  a.py", ""]
