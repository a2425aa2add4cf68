"""The newest schema against the one that the design lists: nothing is missing but what is named here.

The design's schema serves many projects in one database; ours has a database for each project.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from remora.store import migrations
from remora.store.connection import APPLICATION_ID

MODULES_PAGE = Path(__file__).parents[2] / "docs" / "modules.md"
DESIGNED = {
    "memories": """id TEXT, type TEXT, content TEXT, confidence REAL, tags TEXT, related_files TEXT,
        related_modules TEXT, created_at TEXT, last_accessed_at TEXT, access_count INTEGER, session_id TEXT,
        commit_sha TEXT, scope TEXT, work_unit_ref TEXT, methodology TEXT, source TEXT, target_node_id TEXT,
        impacted_node_ids TEXT, relations TEXT, decay_half_life_days REAL, provenance_session_ids TEXT,
        needs_review INTEGER, user_verified INTEGER, citation_text TEXT, pinned INTEGER, deprecated INTEGER,
        deprecated_at TEXT, stale_at TEXT, project_id TEXT, trust_level_scope TEXT, chunk_type TEXT,
        chunk_start_line INTEGER, chunk_end_line INTEGER, context_prefix TEXT, embedding_model_id TEXT""",
    "memory_embeddings": "memory_id TEXT, embedding BLOB, model_id TEXT, dims INTEGER, created_at TEXT",
    "memories_fts": "memory_id, content, tags, related_files",
    "embedding_cache": "key TEXT, embedding BLOB, model_id TEXT, dims INTEGER, expires_at INTEGER",
    "observer_file_nodes": """file_path TEXT, project_id TEXT, access_count INTEGER, last_accessed_at TEXT,
        session_count INTEGER""",
    "observer_co_access_edges": """file_a TEXT, file_b TEXT, project_id TEXT, weight REAL, raw_count INTEGER,
        session_count INTEGER, avg_time_delta_ms REAL, directional INTEGER, task_type_breakdown TEXT,
        last_observed_at TEXT, promoted_at TEXT""",
    "observer_error_patterns": """id TEXT, project_id TEXT, tool_name TEXT, error_fingerprint TEXT,
        error_message TEXT, occurrence_count INTEGER, last_seen_at TEXT, resolved_how TEXT, sessions TEXT""",
    "observer_module_session_counts": "module TEXT, project_id TEXT, count INTEGER",
    "observer_synthesis_log": """module TEXT, project_id TEXT, trigger_count INTEGER, synthesized_at INTEGER,
        memories_generated INTEGER""",
    "graph_nodes": """id TEXT, project_id TEXT, type TEXT, label TEXT, file_path TEXT, language TEXT,
        start_line INTEGER, end_line INTEGER, layer INTEGER, source TEXT, confidence TEXT, metadata TEXT,
        created_at INTEGER, updated_at INTEGER, stale_at INTEGER, associated_memory_ids TEXT""",
    "graph_edges": """id TEXT, project_id TEXT, from_id TEXT, to_id TEXT, type TEXT, layer INTEGER,
        weight REAL, source TEXT, confidence REAL, metadata TEXT, created_at INTEGER, updated_at INTEGER,
        stale_at INTEGER""",
    "graph_closure": """ancestor_id TEXT, descendant_id TEXT, depth INTEGER, path TEXT, edge_types TEXT,
        total_weight REAL""",
    "graph_index_state": """project_id TEXT, last_indexed_at INTEGER, last_commit_sha TEXT,
        node_count INTEGER, edge_count INTEGER, stale_edge_count INTEGER, index_version INTEGER""",
    "scip_symbols": "symbol_id TEXT, node_id TEXT, project_id TEXT",
}
ONE_PROJECT = "a database holds one project"
WHOLE_NUMBERS = "over text ids the closure alone was ten times the size; `key` is the lasting name of a node"
LEFT_OUT = {
    "graph_nodes.project_id": ONE_PROJECT,
    "graph_edges.project_id": ONE_PROJECT,
    "graph_index_state.project_id": ONE_PROJECT,
    "scip_symbols.project_id": ONE_PROJECT,
    "graph_nodes.associated_memory_ids": "memories name their node and files; a second list could disagree",
    "graph_edges.id": "two nodes, a type and a source name an edge",
    "graph_edges.created_at": "edges are made again whenever a file is read again; nothing asks when first",
    "graph_edges.stale_at": "an edge is stale while the file where it starts is",
    "observer_co_access_edges.task_type_breakdown": "nothing filled it",
    "observer_co_access_edges.promoted_at": "nothing filled it: a memory names the files itself",
    "graph_closure.path": "a row is one step; impact analysis walks on and names the path",
}
OTHER_TYPE = {
    "graph_nodes.id": ("INTEGER", WHOLE_NUMBERS),
    "graph_edges.from_id": ("INTEGER", WHOLE_NUMBERS),
    "graph_edges.to_id": ("INTEGER", WHOLE_NUMBERS),
    "graph_closure.ancestor_id": ("INTEGER", WHOLE_NUMBERS),
    "graph_closure.descendant_id": ("INTEGER", WHOLE_NUMBERS),
    "scip_symbols.node_id": ("INTEGER", WHOLE_NUMBERS),
    "graph_nodes.confidence": ("REAL", "a number, as that of edges, so that the two can be multiplied"),
}


def designed() -> dict[str, str]:
    """Return the designed type of each column, by "table.column"."""
    found = {}
    for table, columns in DESIGNED.items():
        for column in columns.split(","):
            name, _, kind = column.strip().partition(" ")
            found[f"{table}.{name}"] = kind
    return found


@pytest.fixture(scope="module")
def ours() -> Iterator[dict[str, str]]:
    """The declared type of each column of the newest schema, by "table.column"."""
    connection = apsw.Connection(":memory:")
    migrations.run(connection, Path("memory"), APPLICATION_ID)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type <> 'index'")]
    yield {
        f"{table}.{row[1]}": row[2]
        for table in tables
        for row in connection.execute(f"PRAGMA table_info({table})")
    }
    connection.close()


def test_every_designed_column_is_there(ours: dict[str, str]):
    """A designed table, or a column of it, is missing only where a reason is named here."""
    assert sorted(column for column in designed() if column not in ours) == sorted(LEFT_OUT)


def test_designed_columns_have_the_designed_types(ours: dict[str, str]):
    """A column holds what the design says it holds, but for the exceptions named here."""
    other = {
        column: ours[column] for column, kind in designed().items() if column in ours and ours[column] != kind
    }
    assert other == {column: kind for column, (kind, _) in OTHER_TYPE.items()}


def test_every_exception_is_explained():
    """What differs from the design is named in the documentation of the tables."""
    told = MODULES_PAGE.read_text("utf-8").partition("## Tables")[2]
    for column in {*LEFT_OUT, *OTHER_TYPE}:
        assert f"`{column.partition('.')[2]}`" in told, column
