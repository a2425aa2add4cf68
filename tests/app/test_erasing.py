"""What is said to be gone for good is in no byte of the home any more, and nobody else may read the rest."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from tests.app.conftest import Opens

SECRET = "heliotrope marzipan"


def holding(memory: Memory, word: str = "heliotrope") -> list[str]:
    """Return the files of the home that hold a word, in whatever case."""
    files = (path for path in memory.home.rglob("*") if path.is_file())
    return [path.name for path in files if word.encode() in path.read_bytes().lower()]


def test_a_memory_that_was_pruned_is_in_no_file(bare: Memory, clock: FixedClock):
    """Nor is what was said of it; that something was said stays."""
    kept = bare.remember("The gateway retries three times", type="gotcha")
    gone = bare.remember(f"The {SECRET} opens the vault", type="gotcha", related_files=["a.py"])
    bare.supersede(gone.id, f"The {SECRET} opens the cellar")
    (bare.root / "a.py").write_text("x = 1\n")
    with bare.loop("s1") as loop:
        loop.brief()
        call = {"file_path": str(bare.root / "a.py"), "old_string": "1", "new_string": "2"}
        assert SECRET in loop.before("Edit", call)
    for record in bare.list(include_forgotten=True):
        if SECRET in record.content:
            bare.forget(record.id)
    assert holding(bare)  # it can be restored until it is pruned
    clock.advance(days=90)
    bare.pin(kept.id)
    assert bare.prune().delete
    assert holding(bare) == []
    assert bare.show(kept.id).content == "The gateway retries three times"


def test_a_note_that_was_removed_is_in_no_file(bare: Memory):
    """Also where the search had read it before."""
    bare.entries.add("plan", f"The {SECRET} comes first")
    assert [hit.source for hit in bare.search("heliotrope")] == ["note"]
    assert holding(bare)
    bare.entries.remove("plan")
    assert holding(bare) == []


@pytest.mark.skipif(os.name == "nt", reason="modes are for POSIX")
def test_every_file_of_a_home_is_private_whatever_the_umask(tmp_path: Path, opens: Opens):
    """A file that others could read is mended when it is written."""
    before = os.umask(0)
    try:
        with opens() as memory:
            memory.remember("The gateway retries three times", type="gotcha")
            memory.remember("Tabs, not spaces", user=True)
            memory.entries.add("plan", "first this, then that")
            memory.session("s").append("user", "hello there")
            home = memory.home
        (home / "memory.db").chmod(0o644)
        home.chmod(0o755)
        with opens() as memory:
            memory.remember("The gateway waits a second", type="gotcha")
    finally:
        os.umask(before)
    user = tmp_path / "data" / "user"
    places = (home, *home.rglob("*"), user, *user.rglob("*"))
    modes = {str(path): stat.S_IMODE(path.stat().st_mode) for path in places}
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}


FTS_COLUMNS = {
    "memories_fts": "content",
    "turns_fts": "content",
    "turn_windows_fts": "words",
    "notes_fts": "content",
    "observer_sessions_fts": "prompt",
    "code_chunks_fts": "text",
    "git_commits_fts": "subject",
}


@pytest.mark.parametrize("table", FTS_COLUMNS)
def test_what_an_older_segment_of_an_index_holds_goes_too(bare: Memory, table: str):
    """Rows that were deleted while their bytes stayed, as in a file of an earlier version."""
    db, column = bare._project.db.connection, FTS_COLUMNS[table]
    found = db.rows("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5(%'")
    assert {name for (name,) in found} == set(FTS_COLUMNS)
    with db.transaction():
        db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('secure-delete', 0)")
    for row, text in enumerate(("heliotrope", "gateway", "cellar"), 7_000_000):
        with db.transaction():  # each makes a segment of its own
            db.execute(f"INSERT INTO {table}(rowid, {column}) VALUES (?, ?)", (row, text))
    with db.transaction():
        if table in ("turns_fts", "notes_fts"):
            gone = f"INSERT INTO {table}({table}, rowid, {column}) VALUES ('delete', 7000000, 'heliotrope')"
        else:
            gone = f"DELETE FROM {table} WHERE rowid = 7000000"
        db.execute(gone)
    assert holding(bare, "heliotrop")  # the index holds stems
    assert db.scrub()
    assert holding(bare, "heliotrop") == []
    assert holding(bare, "gatewai")
