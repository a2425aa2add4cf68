"""Databases of hosts are read while the host writes to them."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

import pytest

from remora.core.errors import SourceError
from remora.sources.transcripts.hosts import databases
from remora.sources.transcripts.hosts.databases import let_go, opened, rows, sound
from remora.sources.transcripts.lines import Counts


def notes(path: Path) -> list[object]:
    """Return the notes in a database, and what its version has no column for."""
    with opened(path) as database:
        return [(row["body"], row["later"]) for row in rows(database, "notes", ("body", "later"))]


def test_what_a_host_wrote_meanwhile_is_read(tmp_path: Path) -> None:
    """A copy is used again only while the database is as it was."""
    path = tmp_path / "a.db"
    host = sqlite3.connect(path)
    host.execute("PRAGMA journal_mode = WAL")
    host.execute("CREATE TABLE notes (body TEXT)")
    for number, expected in ((1, [("1", None)]), (2, [("1", None), ("2", None)])):
        host.execute("INSERT INTO notes VALUES (?)", (str(number),))
        host.commit()
        assert notes(path) == notes(path) == expected
    host.close()


def test_databases_that_are_read_in_turns_are_copied_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions of two hosts are read in order of time; at the end no copy stays."""
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    hosts = [sqlite3.connect(tmp_path / name) for name in ("a.db", "b.db")]
    for host in hosts:
        host.execute("PRAGMA journal_mode = WAL")
        host.execute("CREATE TABLE notes (body TEXT)")
    made: list[set[str]] = []
    for _ in range(2):
        for name in ("a.db", "b.db"):
            assert notes(tmp_path / name) == []
        made.append({path.name for path in copies.iterdir()})
    assert len(made[0]) == 2
    assert made[0] == made[1]
    let_go()
    assert list(copies.iterdir()) == []
    for host in hosts:
        host.close()


def test_a_database_too_large_to_be_copied_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of any host; that is said."""
    path = tmp_path / "a.db"
    sqlite3.connect(path).execute("CREATE TABLE notes (body TEXT)").connection.close()
    monkeypatch.setattr(databases, "MAX_DATABASE", 1000)
    with pytest.raises(SourceError, match="more than 1,000 bytes"):
        notes(path)


def test_one_reading_has_what_was_there_when_it_began(tmp_path: Path) -> None:
    """Another database that is opened meanwhile does not end it."""
    for name in ("a.db", "b.db"):
        with sqlite3.connect(tmp_path / name) as host:
            host.execute("CREATE TABLE notes (body TEXT)")
            host.executemany("INSERT INTO notes VALUES (?)", [(f"{name} {n}",) for n in range(3)])
        host.close()
    with opened(tmp_path / "a.db") as database:
        found = rows(database, "notes", ("body",))
        first = next(found)["body"]
        assert len(notes(tmp_path / "b.db")) == 3
        assert [first, *(row["body"] for row in found)] == ["a.db 0", "a.db 1", "a.db 2"]


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    """It raises, or is counted by who reads on."""
    path, counts = tmp_path / "a.db", Counts()
    sqlite3.connect(path).execute("CREATE TABLE notes (body TEXT)").connection.close()
    with pytest.raises(SourceError, match="no table other"), opened(path) as database:
        list(rows(database, "other", ("body",)))
    with opened(path) as database:
        assert list(sound(rows(database, "other", ("body",)), path, counts)) == []
    assert counts.bad == 1
