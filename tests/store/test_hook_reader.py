"""The hook's quick look into a database: few answers, and none where anything is wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from remora.core.cochange import FileStat, PairStat
from remora.core.triggers import Trigger
from remora.store.database import Database
from remora.store.history import CLOCK
from remora.store.hook_reader import OLDEST, HookReader, Partner, look
from remora.store.migrations import latest
from tests.store import old_files
from tests.store.makers import add, files_of, record, save, sql, there

WARNINGS = ("gotcha", "error_pattern")
# The one with the most weight first, as they are found.
TRIGGERS = [Trigger("command", "gh", "m2", (), 3.0), Trigger("command", "gh", "m1", ("pr",), 2.0)]


def looked(folder: Path) -> closing[HookReader]:
    """Return a look at the database in a folder, which ends with its block."""
    return closing(there(look(str(folder / "memory.db"))))


@pytest.fixture
def hook_reader(db: Database, tmp_path: Path):
    """A look at a database with a few memories; it stays open for writing beside it."""
    shaken: dict[str, Any] = {"needs_review": True, "review_reason": "rests on m1, superseded"}
    add(
        db.memories,
        record("m1", type="gotcha", related_files=("a.py", "b.py"), confidence=0.9),
        record("m2", type="error_pattern", related_files=("a.py",), confidence=0.7, needs_review=True),
        record("m3", type="decision", related_files=("a.py",)),
        record("m4", type="gotcha", related_files=("src/**",), pinned=True),
        record("m5", type="gotcha", related_files=("a.py",), **shaken),
    )
    save(db, db.triggers.replace, TRIGGERS[::-1])
    with looked(tmp_path) as found:
        yield found


def test_what_is_about_files(hook_reader: HookReader, db: Database):
    """Of some types only, the surest first, none that lost its ground; globs are asked for apart."""
    assert [n.id for n in hook_reader.about(["a.py"], WARNINGS)] == ["m1", "m2"]
    assert hook_reader.about(["a.py"], WARNINGS)[0].files == ("a.py", "b.py")
    assert hook_reader.patterns(WARNINGS) == ["src/**"]
    assert [(n.id, n.pinned) for n in hook_reader.about(["src/**"], WARNINGS)] == [("m4", True)]
    assert hook_reader.about(["c.py"], WARNINGS) == []
    save(db, db.memories.update, "m1", {"deprecated": True})
    assert [n.id for n in hook_reader.about(["a.py"], WARNINGS)] == ["m2"]
    add(db.memories, *(record(f"p{n}", type="gotcha", related_files=(f"p{n}/**",)) for n in range(60)))
    assert len(hook_reader.patterns(WARNINGS)) == 61  # the least sure may be the one that fits


def test_what_has_a_trigger(hook_reader: HookReader):
    """Those with the most weight first, with what else must be there."""
    found = hook_reader.triggered([("command", "gh"), ("command", "ls")])
    assert [n.trigger for n in found] == TRIGGERS
    assert hook_reader.triggered([("term", "gh")]) == []


def test_what_commits_change_together(hook_reader: HookReader, db: Database):
    """Files that are there, of another name, often enough together, in small commits and not long ago."""
    names = ("a.py", "far.py", "b.sql", "a.md", "gone.py", "old.py")
    recent = "2026-05-01T00:00:00.000Z"
    files = [FileStat(name, 10 if name == "a.py" else 9, present=name != "gone.py") for name in names]
    pairs = [
        PairStat("a.py", name, -4 if name == "far.py" else 0, 8, "2025-01-01" if name == "old.py" else recent)
        for name in names[1:]
    ]
    files = [one._replace(last_date="2026-06-01T00:00:00.000Z", reach=0.0) for one in files]
    with db.connection.transaction():
        db.history.write(removed=(), files=files, pairs=pairs, modules={})
        db.meta.set(CLOCK, 40)
    assert hook_reader.partners("a.py", 4, 0.7, 0.125) == [Partner("b.sql", 8, 10, 9, 40, recent)]
    assert hook_reader.partners("a.py", 9, 0.7, 0.125) == []
    assert hook_reader.partners("a.py", 4, 0.8, 0.125) == []


def test_a_database_that_cannot_be_used_gives_nothing(tmp_path: Path, empty_file: Path):
    """Not there, no database, somebody else's, too old, a folder; a newer one can. Nothing is changed."""
    path = tmp_path / "memory.db"
    assert look(str(path)) is None
    assert not path.exists()
    path.write_bytes(b"no database at all" * 100)
    assert look(str(path)) is None
    shutil.copy(empty_file, path)
    for pragma in (f"user_version = {latest() + 1}", f"user_version = {OLDEST - 1}", "application_id = 7"):
        sql(path, f"PRAGMA {pragma}")
        before = files_of(tmp_path)
        found = look(str(path))
        if found is not None:
            assert found.about(["a.py"], WARNINGS) == []
            with pytest.raises(apsw.ReadOnlyError):
                found._rows("DELETE FROM memories", ())
            found.close()
        assert (found is not None) == (str(latest() + 1) in pragma)
        assert files_of(tmp_path) == before
    assert look(str(tmp_path)) is None


def test_a_memory_with_patterns_is_not_told_for_its_files(db: Database, tmp_path: Path):
    """The patterns say at which actions it is shown, also for files that it names by a glob."""
    add(
        db.memories,
        record("plain", type="gotcha", related_files=("a.py", "b/*.py")),
        record("given", type="gotcha", related_files=("a.py", "c/*.py"), triggers={"when": ["push"]}),
    )
    with looked(tmp_path) as found:
        assert [note.id for note in found.about(["a.py"], WARNINGS)] == ["plain"]
        assert found.patterns(WARNINGS) == ["b/*.py"]


@pytest.mark.parametrize("version", range(OLDEST, latest() + 1))
def test_every_question_is_answered_from_the_oldest_schema_on(version: int, tmp_path: Path):
    """A file that no writer has opened since an update has the tables that are asked."""
    old_files.make(version, tmp_path / "memory.db")
    with looked(tmp_path) as found:
        assert [note.id for note in found.about(["src/users.py"], WARNINGS)] == ["m-one"]
        assert found.trial() == ("salt", 0)
        found.threshold()
        found.triggered([("program", "git")])
        found.patterns(WARNINGS)
        found.partners("src/users.py", 1, 0.1, 0.1)
        found.saying("checked id", 3)
        found.effects("file")
        found.held_last(["m-one"])
        found.counts()
        found.spoke(1)


def test_it_loads_little():
    """Nothing but the driver, what a named tuple takes, and what triggers are."""
    code = "import sys, remora.store.hook_reader as _; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = [name.removeprefix("remora.") for name in done.stdout.split() if name.startswith("remora.")]
    assert sorted(ours) == ["core", "core.triggers", "store", "store.hook_reader"]
