"""History files in the search index: what was appended is read, and what is read again when it must be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory
from remora.app.records import note_index
from remora.core.clock import FixedClock
from remora.core.history_entries import month_file, render

MONTH = month_file("2026-02-07T10:00:00.000Z")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

Rows = list[tuple[str, str, int, int]]


def goes_on(memory: Memory) -> bool:
    """Return whether every history file is what was indexed, with entries behind it or nothing."""
    folder = memory.journal.folder
    seen = memory._project.db.notes.files()
    return note_index._what_follows(folder, [p.name for p in folder.glob("HISTORY*.md")], seen) is not None


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


def test_an_appended_entry_is_all_that_is_read(bare: Memory, clock: FixedClock) -> None:
    """Entries are found by the month's file with their lines; those that were there are not read again."""
    bare.journal.add_history("Chose ES256.")
    name = month_file(bare.journal.history()[0].time or "")
    assert rows(bare) == [("Chose ES256.", name, 2, 3)]
    before = ids(bare)
    for text in ("Moved to Kafka.", "One line\nand another"):
        clock.advance(seconds=60)
        bare.journal.add_history(text)
    assert goes_on(bare)
    assert rows(bare) == [
        ("Chose ES256.", name, 2, 3),
        ("Moved to Kafka.", name, 5, 6),
        ("One line\nand another", name, 8, 10),
    ]
    assert ids(bare)["Chose ES256."] == before["Chose ES256."]


def test_a_new_month_is_no_reason_to_read_the_others(bare: Memory, clock: FixedClock) -> None:
    """The first entry of a month makes a file, which is read like the rest of one."""
    bare.journal.add_history("In the old month")
    rows(bare)
    clock.advance(days=40)
    bare.journal.add_history("In the new month")
    assert goes_on(bare)
    found = rows(bare)
    assert [text for text, *_ in found] == ["In the old month", "In the new month"]
    assert found[1][1:] == (month_file(bare.journal.history()[0].time or ""), 2, 3)


def test_a_secret_in_an_appended_entry_stays_in_the_file(bare: Memory) -> None:
    """The index has the marker in its place, also where the rest of a file is read."""
    write(bare.journal.folder, "first")
    rows(bare)
    write(bare.journal.folder, f"the token is {TOKEN}")
    assert goes_on(bare)
    assert TOKEN not in str(rows(bare))
    assert any("[REDACTED:" in text for text, *_ in rows(bare))


def test_an_entry_that_reaches_its_month_later_moves_there(bare: Memory) -> None:
    """Seen between the two writes, it is known by HISTORY.md; then by the month, under the same id."""
    folder = bare.journal.folder
    write(folder, "first")
    rows(bare)
    write(folder, "x" * 900 + "\n\n" + "x" * 900, names=("HISTORY.md",))
    assert [path for _, path, *_ in rows(bare)].count("HISTORY.md") == 2
    before = ids(bare)
    write(folder, "x" * 900 + "\n\n" + "x" * 900, names=(MONTH,))
    assert goes_on(bare)
    assert [(path, start) for _, path, start, _ in rows(bare)] == [(MONTH, 2), (MONTH, 5), (MONTH, 8)]
    assert ids(bare) == before


def test_an_entry_that_is_known_already_is_not_added(bare: Memory) -> None:
    """The same entry a second time in a file, or later in HISTORY.md, is one entry."""
    folder = bare.journal.folder
    write(folder, "once", names=(MONTH,))
    write(folder, "other", names=("HISTORY.md",))
    rows(bare)
    write(folder, "once")
    write(folder, "twice", "twice")
    assert goes_on(bare)
    assert sorted(text for text, *_ in rows(bare)) == ["once", "other", "twice"]


def prepend(path: Path) -> None:
    """Put a line in front of everything."""
    path.write_text("A person's line\n" + path.read_text())


def extend_last(path: Path) -> None:
    """Add a line to the last entry."""
    with path.open("a") as file:
        file.write("and one line more\n")


def change_first(path: Path) -> None:
    """Change the first entry, keep the length, and append one, as two people would between two searches."""
    path.write_text(path.read_text().replace("first", "FIRST"))
    write(path.parent, "third", names=(path.name,))


def cut(path: Path) -> None:
    """Take the last entry away."""
    path.write_text(path.read_text().rpartition("\n## ")[0])


@pytest.mark.parametrize("name", [MONTH, "HISTORY.md"])
@pytest.mark.parametrize("change", [prepend, extend_last, change_first, cut, Path.unlink])
def test_any_other_change_gives_what_reading_anew_gives(
    bare: Memory, change: Callable[[Path], None], name: str
) -> None:
    """An edit at the front, at the end or in the middle, a shorter file and one that is gone."""
    folder = bare.journal.folder
    write(folder, "first", "second")
    rows(bare)
    change(folder / name)
    assert goes_on(bare) == (change is Path.unlink)  # of which nothing is left to look at
    found = rows(bare)
    with bare._project.db.transaction():
        for path in ("HISTORY.md", MONTH):
            bare._project.db.notes.forget(path)
    bare._project.written.seen = {}
    assert rows(bare) == found
    assert {"first", "second"} <= {text for text, *_ in found}


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


def test_a_file_from_before_marks_is_read_once_more(bare: Memory) -> None:
    """A database that knows only size and time of a file takes its next change as an edit."""
    folder = bare.journal.folder
    write(folder, "first")
    rows(bare)
    notes = bare._project.db.notes
    with notes._connection.transaction():
        for name, seen in notes.files().items():
            notes.mark(name, ":".join(seen.split(":")[:2]))
    write(folder, "second")
    assert not goes_on(bare)
    assert len(rows(bare)) == 2
    write(folder, "third")
    assert goes_on(bare)
    assert len(rows(bare)) == 3


def test_a_file_that_cannot_be_read_leaves_its_entries_to_the_other(bare: Memory) -> None:
    """What a month holds is then found in HISTORY.md, and by the month again when it can be read."""
    folder = bare.journal.folder
    write(folder, "first")
    assert rows(bare)[0][1] == MONTH
    db = bare._project.db
    (folder / MONTH).rename(folder / "away")
    with db.connection.transaction():
        there = dict.fromkeys(("HISTORY.md", MONTH), (1, 1))
        assert note_index._follow_history(bare._project, there, set(), {MONTH}) == (1, {MONTH})
    sql = "SELECT path, start_line FROM notes"
    assert list(db.connection.rows(sql)) == [("HISTORY.md", 2)]
    (folder / "away").rename(folder / MONTH)
    bare._project.written.seen = {}
    assert rows(bare) == [("first", MONTH, 2, 3)]
