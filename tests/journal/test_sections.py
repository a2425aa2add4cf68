"""Pieces of the journal's files: their texts are the files' lines, and their sizes are bounded."""

from __future__ import annotations

from datetime import date, timedelta, timezone
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from remora.core.history_entries import HistoryEntry
from remora.journal.sections import MOST, daily_pieces, history_pieces, memory_pieces
from tests.journal.made import NOW

MEMORY = """Preface.

# Long-term Memory

## Preferences
- tabs

- short answers

## Project
Uses PostgreSQL.

### Build
```sh
# not a heading

make
```
"""


def test_a_memory_is_cut_at_its_headings():
    """Each section is a piece with its lines and the path of its headings; a bare heading is none."""
    assert [(p.start_line, p.end_line, p.heading, p.text) for p in memory_pieces(MEMORY)] == [
        (1, 1, "", "Preface."),
        (5, 8, "Long-term Memory > Preferences", "## Preferences\n- tabs\n\n- short answers"),
        (10, 11, "Long-term Memory > Project", "## Project\nUses PostgreSQL."),
        (13, 18, "Long-term Memory > Project > Build", "### Build\n```sh\n# not a heading\n\nmake\n```"),
    ]
    assert {(p.kind, p.path, p.time) for p in memory_pieces(MEMORY)} == {("longterm", "MEMORY.md", None)}


def test_paragraphs_are_grouped():
    """A group ends when it has 800 characters, or when the next paragraph would take it past 1,200."""
    paragraphs = "\n\n".join(str(n) * 300 for n in range(6))
    assert [len(p.text) for p in memory_pieces(paragraphs)] == [904, 904]
    large = "\n\n".join(["a" * 500, "b" * 900, "c" * 100])
    assert [p.text[0] + p.text[-1] for p in memory_pieces(large)] == ["aa", "bb", "cc"]
    assert [(p.start_line, p.end_line) for p in memory_pieces(large)] == [(1, 1), (3, 3), (5, 5)]


def test_a_long_paragraph_is_cut_at_lines_and_a_long_line_at_spaces():
    """No piece is much longer than 1,200 characters, and no word is cut that has spaces around it."""
    listed = "\n".join(f"- item {n} " + "x" * 90 for n in range(50))
    pieces = memory_pieces(listed)
    assert "\n".join(p.text for p in pieces) == listed
    assert [p.start_line for p in pieces][1:] == [p.end_line + 1 for p in pieces][:-1]
    line = "word " * 1000
    assert all(set(p.text.split()) == {"word"} for p in memory_pieces(line))
    assert sum(len(p.text.split()) for p in memory_pieces(line)) == 1000
    assert {(p.start_line, p.end_line) for p in memory_pieces(line)} == {(1, 1)}


@given(
    st.lists(st.sampled_from(["", "# h", "text", "x" * 700, "y" * 3000, "```", "a b " * 400]), max_size=12)
)
def test_every_line_is_in_one_piece(lines):
    """Pieces follow each other without overlap, hold all text but bare headings, and keep to their size."""
    text = "\n".join(lines)
    pieces = memory_pieces(text)
    for before, after in pairwise(pieces):
        assert before.end_line <= after.start_line
    assert all(len(p.text) <= MOST + 1 for p in pieces)
    joined = "".join("".join(p.text.split()) for p in pieces)
    bare = "".join(text.split()).replace("#h", "")
    assert joined.replace("#h", "") == bare
    for piece in pieces:
        theirs = lines[piece.start_line - 1 : piece.end_line]
        if all(len(line) <= MOST for line in theirs):
            assert piece.text == "\n".join(theirs)


def test_a_history_entry():
    """A short entry is one piece with its header's line; a long one is several with the same time."""
    short = HistoryEntry(NOW, "Chose ES256.", "HISTORY-2026-02.md", 2, 3)
    assert history_pieces(short) == [("history", "HISTORY-2026-02.md", 2, 3, "Chose ES256.", NOW, "")]
    text = "\n\n".join(["a" * 700, "b" * 700, "c" * 100])
    pieces = history_pieces(HistoryEntry(NOW, text, "HISTORY.md", 10, 15))
    assert [(p.start_line, p.end_line, p.text[0], p.time) for p in pieces] == [
        (10, 11, "a", NOW),
        (13, 15, "b", NOW),
    ]


def test_a_daily_note():
    """An exchange is a piece with the time of its stamp; a person's own lines have the day's beginning."""
    zone = timezone(timedelta(hours=2))
    first, second = "[01:15] User: a | Assistant: b", "[14:30] User: c | Assistant: d"
    text = f"My plan:\n- rest\n\n{first}\nmy comment\n{second}\n\nend\n"
    day, name = date(2026, 2, 8), "2026-02-08.md"
    pieces = daily_pieces(text, day, zone, name)
    assert [p[2:6] for p in pieces] == [
        (1, 2, "My plan:\n- rest", "2026-02-07T22:00:00.000Z"),
        (4, 5, "[01:15] User: a | Assistant: b\nmy comment", "2026-02-07T23:15:00.000Z"),
        (6, 6, "[14:30] User: c | Assistant: d", "2026-02-08T12:30:00.000Z"),
        (8, 8, "end", "2026-02-07T22:00:00.000Z"),
    ]
    assert {p.path for p in pieces} == {name}
    assert daily_pieces("[25:99] no time", day, zone, name)[0].time == "2026-02-07T22:00:00.000Z"
