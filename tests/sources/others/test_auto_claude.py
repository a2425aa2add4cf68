"""Auto Claude's database: memories come over field by field, the rest of it is counted and named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw

from remora.core.values import MEMORY_TYPES, Relation, WorkUnitRef
from remora.sources.others import auto_claude
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found, Link
from remora.store.connection import Connection
from tests.helpers import files
from tests.sources.others.looks import check, counts, why

# Section 17 of the specification, without the indexes and the tables that say nothing here.
SCHEMA = """
CREATE TABLE memories (
  id TEXT PRIMARY KEY, type TEXT NOT NULL, content TEXT NOT NULL, confidence REAL NOT NULL DEFAULT 0.8,
  tags TEXT NOT NULL DEFAULT '[]', related_files TEXT NOT NULL DEFAULT '[]',
  related_modules TEXT NOT NULL DEFAULT '[]', created_at TEXT NOT NULL, last_accessed_at TEXT NOT NULL,
  access_count INTEGER NOT NULL DEFAULT 0, session_id TEXT, commit_sha TEXT,
  scope TEXT NOT NULL DEFAULT 'global', work_unit_ref TEXT, methodology TEXT,
  source TEXT NOT NULL DEFAULT 'agent_explicit', target_node_id TEXT, impacted_node_ids TEXT DEFAULT '[]',
  relations TEXT NOT NULL DEFAULT '[]', decay_half_life_days REAL, provenance_session_ids TEXT DEFAULT '[]',
  needs_review INTEGER NOT NULL DEFAULT 0, user_verified INTEGER NOT NULL DEFAULT 0, citation_text TEXT,
  pinned INTEGER NOT NULL DEFAULT 0, deprecated INTEGER NOT NULL DEFAULT 0, deprecated_at TEXT, stale_at TEXT,
  project_id TEXT NOT NULL, trust_level_scope TEXT DEFAULT 'personal', chunk_type TEXT,
  chunk_start_line INTEGER, chunk_end_line INTEGER, context_prefix TEXT, embedding_model_id TEXT
);
CREATE TABLE memory_embeddings (
  memory_id TEXT PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE, embedding BLOB NOT NULL,
  model_id TEXT NOT NULL, dims INTEGER NOT NULL DEFAULT 1024, created_at TEXT NOT NULL
);
CREATE VIRTUAL TABLE memories_fts USING fts5(
  memory_id UNINDEXED, content, tags, related_files, tokenize='porter unicode61'
);
CREATE TABLE observer_file_nodes (
  file_path TEXT PRIMARY KEY, project_id TEXT NOT NULL, access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT NOT NULL, session_count INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE graph_nodes (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL, type TEXT NOT NULL, label TEXT NOT NULL
);
"""


def row(**changes: Any) -> dict[str, Any]:
    """Return a memory as Auto Claude stores it."""
    at = "2026-03-01T10:00:00.000Z"
    return {
        "id": "m1",
        "type": "gotcha",
        "content": "Tokens expire after 24 h.",
        "created_at": at,
        "last_accessed_at": at,
        "project_id": "p1",
    } | changes


def make(path: Path, *rows: dict[str, Any], schema: str = SCHEMA) -> Path:
    """Make a database in WAL mode, as Auto Claude does."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = wal").fetchall()
    connection.execute(schema)
    with connection:
        for one in rows:
            marks = ", ".join("?" * len(one))
            connection.execute(f"INSERT INTO memories({', '.join(one)}) VALUES({marks})", tuple(one.values()))
    connection.close()
    return path


def read(tmp_path: Path, *rows: dict[str, Any], project: str | None = None) -> Found:
    """Make a database and read it, twice: it is the same and leaves no trace."""
    path = make(tmp_path / "memory.db", *rows)
    before = files(tmp_path)
    found = check(auto_claude.read(path, project=project))
    assert auto_claude.read(path, project=project) == found
    assert files(tmp_path) == before
    return found


def test_a_memory_comes_over_field_by_field(tmp_path: Path) -> None:
    """All that Remora has a place for is kept; that a user verified it is a tag, not a fact."""
    whole = row(
        confidence=0.9, tags='["auth", 7]', related_files='["src/auth.py"]', related_modules='["auth"]',
        session_id="s1", commit_sha="abc", scope="work_unit", methodology="bmad", source="user_taught",
        work_unit_ref='{"methodology": "bmad", "hierarchy": ["epic-1", "story-2"], "label": "Story 2"}',
        target_node_id="n1", impacted_node_ids='["n2"]', decay_half_life_days=60.0, needs_review=1,
        user_verified=1, citation_text="24 h", pinned=1, chunk_type="function", chunk_start_line=3,
        chunk_end_line=9, context_prefix="auth",
        relations=json.dumps([
            {"targetFilePath": "a.py", "relationType": "required_with", "confidence": 0.7},
            {"targetMemoryId": "m2", "relationType": "validates"},
            {"targetMemoryId": "gone", "relationType": "validates"},
            {"targetMemoryId": "m2", "relationType": "likes"},
        ]),
    )  # fmt: skip
    found = read(tmp_path, whole, row(id="m2", content="Other."))
    draft = found.drafts[0]
    assert draft._asdict() | {"content": "", "tags": ()} == {
        **draft._asdict(), "content": "", "tags": (), "type": "gotcha", "source": "user_taught",
        "scope": "work_unit", "confidence": 0.9, "related_files": ("src/auth.py",),
        "related_modules": ("auth",), "session_id": "s1", "commit_sha": "abc", "methodology": "bmad",
        "decay_half_life_days": 60.0,
        "work_unit_ref": WorkUnitRef("bmad", ("epic-1", "story-2"), "Story 2"),
        "relations": (Relation("required_with", None, "a.py", 0.7, False),),
        "needs_review": True, "user_verified": False, "pinned": True, "citation_text": "24 h",
        "chunk_type": "function", "chunk_start_line": 3, "chunk_end_line": 9, "context_prefix": "auth",
        "target_node_id": "n1", "impacted_node_ids": ("n2",), "external_id": "auto-claude:m1",
        "created_at": "2026-03-01T10:00:00.000Z", "origin_path": "memory.db",
    }  # fmt: skip
    assert draft.tags == ("from:auto-claude", "auth", "project:p1", "was-verified")
    assert found.links == (Link("auto-claude:m1", "validates", "auto-claude:m2"),)


def test_all_types_are_the_same_here(tmp_path: Path) -> None:
    """Sixteen types map one to one."""
    found = read(tmp_path, *(row(id=f"m{number:02}", type=kind) for number, kind in enumerate(MEMORY_TYPES)))
    assert [draft.type for draft in found.drafts] == list(MEMORY_TYPES)


def test_unknown_words_become_known_ones(tmp_path: Path) -> None:
    """A type, a source and a scope that nobody knows are replaced, and the type is said."""
    found = read(tmp_path, row(type="convention", source="martian", scope="galaxy", decay_half_life_days=-1))
    (draft,) = found.drafts
    assert (draft.type, draft.source, draft.scope) == ("pattern", "mcp_auto", "global")
    assert draft.decay_half_life_days is None
    assert "type:convention" in draft.tags
    assert found.remarks == ("memories of unknown types were imported as patterns: convention",)


def test_deprecated_memories_stay_behind(tmp_path: Path) -> None:
    """What was given up there is counted, not taken."""
    found = read(tmp_path, row(), row(id="m2", deprecated=1), row(id="m3", deprecated=1))
    assert counts(found)["memories"] == (3, 1, 2)
    assert set(why(found).values()) == {"deprecated"}


def test_other_tables_are_named_with_their_size(tmp_path: Path) -> None:
    """Embeddings, the index, what the observer counted and the graph are not taken, and it says so."""
    schema = (
        SCHEMA
        + """
        INSERT INTO memory_embeddings VALUES('m1', x'00', 'model', 1024, '');
        INSERT INTO memories_fts VALUES('m1', 'Tokens', '', '');
        INSERT INTO observer_file_nodes VALUES('a', 'p1', 1, '', 1), ('b', 'p1', 1, '', 1);
        INSERT INTO graph_nodes VALUES('n', 'p1', 'file', 'a');
        CREATE TABLE else_where(x); INSERT INTO else_where VALUES(1);
    """
    )
    make(tmp_path / "memory.db", row(), schema=schema)
    found = check(auto_claude.read(tmp_path))
    assert counts(found)["rows"] == (6, 0, 6)
    assert why(found) == {
        "memory.db: 1 rows of else_where": "an unknown table",
        "memory.db: 1 rows of graph_nodes": "the code graph is rebuilt from the project",
        "memory.db: 1 rows of memories_fts": "the full-text index is rebuilt",
        "memory.db: 1 rows of memory_embeddings": "embeddings are recomputed by the current model",
        "memory.db: 2 rows of observer_file_nodes": "the observer's counts are not imported",
    }


def test_one_project_can_be_chosen(tmp_path: Path) -> None:
    """Without a choice all projects come over, tagged and counted; with one the others stay behind."""
    rows = (row(), row(id="m2", project_id="p2"), row(id="m3", project_id="p2"))
    everything = read(tmp_path, *rows)
    assert everything.remarks == ("memories of several projects: p1 (1), p2 (2)",)
    assert [draft.tags[-1] for draft in everything.drafts] == ["project:p1", "project:p2", "project:p2"]
    (tmp_path / "memory.db").unlink()
    chosen = read(tmp_path, *rows, project="p2")
    assert [draft.external_id for draft in chosen.drafts] == ["auto-claude:m2", "auto-claude:m3"]
    assert set(why(chosen).values()) == {"of another project"}


def test_bad_rows_cost_only_themselves(tmp_path: Path) -> None:
    """JSON that is none, text that is none, an empty or endless content are no trouble."""
    found = read(
        tmp_path,
        row(id="a", tags="{", related_files="7", relations="[1]", work_unit_ref="[]", confidence="high"),
        row(id="b", content=""),
        row(id="c", content="x" * 30_000),
        row(id="d", content=b"\xff"),
        row(id="e", content="\u202e \x00"),
        row(id="f", created_at="yesterday", confidence=7.5),
    )
    assert [(d.external_id, d.confidence, d.created_at is None) for d in found.drafts] == [
        ("auto-claude:f", 1.0, True),
        ("auto-claude:a", 0.5, False),
    ]
    assert [(entry.name, len(entry.content)) for entry in found.entries] == [("auto-claude:c", 30_000)]
    assert why(found) == {
        "memory.db:2": "no id, or no text",
        "memory.db:3": "longer than 20,000 characters; imported as a note",
        "memory.db:4": "no id, or no text",
        "memory.db:5": "contains no text",
    }


def test_an_older_schema_is_read(tmp_path: Path) -> None:
    """Columns that a version lacks are left at their defaults; without the essential ones it is refused."""
    few = f"CREATE TABLE memories({', '.join(auto_claude.REQUIRED)})"
    make(tmp_path / "a.db", {k: v for k, v in row().items() if not k.endswith("_at")}, schema=few)
    assert check(auto_claude.read(tmp_path / "a.db")).drafts[0].created_at is None
    make(tmp_path / "b.db", schema="CREATE TABLE memories(id, content)")
    found = check(auto_claude.read(tmp_path / "b.db"))
    assert why(found) == {"b.db": "the table memories has no column type"}


def test_a_damaged_database_gives_what_can_be_read(tmp_path: Path) -> None:
    """Rows before the damage come over; a file that is no database at all is named."""
    path = make(tmp_path / "memory.db", *(row(id=f"m{n:04}", content="word " * 100) for n in range(400)))
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2 // 4096 * 4096
    raw[middle : middle + 8192] = b"\xff" * 8192
    path.write_bytes(raw)
    found = check(auto_claude.read(path))
    assert 0 < len(found.drafts) < 400
    reason = why(found)["memory.db: the table of memories"]
    assert reason == "damaged, or not a SQLite database; the rest was not read"
    path.write_bytes(b"SQLite format 3\x00")
    assert why(check(auto_claude.read(path))) == {"memory.db": "damaged, or not a SQLite database"}


def test_only_its_own_databases_are_known(tmp_path: Path) -> None:
    """Remora's database has such a table too, and is not Auto Claude's; nor is any other."""
    (tmp_path / "theirs").mkdir()
    make(tmp_path / "theirs" / "memory.db", row())
    assert detect(tmp_path / "theirs") == ["auto-claude"]
    assert detect(tmp_path / "theirs" / "memory.db") == ["auto-claude"]
    Connection.open(tmp_path / "memory.db").close()
    make(tmp_path / "other.db", schema="CREATE TABLE memories(id, content)")
    assert detect(tmp_path) == []
