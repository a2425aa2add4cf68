"""Database files as each schema version wrote them: what its migrations make, and a few rows.

`versions.tsv` holds a hash of each, taken when the version landed: files that users have do not change
either. `python -m tests.store.old_files` adds the hash of a version that has none yet, and never touches
one that is there. It also writes `schema.sql`, which new files get.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import apsw

from remora.store import migrations
from remora.store.connection import APPLICATION_ID

HASHES = Path(__file__).with_name("versions.tsv")
NEWEST = Path(migrations.__file__).with_name("schema.sql")
_RANDOM = re.compile(r"^INSERT INTO meta\b[^;]*randomblob[^;]*", re.MULTILINE)  # rows of every new file

# Rows by the version that brought their tables; a version's file holds the rows of all before it too.
ROWS: dict[int, tuple[str, ...]] = {
    1: (
        """INSERT INTO memories(id, type, content, confidence, tags, related_files, related_modules,
             created_at, last_accessed_at, access_count, session_id, commit_sha, scope, work_unit_ref,
             methodology, source, relations, decay_half_life_days, provenance_session_ids, user_verified,
             citation_text, pinned, project_id) VALUES
           ('m-one', 'gotcha', 'Call getUserById with a checked id', 0.9, '["auth", "users"]',
             '["src/users.py", "src/auth/**"]', '["auth"]', '2025-11-01T08:00:00.000Z',
             '2025-11-02T08:00:00.000Z', 3, 's-1', 'abc123', 'module',
             '{"methodology": "native", "hierarchy": ["042", "3"], "label": "Spec 042 / Subtask 3"}',
             'native', 'user_taught', '[{"relation_type": "required_with", "target_file_path": "src/db.py",
             "confidence": 0.7, "auto_extracted": true}]', 60.0, '["s-1"]', 1, 'Call getUserById…', 1,
             'p1')""",
        """INSERT INTO memories(id, type, content, created_at, last_accessed_at, project_id, deprecated,
             deprecated_at, needs_review) VALUES
           ('m-two', 'decision', 'Use Redis for sessions', '2025-11-03T08:00:00.000Z',
             '2025-11-03T08:00:00.000Z', 'p1', 1, '2025-11-04T08:00:00.000Z', 1)""",
        """INSERT INTO memories(id, type, content, created_at, last_accessed_at, project_id) VALUES
           ('m-three', 'pattern', '数据库连接要用JWT', '2025-11-05T08:00:00.000Z',
             '2025-11-05T08:00:00.000Z', 'p1')""",
        """INSERT INTO embedding_cache VALUES
             ('k1', x'0000803f00000000', 'onnx:a:2', 2, 1893456000000)""",
        """INSERT INTO observer_file_nodes VALUES ('src/users.py', 'p1', 4, '2025-11-02T08:00:00.000Z', 2)""",
        """INSERT INTO observer_co_access_edges(file_a, file_b, project_id, weight, raw_count, session_count,
             last_observed_at) VALUES
           ('src/users.py', 'src/db.py', 'p1', 0.6, 5, 3, '2025-11-02T08:00:00.000Z')""",
        """INSERT INTO observer_error_patterns VALUES
           ('e-one', 'p1', 'Bash', 'f00d', 'No such table: users', 4, '2025-11-02T08:00:00.000Z',
             'ran the migrations', '["s-1", "s-2"]')""",
        """INSERT INTO observer_module_session_counts VALUES ('src', 'p1', 6)""",
        """INSERT INTO observer_synthesis_log VALUES ('src', 'p1', 5, 1762070400000, 2)""",
    ),
    2: (
        """INSERT INTO memories(id, type, content, tags, created_at, updated_at, last_accessed_at, project_id,
             branch, derived_from, taint, redaction_count, payload, origins, external_id, content_hash,
             search_terms) VALUES
           ('m-four', 'dead_end', 'parseHTTPHeader fails on folded lines', '["http"]',
             '2025-12-01T08:00:00.000Z', '2025-12-01T08:00:00.000Z', '2025-12-01T08:00:00.000Z', 'p1',
             'topic', '["m-one"]', '{"source": "web_fetch", "step": 4}', 1,
             '{"approach_tried": "regex", "why_it_failed": "folding"}',
             '[{"source": "agent_explicit", "at": "2025-12-01T08:00:00.000Z", "path": "notes.md",
             "line": 3}]', 'ext-4', 'aa11', 'parse http header')""",
        """INSERT INTO memory_bands VALUES (0, 17, 'm-four'), (1, 23, 'm-four')""",
        """INSERT INTO meta VALUES ('embedding.model', '"onnx:a:2"'), ('history.clock', '7')""",
    ),
    3: (
        """INSERT INTO git_files(path, present, commits, heat, reach, last_clock, first_date, last_date,
             authors, module, folder, stem) VALUES
             ('src/users.py', 1, 5, 2.0, 1.0, 6, '2025-01-01', '2025-12-01', '[["Ada", 5]]', 'src', 'src',
              'users'),
             ('src/db.py', 1, 2, 1.0, 0.5, 5, '2025-01-01', '2025-11-01', '[["Ada", 2]]', 'src', 'src',
              'db')""",
        """INSERT INTO git_file_words VALUES ('users', 'src/users.py'), ('db', 'src/db.py')""",
        """INSERT INTO git_pairs VALUES ('src/users.py', 'src/db.py', 1.5, 2, '2025-11-01'),
             ('src/db.py', 'src/users.py', 1.5, 2, '2025-11-01')""",
        """INSERT INTO source_items VALUES ('rule', 'h1', 'm-one', '["CLAUDE.md:4"]', '2025-12-01')""",
    ),
    4: (
        """INSERT INTO sessions VALUES ('cli:1', 'cli_1.jsonl', 120, 2, '2025-12-02T08:00:00.000Z')""",
        """INSERT INTO turns(session_id, seq, position, role, content, time, external_id, search_terms) VALUES
           ('cli:1', 1, 0, 'user', 'where is readConfig', '2025-12-02T08:00:00.000Z', 'D1:1', 'read config'),
           ('cli:1', 3, 1, 'assistant', 'in the settings module', NULL, 'D1:2', '')""",
    ),
    8: (
        """INSERT INTO git_commits(id, sha, clock, date, subject, body, files) VALUES
           (1, 'abc123', 5, '2025-11-01T08:00:00.000Z', 'fix: parseConfig dropped the last line',
             'It stopped at the newline.', '["src/db.py", "src/users.py"]'),
           (2, 'def456', 6, '2025-12-01T08:00:00.000Z', 'Add users', '', '["src/users.py"]')""",
        """INSERT INTO git_commits_fts(rowid, subject, body, terms) VALUES
           (1, 'fix: parseConfig dropped the last line', 'It stopped at the newline.', 'parse config'),
           (2, 'Add users', '', '')""",
    ),
    9: (
        """INSERT INTO note_files(path, seen) VALUES ('MEMORY.md', '1:2:3'), ('entries.mem', '4:5:6')""",
        """INSERT INTO notes(id, kind, path, name, start_line, end_line, time, content, search_terms) VALUES
           (1, 'longterm', 'MEMORY.md', '', 3, 5, NULL, 'The project uses readConfig', 'read config'),
           (2, 'note', 'entries.mem', 'deploy', NULL, NULL, '2025-12-03T08:00:00.000Z', 'on Fridays', '')""",
    ),
    10: (
        """INSERT INTO observer_sessions(id, host, seen, started_at, kind, outcome, steps, events, prompt,
             learned_at) VALUES ('claude-code:s1', 'claude-code', 'x', '2025-12-03T08:00:00.000Z', 'build',
             'success', 4, 20, 'fix the cache', '2025-12-04T08:00:00.000Z')""",
        """INSERT INTO observer_sessions_fts(rowid, prompt, summary, terms) VALUES
           (1, 'fix the cache', '', '')""",
        """INSERT INTO observer_session_files VALUES ('claude-code:s1', 'src/users.py', 2, 1, 1, 3, NULL)""",
        """INSERT INTO observer_session_pairs VALUES
           ('claude-code:s1', 'src/db.py', 'src/users.py', 2, 1500.0)""",
        """INSERT INTO observer_session_errors VALUES ('claude-code:s1', 'f00d', 'Bash', 'pytest',
             'No such table: users', 2, 1, 'ran the migrations', NULL, '{"steps": [1, 3]}')""",
        """INSERT INTO observer_session_commands VALUES ('claude-code:s1', 'pytest', 'test', 3, 1, 4)""",
        """INSERT INTO observer_session_sequences VALUES ('claude-code:s1', '["format", "test"]')""",
        """INSERT INTO observer_signals VALUES ('error_retry', 'f00d', 'claude-code:s1', 3, NULL,
             '["src/users.py"]', '{"times": 2}')""",
        """INSERT INTO learned VALUES (1, 'm-one', 'stored', 'error_retry in 2 sessions', 'Run it again',
             '2025-12-04T08:00:00.000Z')""",
    ),
    11: (
        """INSERT INTO memory_cues VALUES ('command', 'gh', 'm-one', '["pr"]', 2.0)""",
        """INSERT INTO injections(id, session_id, step, at, moment, trigger, about, memory_ids, text) VALUES
           (1, 'claude-code:s1', 3, '2025-12-05T08:00:00.000Z', 'before', 'gotchas', 'src/users.py',
            '["m-one"]', 'What earlier sessions learnt')""",
        """INSERT INTO injected_memories VALUES ('m-one', 1)""",
    ),
    13: ("""INSERT INTO scip_files VALUES ('src/users.py', 'aa', x'789c')""",),
    19: (
        """INSERT INTO note_files(path, seen) VALUES ('session:claude-code:s-1', '')""",
        """INSERT INTO notes(id, kind, path, time, content, answers) VALUES
           (90, 'quote', 'session:claude-code:s-1', '2025-12-01T08:00:00.000Z', 'Never run the seeds twice.',
             'Shall I run them?')""",
        """INSERT INTO quote_triggers VALUES ('command', 'seeds', 90, '[]', '[]')""",
    ),
    25: ("UPDATE turns SET at = time",),
    24: (
        """INSERT OR REPLACE INTO meta VALUES ('trial.salt', '"salt"')""",
        """INSERT INTO trial_units(unit, kind, session_id, arm, at, trigger, failed) VALUES
             ('u-1', 'moment', 'claude-code:s-2', 'held', '2025-12-05T08:00:00.000Z', 'command', 1)""",
        """INSERT INTO trial_memories VALUES ('m-one', 'u-1')""",
        """INSERT INTO memory_effects VALUES ('m-one', 'command', 0.75, 0, 10)""",
        """INSERT INTO spent VALUES ('2025-12-05', 'ask', 'm', 2, 100, 20, 0, 0, 1.5)""",
    ),
    23: (
        """INSERT INTO shared_entries VALUES ('d2', 1, 'r-1', 'm-one', '1765000000000000000', 'dispute',
             '{"body":null}', 'counts', '')""",
        """INSERT INTO shared_uses VALUES ('d2', 'm-one', 'said', 3, '2025-12-05T08:00:00.000Z')""",
        """INSERT INTO memory_disputes VALUES ('m-one', '2025-12-05T08:00:00.000Z', 'Ann', NULL)""",
    ),
    21: (
        """INSERT OR REPLACE INTO meta VALUES ('device', '"d1"')""",
        """INSERT INTO memory_revisions VALUES
           ('019a0000-0000-7000-8000-000000000001', 'm-one', '[]', 'd1', 1,
             '1765000000000000000', 'person:d1', 'pin', '{"pinned": 1}', '')""",
        """INSERT INTO memory_heads VALUES ('m-one', '019a0000-0000-7000-8000-000000000001')""",
        """INSERT INTO memory_use VALUES
           ('m-one', 'claude-code:s-2', 'said', 2, '2025-12-05T08:00:00.000Z')""",
    ),
    20: ("""INSERT INTO note_files VALUES ('session:claude-code:s-2', '', 'topic')""",),
    17: ("""INSERT INTO memory_triggers VALUES ('command', 'gh', 'm-one', '["pr"]', '[]', 2.0)""",),
    14: ("""INSERT INTO graph_tree_files VALUES (1, '/work/other', 100, 7, 'aa')""",),
}
# Rows of tables that a later version made anew: only the newest set that fits is in a file.
_EMBEDDINGS = {
    1: """INSERT INTO memory_embeddings VALUES
            ('m-one', x'0000803f00000000', 'onnx:a:2', 2, '2025-11-01T08:00:00.000Z')""",
    2: """INSERT INTO embeddings(owner_kind, owner_id, model_id, dims, embedding, created_at) VALUES
            ('memory', 'm-one', 'onnx:a:2', 2, x'0000803f00000000', '2025-11-01T08:00:00.000Z')""",
    26: """INSERT INTO embeddings(owner_kind, owner_id, model_id, dims, embedding, created_at) VALUES
            ('memory', 'm-one', 'onnx:a:2', 2, x'003c0000', '2025-11-01T08:00:00.000Z')""",
}


_GRAPH = {
    1: (
        """INSERT INTO graph_nodes(id, project_id, type, label, source, created_at, updated_at) VALUES
             ('n1', 'p1', 'file', 'src/users.py', 'ast', 1, 1),
             ('n2', 'p1', 'file', 'src/db.py', 'ast', 1, 1)""",
        """INSERT INTO graph_edges(id, project_id, from_id, to_id, type, source, created_at,
             updated_at) VALUES ('e1', 'p1', 'n1', 'n2', 'imports', 'ast', 1, 1)""",
        """INSERT INTO graph_closure VALUES ('n1', 'n2', 1, '["n1", "n2"]', '["imports"]', 1.0)""",
        """INSERT INTO scip_symbols VALUES ('users.getUserById', 'n1', 'p1')""",
    ),
    7: (
        """INSERT INTO graph_nodes(id, key, type, label, file_path, language, start_line, end_line, metadata,
             created_at, updated_at) VALUES
             (1, 'src/users.py', 'file', 'users.py', 'src/users.py', 'python', 1, 9, '{}', 1, 1),
             (2, 'src/db.py', 'file', 'db.py', 'src/db.py', 'python', 1, 20, '{}', 1, 1),
             (3, 'src/db.py:connect', 'function', 'connect', 'src/db.py', 'python', 3, 9,
              '{"signature": "def connect(url)", "doc": "Open it.", "line": 3}', 1, 1)""",
        """INSERT INTO graph_edges(from_id, to_id, type, source, files, weight, confidence, line,
             updated_at) VALUES
             (1, 2, 'imports', 'ast', 1, 1.0, 0.95, 1, 1),
             (1, 3, 'calls', 'ast', 0, 2.0, 0.95, 4, 1)""",
        """INSERT INTO graph_closure VALUES (2, 1, 1, 2, 'imports', 1.9, 0.95, 'ast')""",
        """INSERT INTO graph_files(id, path, folder, name, kind, language, module, size, mtime_ns, hash,
             lines, indexed_at, links_at) VALUES
             (1, 'src/users.py', 'src', 'users.py', 'code', 'python', 'src', 100, 5, 'aa', 9, 1, 1),
             (2, 'src/db.py', 'src', 'db.py', 'code', 'python', 'src', 300, 6, 'bb', 20, 1, 1)""",
        """INSERT INTO graph_names(name, file_id) VALUES ('connect', 1)""",
        """INSERT INTO graph_index_state VALUES (1, 1, 'abc123', 3, 2, 0, 1, '')""",
        """INSERT INTO scip_symbols VALUES ('db.connect', 3)""",
        """INSERT INTO code_chunks(id, file_id, kind, name, start_line, end_line, context, text) VALUES
             (1, 2, 'function', 'connect', 3, 9, 'File: src/db.py | function: connect',
              'def connect(url)')""",
        """INSERT INTO code_chunks_fts(rowid, path, name, doc, text, terms) VALUES
             (1, 'src/db.py', 'connect', '', 'def connect(url)', '')""",
        """INSERT INTO code_chunk_queue VALUES (1, 0.5)""",
    ),
}


# Tables, by the version that dropped them.
GONE = {"memory_cues": 17, "quote_triggers": 27, "memory_bands": 29}


def rows_of(version: int) -> list[str]:
    """Return the statements that write a version's rows."""
    rows = [row for number in range(1, version + 1) for row in ROWS.get(number, ())]
    gone = [table for table, since in GONE.items() if version >= since]
    rows = [row for row in rows if not any(table in row for table in gone)]
    rows += _GRAPH[7 if version >= 7 else 1]
    return [*rows, _EMBEDDINGS[max(one for one in _EMBEDDINGS if one <= version)]]


def make(version: int, path: Path) -> None:
    """Make a database file by the migrations up to a version, with that version's rows."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA synchronous = OFF")
    migrations.run(connection, path, APPLICATION_ID, upto=version)
    for row in rows_of(version):
        connection.execute(row)
    connection.close()


def schema(connection: apsw.Connection) -> dict[tuple[str, str], str]:
    """Return the SQL of every table, index, trigger and view, without what FTS5 makes itself."""
    rows = list(
        connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")
    )
    virtual = [name for _, name, sql in rows if sql.startswith("CREATE VIRTUAL")]
    made = {f"{name}_{part}" for name in virtual for part in ("data", "idx", "content", "docsize", "config")}
    return {(kind, name): sql for kind, name, sql in rows if name not in made and name != "sqlite_sequence"}


def migrated(version: int) -> apsw.Connection:
    """Return a database in memory that the migrations brought to a version."""
    connection = apsw.Connection(":memory:")
    migrations.run(connection, Path("memory"), APPLICATION_ID, upto=version)
    return connection


def newest() -> str:
    """Return what a new file gets: the newest schema, and the rows that its migrations insert."""
    connection = migrated(migrations.latest())
    statements = [
        *schema(connection).values(),
        *(row for _, sql in migrations.scripts() for row in _RANDOM.findall(sql)),
    ]
    connection.close()
    return "-- Generated from `schema/` by `python -m tests.store.old_files`.\n" + "".join(
        f"{s};\n" for s in statements
    )


def hash_of(version: int) -> str:
    """Return the SHA-256 of the schema of a version, as its migrations make it, and of its rows."""
    connection = migrated(version)
    statements = [*schema(connection).values(), *rows_of(version)]
    connection.close()
    return hashlib.sha256("".join(f"{s};\n" for s in statements).encode()).hexdigest()


def hashes() -> dict[int, str]:
    """Return the hash of each version that landed."""
    rows = (line.split("\t") for line in HASHES.read_text("utf-8").splitlines())
    return {int(version): digest for version, digest in rows}


if __name__ == "__main__":
    known = hashes()
    for number in range(1, migrations.latest() + 1):
        known.setdefault(number, hash_of(number))
    HASHES.write_text("".join(f"{number}\t{digest}\n" for number, digest in known.items()), "utf-8")
    NEWEST.write_text(newest(), "utf-8")
