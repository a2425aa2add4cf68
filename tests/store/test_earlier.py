"""The file as it was before a migration is kept, once."""

from __future__ import annotations

from pathlib import Path

import apsw

from remora.store.connection import earlier_files
from remora.store.database import Database
from tests.store import old_files


def test_the_file_before_a_migration_is_kept_until_the_next_or_a_deletion(tmp_path: Path):
    """One kept file at a time; it goes when something is deleted for good."""
    path = tmp_path / "memory.db"
    (tmp_path / "memory.db.before-0003").write_bytes(b"old")
    old_files.make(12, path)
    db = Database(path, realm="project", project_id="p1")
    (kept,) = earlier_files(path)
    assert kept.name == "memory.db.before-0012"
    assert kept.stat().st_mode & 0o077 == 0
    found = apsw.Connection(str(kept), flags=apsw.SQLITE_OPEN_READONLY)
    assert next(found.execute("PRAGMA user_version"))[0] == 12
    assert next(found.execute("SELECT count(*) FROM memories"))[0] > 0
    found.close()
    assert db.connection.scrub()
    assert earlier_files(path) == []
    db.close()


def test_a_new_file_keeps_nothing(tmp_path: Path):
    """There was none before."""
    Database(tmp_path / "memory.db", realm="project", project_id="p1").close()
    assert earlier_files(tmp_path / "memory.db") == []
