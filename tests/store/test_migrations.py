"""Files of every earlier version come to the newest schema with all that was in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

import apsw
import pytest

from remora.core.code import Chunk
from remora.core.text import content_hash
from remora.core.values import Filters, Origin, Relation, Taint, WorkUnitRef
from remora.store import migrations
from remora.store.connection import APPLICATION_ID, Connection, earlier_files
from remora.store.graph import NewFile
from remora.store.history import CommitRow
from tests.store import old_files
from tests.store.makers import at_once, database, files_of, sql

VERSIONS = range(1, migrations.latest() + 1)
BLOB = bytes.fromhex("003c0000")  # as float16 what was float32
# Tables whose rows do not stay as they are, by the version that made them anew, and why.
MADE_ANEW = {
    "memory_cues": 17,  # made anew from the memories, as triggers
    "quote_triggers": 27,  # quotes are found by search alone
    "memory_bands": 29,  # near duplicates are found by full-text search
    **dict.fromkeys(("embeddings", "embedding_cache"), 26),  # half as long; empty
    "memory_embeddings": 2,  # a view of `embeddings` since; another test looks there
    **dict.fromkeys(  # nothing read the graph before, and its ids were texts
        ("graph_nodes", "graph_edges", "graph_closure", "scip_symbols"), 7
    ),
}
NEW = {"device": 21, "upgraded": 21, "trial.salt": 24}  # keys that every store got, and with what version
DROPPED = {
    "graph_edges.stale_at",  # the node of a file is stale, and so what starts in it
    "observer_co_access_edges.task_type_breakdown",  # neither was ever filled
    "observer_co_access_edges.promoted_at",
}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Callable[[int], Path]:
    """Return the file of a version after it came to the newest schema, made once; copy it to write to it."""
    folder = tmp_path_factory.mktemp("migrated")

    @cache
    def made(version: int) -> Path:
        path: Path = folder / f"{version}.db"
        old_files.make(version, path)
        Connection.open(path).close()
        return path

    return made


@pytest.fixture(params=VERSIONS, scope="module")
def old(request, migrated):
    """A file of each version that came to the newest schema; only read it."""
    with database(migrated(request.param)) as db:
        yield db, request.param


def test_every_version_is_numbered_and_has_a_hash():
    """Migrations are numbered from 1; a new one comes with a hash (`python -m tests.store.old_files`)."""
    assert [number for number, _ in migrations.scripts()] == list(VERSIONS)
    assert list(old_files.hashes()) == list(VERSIONS)


def test_a_new_file_is_what_the_migrations_make(tmp_path: Path):
    """The one file of today's schema makes the same tables and rows, but for what is random."""
    assert old_files.NEWEST.read_text("utf-8") == old_files.newest()
    by_steps, new = old_files.migrated(migrations.latest()), apsw.Connection(str(tmp_path / "new.db"))
    migrations.run(new, tmp_path / "new.db", APPLICATION_ID)
    assert old_files.schema(new) == old_files.schema(by_steps)
    for pragma in ("user_version", "application_id"):
        assert list(new.execute(f"PRAGMA {pragma}")) == list(by_steps.execute(f"PRAGMA {pragma}"))
    kept, made = contents(by_steps), contents(new)
    for found in (kept, made):
        assert [row["key"] for row in found.pop("meta")] == ["device", "trial.salt"]
    assert made == kept
    new.close()
    by_steps.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_landed_migrations_are_not_edited(version: int, tmp_path: Path):
    """The migrations still make what they made when each landed: schema and rows, in every table."""
    assert old_files.hash_of(version) == old_files.hashes()[version]
    old_files.make(version, tmp_path / "memory.db")
    empty = [table for table, rows in contents_of(tmp_path / "memory.db").items() if not rows]
    assert empty == (["graph_index_state"] if version < 7 else [])
    assert sql(tmp_path / "memory.db", "PRAGMA user_version") == [(version,)]


def test_old_file_is_sound_and_newest(old):
    """Opening brings a file to the newest schema, in WAL, and every check passes."""
    db, _ = old
    assert db.connection.schema() == migrations.latest()
    assert db.connection.value("PRAGMA journal_mode") == "wal"
    assert db.connection.check() == []


def test_old_memories_keep_every_field(old):
    """What a memory of version 1 said is what it says now; what came later has its default.

    What version 2 added is read back: branch, ancestry, taint, payload, origins, redactions.
    """
    db, version = old
    found = db.memories.get("m-one")
    assert (found.type, found.confidence) == ("gotcha", 0.9)
    assert found.content == "Call getUserById with a checked id"
    assert (found.tags, found.related_modules) == (("auth", "users"), ("auth",))
    assert found.related_files == ("src/users.py", "src/auth/**")
    assert (found.created_at, found.access_count) == ("2025-11-01T08:00:00.000Z", 3)
    assert (found.scope, found.source, found.session_id) == ("module", "user_taught", "s-1")
    assert found.work_unit_ref == WorkUnitRef("native", ("042", "3"), "Spec 042 / Subtask 3")
    assert found.relations == (Relation("required_with", None, "src/db.py", 0.7, auto_extracted=True),)
    assert (found.user_verified, found.pinned, found.decay_half_life_days) == (True, True, 60.0)
    assert (found.derived_from, found.origins, found.taint, found.redaction_count) == ((), (), None, 0)
    forgotten = db.memories.get("m-two")
    assert (forgotten.deprecated, forgotten.deprecated_at) == (True, "2025-11-04T08:00:00.000Z")
    assert forgotten.needs_review
    expected = {"m-one", "m-three"} | ({"m-four"} if version >= 2 else set())
    assert db.memories.ids_passing(Filters(branch="*")) == expected
    if version < 2:
        assert db.memories.get("m-four") is None
        return
    found = db.memories.get("m-four")
    assert (found.branch, found.derived_from, found.redaction_count) == ("topic", ("m-one",), 1)
    assert found.taint == Taint("web_fetch", 4)
    assert found.payload == {"approach_tried": "regex", "why_it_failed": "folding"}
    assert found.origins == (Origin("agent_explicit", "2025-12-01T08:00:00.000Z", path="notes.md", line=3),)
    assert db.memories.with_external_id("ext-4") == found
    assert db.memories.dependents("m-one") == ["m-four"]
    assert db.meta.get("embedding.model") == "onnx:a:2"


def test_old_embeddings_move(old):
    """Vectors of version 1 stand in the one table, and in a view; live memories wait for one of today."""
    db, version = old
    rows = "SELECT owner_id, part, embedding FROM embeddings WHERE owner_kind = 'memory'"
    assert db.connection.rows(f"{rows} AND model_id = 'onnx:a:2'") == [("m-one", 0, BLOB)]
    seen = db.connection.rows("SELECT memory_id, embedding, dims FROM memory_embeddings")
    assert seen == [("m-one", BLOB, 2)]
    assert bool(db.cache.get_many(["k1"], 0)) == (version >= 26)  # emptied: a cache only saves time
    waiting = {owner for _, kind, owner in db.vectors.pending(10) if kind == "memory"}
    assert {"m-one", "m-three"} <= waiting


def test_old_memories_are_found_by_parts_of_names(old):
    """Names in parts, CJK pairs and words beside CJK signs find memories that version 1 wrote."""
    db, version = old
    assert [i for i, _ in db.fulltext.memories(["checked"], Filters(), 5)] == ["m-one"]
    if version == 1:  # later versions' rows were written with the terms of their writer
        assert [i for i, _ in db.fulltext.memories(["user"], Filters(), 5)] == ["m-one"]
        assert [i for i, _ in db.fulltext.memories(["据库"], Filters(), 5)] == ["m-three"]
        assert [i for i, _ in db.fulltext.memories(["jwt"], Filters(), 5)] == ["m-three"]


def test_old_memories_get_what_later_ones_have(old):
    """A date of change, which is when they were made; a hash that tells duplicates; files and globs."""
    db, version = old
    if version == 1:  # later versions' rows were written with the hash of their writer
        text = "Call getUserById with a checked id"
        assert db.memories.get_many(["m-one"])["m-one"].updated_at == "2025-11-01T08:00:00.000Z"
        assert [m.id for m in db.memories.with_hash(content_hash(text.upper()))] == ["m-one"]
    assert [m.id for m in db.memories.on_files(["src/users.py"], Filters(), 5)] == ["m-one"]
    assert [m.id for m in db.memories.on_files(["src/auth/jwt.py"], Filters(), 5)] == ["m-one"]


def test_old_observer_and_history_rows_stay(old):
    """What was seen of files, in sessions and in git, is kept as it was."""
    db, version = old
    assert db.history.co_access(["src/db.py"], 0.3, 5) == [("src/db.py", "src/users.py", 0.6)]
    assert db.connection.value("SELECT count(*) FROM observer_file_nodes") == 1
    if version >= 3:
        assert db.history.counts() == (2, 1)
        assert db.history.seen("rule") == {"h1": ("m-one", ("CLAUDE.md:4",))}
    if version >= 4:
        assert db.turns.read_to("cli:1") == 120
        assert [i for i, _ in db.fulltext.turns(["config"], 5)] == [1]
        assert db.turns.get_many([1])[1].at == "2025-12-02T08:00:00.000Z"
        assert sorted(i for i, _ in db.fulltext.turn_windows(["settings"], 5)) == [1, 2]


def test_old_commits_are_found(old):
    """What version 8 kept of commits is read back whole, and found by its words and parts of names."""
    db, version = old
    if version < 8:
        assert db.commits.count() == 0
        return
    assert db.commits.get_many([1, 2]) == {
        1: CommitRow(
            "abc123",
            5,
            "2025-11-01T08:00:00.000Z",
            "fix: parseConfig dropped the last line",
            "It stopped at the newline.",
            ("src/db.py", "src/users.py"),
        ),
        2: CommitRow("def456", 6, "2025-12-01T08:00:00.000Z", "Add users", "", ("src/users.py",)),
    }
    assert [i for i, _ in db.commits.search(["config", "newline"], 5)] == [1]
    assert [i for i, _ in db.commits.search(["users"], 5)] == [2]


@pytest.mark.parametrize("version", VERSIONS)
def test_old_rows_stay(version: int, migrated: Callable[[int], Path], tmp_path: Path):
    """Every row of every table is there after the migrations, with what each of its columns held."""
    old_files.make(version, tmp_path / "memory.db")
    before, after = contents_of(tmp_path / "memory.db"), contents_of(migrated(version))
    for table, found in before.items():
        if version < MADE_ANEW.get(table, 0):
            continue
        columns = {c for c in (found[0] if found else ()) if f"{table}.{c}" not in DROPPED}
        assert table in after
        kept, held = ([{c: row[c] for c in columns} for row in rows] for rows in (after[table], found))
        kept = [row for row in kept if version >= NEW.get(str(row.get("key")), 0)]
        assert kept == held, table


def contents(connection: apsw.Connection) -> dict[str, list[dict[str, object]]]:
    """Return the rows of every table by column; a contentless index gives its row ids with nothing else."""
    found: dict[str, list[dict[str, object]]] = {}
    for kind, table in old_files.schema(connection):
        if kind == "table":
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            rows = connection.execute(f"SELECT * FROM {table}")
            found[table] = [dict(zip(names, row, strict=True)) for row in rows]
    return found


def contents_of(path: Path) -> dict[str, list[dict[str, object]]]:
    """Return the rows of every table of a file."""
    with closing(apsw.Connection(str(path))) as connection:
        return contents(connection)


def test_graph_of_an_older_schema_is_dropped(old):
    """Before version 7 nothing read the graph, and its text ids are gone; from then on it is kept."""
    db, version = old
    names = ("nodes", "edges", "closure", "files", "names", "index_state")
    tables = [*(f"graph_{name}" for name in names), "scip_symbols", "code_chunks", "code_chunk_queue"]
    counted = [db.connection.value(f"SELECT count(*) FROM {table}") for table in tables]
    if version < 7:
        assert counted == [0] * 9
        assert db.graph.state() is None
        return
    assert counted == [3, 2, 1, 2, 1, 1, 1, 1, 1]
    assert [edge.from_id for edge in db.closure.users([2])] == [1]
    assert [i for i, _ in db.chunks.search(["connect"], 5)] == [1]


@pytest.mark.parametrize("version", VERSIONS)
def test_old_file_can_be_written_to(version: int, migrated: Callable[[int], Path], tmp_path: Path):
    """A migrated file takes new rows and a new graph for the one it had, and its indexes follow."""
    new = NewFile("a.py", "code", "python", "", "", False, 1, 2, "h", 3, 0)
    with database(Path(shutil.copy(migrated(version), tmp_path))) as db:
        with db.connection.transaction():
            db.graph.clear()
            file_id = db.graph.put_file(new, 1)
            db.graph.put_nodes(new, (), 1)
            db.chunks.put(file_id, "a.py", [Chunk("module", "", 1, 3, "x = 1", "File: a.py")])
            db.memories.update("m-three", {"content": "plain words"})
            db.memories.delete(["m-two"])
        assert db.graph.counts() == (1, 0, 0)
        assert list(db.graph.files()) == ["a.py"]
        assert db.chunks.count() == db.chunks.pending_count() == 1
        assert [i for i, _ in db.fulltext.memories(["plain"], Filters(), 5)] == ["m-three"]
        assert db.connection.check() == []


def test_opening_again_changes_nothing(tmp_path: Path):
    """A file of the newest schema is opened as it is."""
    old_files.make(migrations.latest(), tmp_path / "memory.db")
    Connection.open(tmp_path / "memory.db").close()
    before = files_of(tmp_path)
    Connection.open(tmp_path / "memory.db").close()
    assert files_of(tmp_path) == before


def test_failed_migration_leaves_the_version_before(tmp_path: Path):
    """A migration that fails is undone whole; what ran before it stays."""
    path = tmp_path / "memory.db"
    old_files.make(1, path)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE memory_files(x)")  # migration 2 makes a table of this name
        before = list(connection.execute("SELECT * FROM memories"))
        with pytest.raises(apsw.SQLError, match="memory_files"):
            migrations.run(connection, path, APPLICATION_ID)
        assert migrations.version(connection) == 1
        assert list(connection.execute("SELECT * FROM memories")) == before


def test_two_connections_migrate_one_old_file(tmp_path: Path):
    """Several openings of an old file at the same moment bring it up once."""
    path = tmp_path / "memory.db"
    old_files.make(1, path)
    at_once(lambda: Connection.open(path).close())
    connection = Connection.open(path)
    assert connection.schema() == migrations.latest()
    assert connection.check() == []
    connection.close()


def test_the_file_before_a_migration_is_kept_until_the_next_or_a_deletion(tmp_path: Path):
    """One kept file at a time; it goes when something is deleted for good."""
    path = tmp_path / "memory.db"
    Connection.open(path).close()
    assert earlier_files(path) == [], "there was none before"
    path.unlink()
    (tmp_path / "memory.db.before-0003").write_bytes(b"old")
    old_files.make(12, path)
    with database(path) as db:
        (kept,) = earlier_files(path)
        assert kept.name == "memory.db.before-0012"
        assert kept.stat().st_mode & 0o077 == 0
        assert sql(kept, "PRAGMA user_version") == [(12,)]
        assert sql(kept, "SELECT count(*) > 0 FROM memories") == [(1,)]
        assert db.connection.scrub()
        assert earlier_files(path) == []
