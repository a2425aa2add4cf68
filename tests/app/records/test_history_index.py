"""History files in the search index: each entry once, for its month's file if there is one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory
from remora.core.clock import FixedClock
from remora.core.history_entries import month_file, render
from tests.helpers import SECRET

MONTH = month_file("2026-02-07T10:00:00.000Z")
Rows = list[tuple[str, str, int, int]]


def rows(memory: Memory) -> Rows:
    """Return (text, file, first line, last line) of every history piece, after a search had a look."""
    memory.search("anything")
    sql = "SELECT content, path, start_line, end_line FROM notes WHERE kind = 'history' ORDER BY time, id"
    return [
        (str(text), str(path), int(start), int(end))
        for text, path, start, end in memory._project.db.connection.rows(sql)
    ]


def ids(memory: Memory) -> dict[str, int]:
    """Return the ids of the history pieces by text."""
    return dict(memory._project.db.connection.rows("SELECT content, id FROM notes WHERE kind = 'history'"))


def write(folder: Path, *texts: str, names: tuple[str, ...] = ("HISTORY.md", MONTH)) -> None:
    """Append entries of different minutes of one day to files, as another process would."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        with (folder / name).open("a") as file:
            for text in texts:
                minute = sum(map(ord, text)) % 60
                file.write(render(text, f"2026-02-07T10:{minute:02d}:00.000Z"))


def test_an_appended_entry_is_added_to_those_that_are_known(bare: Memory, clock: FixedClock) -> None:
    """Entries are found by the month's file with their lines; those that were there keep their ids."""
    bare.journal.add_history("Chose ES256.")
    name = month_file(bare.journal.history()[0].time or "")
    assert rows(bare) == [("Chose ES256.", name, 2, 3)]
    before = ids(bare)
    for text in ("Moved to Kafka.", "One line\nand another"):
        clock.advance(seconds=60)
        bare.journal.add_history(text)
    assert rows(bare) == [
        ("Chose ES256.", name, 2, 3),
        ("Moved to Kafka.", name, 5, 6),
        ("One line\nand another", name, 8, 10),
    ]
    assert ids(bare)["Chose ES256."] == before["Chose ES256."]
    bare.journal.add_history("Chose ES256.")  # the same words at another time
    assert [text for text, *_ in rows(bare)].count("Chose ES256.") == 2


def test_a_secret_in_an_appended_entry_stays_in_the_file(bare: Memory) -> None:
    """The index has the marker in its place."""
    write(bare.journal.folder, "first")
    rows(bare)
    write(bare.journal.folder, f"the token is {SECRET}")
    assert SECRET not in str(rows(bare))
    assert any("[REDACTED:" in text for text, *_ in rows(bare))


def test_months_without_a_file_are_found_in_the_whole_history(bare: Memory) -> None:
    """HISTORY.md is searched for text without a time and for months while they have no file."""
    folder = bare.journal.folder
    write(folder, "of February")
    whole = folder / "HISTORY.md"
    old = "by hand\n" + render("of January", "2026-01-07T10:00:00.000Z")
    whole.write_text(old + whole.read_text())
    outside = [("by hand", "HISTORY.md", 1, 1), ("of January", "HISTORY.md", 3, 4)]
    assert rows(bare) == [*outside, ("of February", MONTH, 2, 3)]
    aside = (folder / MONTH).rename(folder / "aside")
    assert rows(bare) == [*outside, ("of February", "HISTORY.md", 6, 7)]
    aside.rename(folder / MONTH)
    assert rows(bare) == [*outside, ("of February", MONTH, 2, 3)]
    whole.unlink()
    assert rows(bare) == [("of February", MONTH, 2, 3)]


def extend_last(path: Path) -> None:
    """Add a line to the last entry."""
    with path.open("a") as file:
        file.write("and one line more\n")


def change_first(path: Path) -> None:
    """Change the first entry, keep the length, and append one, as two people would between two searches."""
    path.write_text(path.read_text().replace("first", "FIRST"))
    write(path.parent, "third", names=(path.name,))


@pytest.mark.parametrize("name", [MONTH, "HISTORY.md"])
@pytest.mark.parametrize("change", [extend_last, change_first])
def test_a_change_is_read_as_if_anew(bare: Memory, change: Callable[[Path], None], name: str) -> None:
    """An edit that is nearly an append, and one that keeps the length; others: test_note_index.py."""
    folder = bare.journal.folder
    write(folder, "first", "second")
    rows(bare)
    change(folder / name)
    found = rows(bare)
    with bare._project.db.transaction():
        for path in ("HISTORY.md", MONTH):
            bare._project.db.notes.forget(path)
    bare._project.written.seen = {}
    assert rows(bare) == found
    assert name == MONTH or {"first", "second"} <= {text for text, *_ in found}


def test_an_append_that_is_seen_half_done_is_found_whole_afterwards(bare: Memory) -> None:
    """Wherever the first look comes in between, the second one has both entries, each once."""
    path = bare.journal.folder / MONTH
    write(bare.journal.folder, "first", names=(MONTH,))
    first, second = path.read_bytes(), render("the second", "2026-02-07T10:59:00.000Z").encode()
    for end in range(1, len(second)):
        for seen in (first, first + second[:end]):
            path.write_bytes(seen)
            rows(bare)
        path.write_bytes(first + second)
        assert [(text, start) for text, _, start, _ in rows(bare)] == [("first", 2), ("the second", 5)], end
