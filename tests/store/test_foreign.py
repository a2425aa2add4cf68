"""Foreign databases are read without a trace, in every mode in which others leave them."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from remora.core.errors import NotFound, StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreReadOnly
from remora.store.connection import Connection
from remora.store.foreign import Foreign, is_sqlite
from tests.helpers import files
from tests.store.makers import PAGE, damage, sql

SCHEMA = "CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT, weight REAL, raw BLOB)"


def make(path: Path, mode: str = "delete", encoding: str = "UTF-8", rows: int = 3) -> apsw.Connection:
    """Make a database with a few notes and leave it open."""
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA encoding = '{encoding}'")
    connection.execute(f"PRAGMA journal_mode = {mode}").fetchall()
    connection.execute(SCHEMA)
    with connection:
        for number in range(1, rows + 1):
            connection.execute(
                "INSERT INTO notes VALUES(?, ?, ?, ?)", (number, f"nöte {number}", 0.5, b"\x00\xff")
            )
    return connection


def bodies(path: Path) -> list[str]:
    """Return the text of every note."""
    with Foreign(path) as database:
        return [row["body"] for row in database.rows("notes", ("body",))]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database that nobody uses."""
    make(tmp_path / "a.db").close()
    return tmp_path / "a.db"


def test_rows_come_with_their_own_kinds(database: Path) -> None:
    """Numbers, text and bytes arrive as what they are; those that have a value in a column can be chosen.

    A database is known by its first bytes.
    """
    link = database.with_name("link.db")
    link.symlink_to(database.with_name("nowhere"))
    assert [is_sqlite(path) for path in (database, database.parent, link)] == [True, False, False]
    with Foreign(database) as foreign:
        assert foreign.tables() == ("notes",)
        assert foreign.columns("notes") == ("id", "body", "weight", "raw")
        assert foreign.count("notes") == 3
        first = next(foreign.rows("notes", ("raw", "id", "body", "weight")))
        assert first == {"raw": b"\x00\xff", "id": 1, "body": "nöte 1", "weight": 0.5}
        assert [row["id"] for row in foreign.rows("notes", ("id",), ("body", "nöte 2"))] == [2]
        found = foreign.rows("notes", ("id",), ("body", "nöte"), beginning=True)
        assert [row["id"] for row in found] == [1, 2, 3]
        assert list(foreign.rows("notes", ("id",), ("body", "nöte 1x"), beginning=True)) == []
        assert not foreign.is_ours()
    Connection.open(database.with_name("memory.db")).close()
    with Foreign(database.with_name("memory.db")) as foreign:
        assert foreign.is_ours()


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16be"])
def test_text_is_read_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    """The file decides how its text is read; U+FFFD stands for bytes that are no text."""
    connection = make(tmp_path / "a.db", encoding=encoding)
    bad = b"a\xffb" if encoding == "UTF-8" else b"\x00a\xd8\x00\x00b"
    connection.execute("UPDATE notes SET body = CAST(? AS TEXT) WHERE id = 2", (bad,))
    connection.close()
    assert bodies(tmp_path / "a.db") == ["nöte 1", "a\ufffdb", "nöte 3"]


@pytest.mark.parametrize("mode", ["delete", "persist", "wal"])
@pytest.mark.parametrize("in_use", [True, False])
def test_nothing_is_written_in_any_mode(tmp_path: Path, mode: str, in_use: bool) -> None:
    """The folder has the same files, bytes and times afterwards, whether others use the database or not."""
    connection = make(tmp_path / "a.db", mode)
    if not in_use:
        connection.close()
    before = files(tmp_path)
    assert bodies(tmp_path / "a.db") == ["nöte 1", "nöte 2", "nöte 3"]
    assert files(tmp_path) == before
    connection.close()


def crash(path: Path, *statements: str) -> None:
    """Let a process run statements on a database, and die without closing it."""
    code = f"""
import apsw, os
connection = apsw.Connection({str(path)!r})
for statement in {statements!r}:
    connection.execute(statement).fetchall()
connection.cache_flush()
os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9


def test_what_is_only_in_the_log_is_seen(tmp_path: Path) -> None:
    """A crash leaves committed rows in the -wal file; they are read and the files stay as they were."""
    pragmas = ("PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 0")
    crash(tmp_path / "a.db", *pragmas, SCHEMA, "INSERT INTO notes(body) VALUES('in the log')")
    assert (tmp_path / "a.db-wal").stat().st_size > 0
    before = files(tmp_path)
    assert bodies(tmp_path / "a.db") == ["in the log"]
    assert files(tmp_path) == before


def test_a_transaction_that_a_crash_cut_is_not_seen(database: Path) -> None:
    """A hot journal is rolled back in the copy; the journal beside the original stays for its owner."""
    crash(
        database,
        "PRAGMA cache_size = 1",
        "BEGIN IMMEDIATE",
        "UPDATE notes SET body = 'half done'",
        "WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
        "INSERT INTO notes(body) SELECT hex(randomblob(200)) FROM n",
    )
    before = files(database.parent)
    assert "a.db-journal" in before
    assert bodies(database) == ["nöte 1", "nöte 2", "nöte 3"]
    assert files(database.parent) == before


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.EACCES, StoreReadOnly), (errno.ENOSPC, StoreFull), (errno.EIO, StoreError)]
)
def test_why_a_copy_fails_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[StoreError]
) -> None:
    """No permission, no room and a broken disk are different errors."""
    make(tmp_path / "a.db", "wal").close()

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("remora.store.foreign.shutil.copyfile", fail)
    with pytest.raises(StoreError) as raised:
        Foreign(tmp_path / "a.db")
    assert type(raised.value) is kind


def test_a_writer_is_not_disturbed(tmp_path: Path) -> None:
    """The last committed state is read, amid a transaction and in a folder that cannot be written."""
    connection = make(tmp_path / "a.db", "wal")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO notes(body) VALUES('not yet')")
    assert len(bodies(tmp_path / "a.db")) == 3
    connection.execute("COMMIT")
    assert len(bodies(tmp_path / "a.db")) == 4
    connection.close()
    tmp_path.chmod(0o500)
    try:
        assert len(bodies(tmp_path / "a.db")) == 4
    finally:
        tmp_path.chmod(0o700)


def test_a_database_that_changes_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that somebody wrote into is made again, and given up after three times."""
    make(tmp_path / "a.db", "wal").close()
    copies: list[str] = []

    def copy(source: Path, target: Path) -> None:
        Path(target).write_bytes(Path(source).read_bytes())
        copies.append(Path(source).name)
        os.utime(tmp_path / "a.db", ns=(0, len(copies)))

    monkeypatch.setattr("remora.store.foreign.shutil.copyfile", copy)
    with pytest.raises(StoreBusy):
        Foreign(tmp_path / "a.db")
    assert copies.count("a.db") == 3


def test_the_copy_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left in the folder of temporary files, also when the opening fails."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    make(tmp_path / "a.db", "wal").close()
    raw = (tmp_path / "a.db").read_bytes()
    assert len(bodies(tmp_path / "a.db")) == 3
    (tmp_path / "b.db").write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))
    with pytest.raises(StoreCorrupt):
        bodies(tmp_path / "b.db")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("raw", [b"", b"SQLite format 3\x00", b"text that is no database" * 10])
def test_what_is_no_database_is_refused(tmp_path: Path, raw: bytes) -> None:
    """An empty, cut or other file is not opened."""
    (tmp_path / "a.db").write_bytes(raw)
    with pytest.raises(StoreCorrupt):
        Foreign(tmp_path / "a.db")


def test_what_is_missing_is_said(database: Path) -> None:
    """A file, a table and a column that are not there are named; nothing is made."""
    with pytest.raises(NotFound):
        Foreign(database.with_name("none.db"))
    assert not database.with_name("none.db").exists()
    with Foreign(database) as foreign:
        assert foreign.columns("x") == ()
        with pytest.raises(NotFound, match="no table x"):
            foreign.count("x")
        with pytest.raises(NotFound, match="no column y"):
            list(foreign.rows("notes", ("id", "y")))
        with pytest.raises(NotFound, match="no column title"):
            next(foreign.rows("notes", ("id",), ("title", "x")))


def test_rows_before_a_damaged_page_are_yielded(tmp_path: Path) -> None:
    """Damage in the middle ends the reading there, with our error."""
    make(tmp_path / "a.db", rows=2_000).close()
    damage(tmp_path / "a.db", (tmp_path / "a.db").stat().st_size // 2 // PAGE)
    seen: list[int] = []

    def read() -> None:
        with Foreign(tmp_path / "a.db") as foreign:
            seen.extend(row["id"] for row in foreign.rows("notes", ("id",)))

    with pytest.raises(StoreCorrupt, match=r"a\.db") as raised:
        read()
    assert 0 < len(seen) < 2_000
    assert "not changed" in raised.value.hint


def test_strange_names_of_tables_are_quoted(database: Path) -> None:
    """A name is a name, whatever signs are in it."""
    name = 'a"; DROP TABLE notes; --'
    sql(database, 'CREATE TABLE "' + name.replace('"', '""') + '"("x""y" TEXT)')
    with Foreign(database) as foreign:
        assert foreign.count(name) == 0
        assert list(foreign.rows(name, ('x"y',))) == []
        assert foreign.tables() == (name, "notes")


def test_views_are_no_tables(tmp_path: Path) -> None:
    """A file may be made to trap its reader: a view would run its code in the reading process."""
    sql(tmp_path / "a.db", "CREATE VIEW notes AS SELECT file AS body FROM pragma_database_list")
    with pytest.raises(NotFound, match="has no table notes"):
        bodies(tmp_path / "a.db")
