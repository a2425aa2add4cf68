"""The hook's quick look into a database: few answers, and none where anything is wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from remora.core.triggers import Trigger
from remora.store.database import Database
from remora.store.hook_reader import APPLICATION_ID, OLDEST, HookReader, Partner, look
from remora.store.migrations import latest
from tests.store import old_files
from tests.store.makers import add, record

WARNINGS = ("gotcha", "error_pattern")


@pytest.fixture
def hook_reader(db: Database, tmp_path: Path):
    """A look at a database with a few memories; it stays open for writing beside it."""
    add(db.memories, record("m1", type="gotcha", related_files=("a.py", "b.py"), confidence=0.9))
    add(db.memories, record("m2", type="error_pattern", related_files=("a.py",), confidence=0.7))
    add(db.memories, record("m3", type="decision", related_files=("a.py",)))
    add(db.memories, record("m4", type="gotcha", related_files=("src/**",), pinned=True))
    with db.connection.transaction():
        db.triggers.replace(
            [Trigger("command", "gh", "m1", ("pr",), 2.0), Trigger("command", "gh", "m2", (), 3.0)]
        )
    found = look(str(tmp_path / "memory.db"))
    assert found is not None
    yield found
    found.close()


def test_what_is_about_files(hook_reader: HookReader):
    """Of some types only, the surest first; globs are asked for apart."""
    assert [n.id for n in hook_reader.about(["a.py"], WARNINGS)] == ["m1", "m2"]
    assert hook_reader.about(["a.py"], WARNINGS)[0].files == ("a.py", "b.py")
    assert hook_reader.patterns(WARNINGS) == ["src/**"]
    assert [(n.id, n.pinned) for n in hook_reader.about(["src/**"], WARNINGS)] == [("m4", True)]
    assert hook_reader.about(["c.py"], WARNINGS) == []


def test_what_has_a_cue(hook_reader: HookReader):
    """Those with the most weight first, with what else must be there."""
    found = hook_reader.triggered([("command", "gh"), ("command", "ls")])
    assert [n.trigger for n in found] == [
        Trigger("command", "gh", "m2", (), 3.0),
        Trigger("command", "gh", "m1", ("pr",), 2.0),
    ]
    assert hook_reader.triggered([("term", "gh")]) == []


def test_what_lost_its_ground_is_not_there(hook_reader: HookReader, db: Database):
    """What waits for a first look is told; what rests on something that was superseded is not."""
    add(db.memories, record("m7", type="gotcha", related_files=("d.py",), needs_review=True))
    shaken: dict[str, Any] = {"needs_review": True, "review_reason": "rests on m1, superseded"}
    add(db.memories, record("m8", type="gotcha", related_files=("d.py",), **shaken))
    assert [n.id for n in hook_reader.about(["d.py"], WARNINGS)] == ["m7"]


def test_what_speaks_of_the_same(hook_reader: HookReader, db: Database):
    """Those that share the most words, whatever they are about; a text without words finds nothing."""
    add(db.memories, record("m5", "The parser needs a grammar", type="decision"))
    add(db.memories, record("m6", "It is not true that the parser needs a grammar", type="gotcha"))
    assert [n.id for n in hook_reader.like('parser needs grammar, says "he" AND (she)')] == ["m5", "m6"]
    assert hook_reader.like('- ( " * a b') == []


def test_what_commits_change_together(hook_reader: HookReader, db: Database):
    """Files that are there, of another name, often enough together, in small commits and not long ago."""
    rows = [
        ("a.py", 1, 10),
        ("far.py", 1, 9),
        ("b.sql", 1, 9),
        ("a.md", 1, 9),
        ("gone.py", 0, 9),
        ("old.py", 1, 9),
    ]
    with db.connection.transaction():
        for path, present, commits in rows:
            db.connection.execute(
                """INSERT INTO git_files(path, present, commits, heat, reach, last_clock, last_date, stem)
                   VALUES (?, ?, ?, 0, 0, 1, '2026-06-01T00:00:00Z', ?)""",
                (path, present, commits, path.partition(".")[0]),
            )
            date = "2025-01-01T00:00:00Z" if path == "old.py" else "2026-05-01T00:00:00Z"
            bond = -4 if path == "far.py" else 0
            db.connection.execute("INSERT INTO git_pairs VALUES ('a.py', ?, ?, 8, ?)", (path, bond, date))
        db.connection.execute("INSERT INTO meta(key, value) VALUES ('history.clock', '40')")
    assert hook_reader.partners("a.py", 4, 0.7, 0.125) == [
        Partner("b.sql", 8, 10, 9, 40, "2026-05-01T00:00:00Z")
    ]
    assert hook_reader.partners("a.py", 9, 0.7, 0.125) == []
    assert hook_reader.partners("a.py", 4, 0.8, 0.125) == []


def test_what_was_forgotten_is_not_there(hook_reader: HookReader, db: Database):
    """Forgetting works at once, for open looks too."""
    with db.connection.transaction():
        db.connection.execute("UPDATE memories SET deprecated = 1 WHERE id = 'm1'")
    assert [n.id for n in hook_reader.about(["a.py"], WARNINGS)] == ["m2"]


def test_it_cannot_write(hook_reader: HookReader):
    """Whatever is asked of it."""
    with pytest.raises(apsw.ReadOnlyError):
        hook_reader._rows("DELETE FROM memories", ())


def test_a_database_that_cannot_be_used_gives_nothing(tmp_path: Path, empty_file: Path):
    """Not there, no database, somebody else's, too old, corrupt, a folder; nothing is made or changed."""
    path = tmp_path / "memory.db"
    assert look(str(path)) is None
    assert not path.exists()
    path.write_bytes(b"no database at all" * 100)
    assert look(str(path)) is None
    shutil.copy(empty_file, path)
    for pragma in (f"user_version = {OLDEST - 1}", "application_id = 7"):
        connection = apsw.Connection(str(path))
        connection.execute(f"PRAGMA {pragma}")
        connection.close()
        assert look(str(path)) is None
    (tmp_path / "folder").mkdir()
    assert look(str(tmp_path / "folder")) is None


def test_a_memory_with_patterns_is_not_told_for_its_files(db: Database, tmp_path: Path):
    """The patterns say at which actions it is shown, also for files that it names by a glob."""
    add(
        db.memories,
        record("plain", type="gotcha", related_files=("a.py", "b/*.py")),
        record("given", type="gotcha", related_files=("a.py", "c/*.py"), triggers={"when": ["push"]}),
    )
    found = look(str(tmp_path / "memory.db"))
    assert found is not None
    assert [note.id for note in found.about(["a.py"], WARNINGS)] == ["plain"]
    assert found.patterns(WARNINGS) == ["b/*.py"]
    found.close()


@pytest.mark.parametrize("version", range(OLDEST, latest() + 1))
def test_every_question_is_answered_from_the_oldest_schema_on(version: int, tmp_path: Path):
    """A file that no writer has opened since an update has the tables that are asked."""
    old_files.make(version, tmp_path / "memory.db")
    found = look(str(tmp_path / "memory.db"))
    assert found is not None
    assert [note.id for note in found.about(["src/users.py"], WARNINGS)] == ["m-one"]
    assert found.trial() == ("salt", 0)
    found.threshold()
    found.triggered([("program", "git")])
    found.patterns(WARNINGS)
    found.partners("src/users.py", 1, 0.1, 0.1)
    found.saying("checked id", 3)
    found.like("Call getUserById with a checked id")
    found.effects("file")
    found.held_last(["m-one"])
    found.counts()
    found.spoke(1)
    found.close()


def test_a_newer_schema_is_looked_at(tmp_path: Path, empty_file: Path):
    """A hook of an older version goes on while the tables it asks are there."""
    path = tmp_path / "memory.db"
    shutil.copy(empty_file, path)
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA user_version = {latest() + 1}")
    assert next(connection.execute("PRAGMA application_id"))[0] == APPLICATION_ID
    connection.close()
    found = look(str(path))
    assert found is not None
    assert found.about(["a.py"], WARNINGS) == []
    found.close()


def test_it_leaves_no_files_behind(tmp_path: Path, empty_file: Path):
    """A database that nobody else uses is as it was."""
    shutil.copy(empty_file, tmp_path / "memory.db")
    found = look(str(tmp_path / "memory.db"))
    assert found is not None
    found.about(["a.py"], WARNINGS)
    found.close()
    assert [p.name for p in tmp_path.iterdir()] == ["memory.db"]


def test_it_loads_little():
    """Nothing but the driver, what a named tuple takes, and what triggers are."""
    code = (
        "import sys, remora.store.hook_reader as _; "
        "print(*sorted(m for m in sys.modules if m.startswith('remora')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "remora",
        "remora.core",
        "remora.core.triggers",
        "remora.store",
        "remora.store.hook_reader",
    ]


def test_every_pattern_counts_however_many_there_are(db: Database, tmp_path: Path):
    """The least sure of many memories about patterns may be the one that fits."""
    made = (record(f"m{n}", type="gotcha", related_files=(f"p{n}/**",), confidence=0.9) for n in range(60))
    add(db.memories, *made)
    found = look(str(tmp_path / "memory.db"))
    assert found is not None
    assert len(found.patterns(WARNINGS)) == 60
    found.close()
