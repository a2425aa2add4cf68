"""Auto Claude's database: memories come over field by field, the rest of it is counted and named."""

from __future__ import annotations

import json
from collections.abc import Sequence
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

COLUMNS = """
    id type content confidence tags related_files related_modules created_at last_accessed_at session_id
    commit_sha scope work_unit_ref methodology source target_node_id impacted_node_ids relations
    decay_half_life_days needs_review user_verified citation_text pinned deprecated project_id chunk_type
    chunk_start_line chunk_end_line context_prefix
""".split()
OTHER_TABLES = """
    CREATE TABLE memory_embeddings(memory_id); INSERT INTO memory_embeddings VALUES('m1');
    CREATE VIRTUAL TABLE memories_fts USING fts5(content); INSERT INTO memories_fts VALUES('Tokens');
    CREATE TABLE observer_file_nodes(path); INSERT INTO observer_file_nodes VALUES('a'), ('b');
    CREATE TABLE graph_nodes(id); INSERT INTO graph_nodes VALUES('n');
    CREATE TABLE else_where(x); INSERT INTO else_where VALUES(1);
"""


def row(**changes: Any) -> dict[str, Any]:
    """Return a memory as Auto Claude stores it."""
    at = "2026-03-01T10:00:00.000Z"
    said = {"type": "gotcha", "content": "Tokens expire after 24 h.", "created_at": at}
    return {"id": "m1", **said, "last_accessed_at": at, "project_id": "p1"} | changes


def make(path: Path, *rows: dict[str, Any], columns: Sequence[str] = COLUMNS, more: str = "") -> Path:
    """Make a database in WAL mode, as Auto Claude does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = wal").fetchall()
    connection.execute(f"CREATE TABLE memories({', '.join(columns)}); {more}")
    with connection:
        for one in rows:
            marks = ", ".join("?" * len(one))
            connection.execute(f"INSERT INTO memories({', '.join(one)}) VALUES({marks})", tuple(one.values()))
    connection.close()
    return path


def read(path: Path, *rows: dict[str, Any], project: str | None = None, **form: Any) -> Found:
    """Make a database and read it, twice: it is the same and leaves no trace."""
    make(path, *rows, **form)
    before = files(path.parent)
    found = check(auto_claude.read(path, project=project))
    assert auto_claude.read(path, project=project) == found
    assert files(path.parent) == before
    return found


def test_a_memory_comes_over_field_by_field(tmp_path: Path) -> None:
    """All that Remora has a place for is kept; that a user verified it is a tag, not a fact."""
    same = {
        "type": "gotcha", "source": "user_taught", "scope": "work_unit", "confidence": 0.9,
        "session_id": "s1", "commit_sha": "abc", "methodology": "bmad", "decay_half_life_days": 60.0,
        "needs_review": True, "pinned": True, "citation_text": "24 h", "chunk_type": "function",
        "chunk_start_line": 3, "chunk_end_line": 9, "context_prefix": "auth", "target_node_id": "n1",
        "created_at": "2026-03-01T10:00:00.000Z",
    }  # fmt: skip
    relations = [
        {"targetFilePath": "a.py", "relationType": "required_with", "confidence": 0.7},
        {"targetMemoryId": "m2", "relationType": "validates"},
        {"targetMemoryId": "gone", "relationType": "validates"},
        {"targetMemoryId": "m2", "relationType": "likes"},
    ]
    whole = row(
        **same, tags='["auth", 7]', related_files='["src/auth.py"]', related_modules='["auth"]',
        work_unit_ref='{"methodology": "bmad", "hierarchy": ["epic-1", "story-2"], "label": "Story 2"}',
        impacted_node_ids='["n2"]', user_verified=1, relations=json.dumps(relations),
    )  # fmt: skip
    found = read(tmp_path / "memory.db", whole, row(id="m2", content="Other."))
    draft = found.drafts[0]._asdict()
    assert draft == draft | same | {
        "related_files": ("src/auth.py",), "related_modules": ("auth",), "impacted_node_ids": ("n2",),
        "work_unit_ref": WorkUnitRef("bmad", ("epic-1", "story-2"), "Story 2"),
        "relations": (Relation("required_with", None, "a.py", 0.7, False),), "user_verified": False,
        "tags": ("from:auto-claude", "auth", "project:p1", "was-verified"),
        "external_id": "auto-claude:m1", "origin_path": "memory.db",
    }  # fmt: skip
    assert found.links == (Link("auto-claude:m1", "validates", "auto-claude:m2"),)


def test_types_are_the_same_here(tmp_path: Path) -> None:
    """Sixteen types map one to one; another one is a pattern, which is said."""
    kinds = [*MEMORY_TYPES, "convention"]
    found = read(tmp_path / "memory.db", *(row(id=f"m{n:02}", type=kind) for n, kind in enumerate(kinds)))
    assert [draft.type for draft in found.drafts] == [*MEMORY_TYPES, "pattern"]
    assert "type:convention" in found.drafts[-1].tags
    assert found.remarks == ("memories of unknown types were imported as patterns: convention",)


def test_one_project_can_be_chosen(tmp_path: Path) -> None:
    """Without a choice all projects come over, tagged and counted; what stays is named with its size."""
    rows = (row(), row(id="m2", project_id="p2"), row(id="m3", project_id="p2"), row(id="m4", deprecated=1))
    everything = read(tmp_path / "memory.db", *rows, more=OTHER_TABLES)
    assert everything.remarks == ("memories of several projects: p1, p2",)
    assert [draft.tags[-1] for draft in everything.drafts] == ["project:p1", "project:p2", "project:p2"]
    assert counts(everything) == {"memories": (4, 3, 1), "rows": (5, 0, 5)}
    assert why(everything) == {
        "memory.db:4": "deprecated",
        "memory.db: 1 rows of else_where": "only memories are imported",
        "memory.db: 1 rows of graph_nodes": "only memories are imported",
        "memory.db: 1 rows of memory_embeddings": "only memories are imported",
        "memory.db: 2 rows of observer_file_nodes": "only memories are imported",
    }
    chosen = read(tmp_path / "again.db", *rows, project="p2")
    assert [draft.external_id for draft in chosen.drafts] == ["auto-claude:m2", "auto-claude:m3"]
    assert set(why(chosen).values()) == {"of another project"}


def test_bad_rows_cost_only_themselves(tmp_path: Path) -> None:
    """JSON that is none, text that is none, an empty or endless content are no trouble."""
    found = read(
        tmp_path / "memory.db",
        row(id="a", tags="{", related_files="7", relations="[1]", work_unit_ref="[]", confidence="high"),
        row(id="b", content=""),
        row(id="c", content="x" * 30_000),
        row(id="d", content=b"\xff"),
        row(id="e", content="\u202e \x00"),
        row(id="f", created_at="yesterday", confidence=7.5),
        row(id="g", content="Odd.", source="martian", scope="galaxy", decay_half_life_days=-1),
    )
    sure = {d.external_id: (d.confidence, d.created_at is None) for d in found.drafts[:2]}
    assert sure == {"auto-claude:f": (1.0, True), "auto-claude:a": (0.5, False)}
    odd = found.drafts[2]
    assert (odd.source, odd.scope, odd.decay_half_life_days) == ("mcp_auto", "global", None)
    assert [(entry.name, len(entry.content)) for entry in found.entries] == [("auto-claude:c", 30_000)]
    assert why(found) == {
        "memory.db:2": "no id, or no text",
        "memory.db:3": "longer than 20,000 characters; imported as a note",
        "memory.db:4": "no id, or no text",
        "memory.db:5": "contains no text",
    }


def test_an_older_schema_is_read(tmp_path: Path) -> None:
    """Columns that a version lacks are left at their defaults; without the essential ones it is refused."""
    few = {name: value for name, value in row().items() if name in auto_claude.REQUIRED}
    found = read(tmp_path / "old" / "a.db", few, columns=auto_claude.REQUIRED)
    assert [draft.created_at for draft in found.drafts] == [None]
    assert detect(tmp_path / "old" / "a.db") == detect(tmp_path / "old") == ["auto-claude"]
    found = read(tmp_path / "b.db", columns=("id", "content"))
    assert why(found) == {"b.db": "the table memories has no column type"}
    Connection.open(tmp_path / "remora.db").close()  # it has such a table, too
    assert detect(tmp_path) == []


def test_a_damaged_database_gives_what_can_be_read(tmp_path: Path) -> None:
    """Rows before the damage come over; a file that is no database at all is named."""
    path = make(tmp_path / "memory.db", *(row(id=f"m{n:04}", content="word " * 100) for n in range(400)))
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2 // 4096 * 4096
    raw[middle : middle + 8192] = b"\xff" * 8192
    path.write_bytes(raw)
    found = check(auto_claude.read(path))
    assert 0 < len(found.drafts) < 400
    assert why(found)["memory.db: the table of memories"] == "damaged; the rest was not read"
    path.write_bytes(b"SQLite format 3\x00")
    assert why(check(auto_claude.read(path))) == {"memory.db": "damaged, or cannot be read"}
