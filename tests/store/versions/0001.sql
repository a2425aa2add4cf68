-- A database of schema 1.
PRAGMA application_id = 1380273487;
PRAGMA user_version = 1;
CREATE TABLE memories (
  seq                    INTEGER PRIMARY KEY AUTOINCREMENT,
  id                     TEXT NOT NULL UNIQUE,
  type                   TEXT NOT NULL,
  content                TEXT NOT NULL,
  confidence             REAL NOT NULL DEFAULT 0.8 CHECK (confidence BETWEEN 0.0 AND 1.0),
  tags                   TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  related_files          TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(related_files)),
  related_modules        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(related_modules)),
  created_at             TEXT NOT NULL,
  last_accessed_at       TEXT NOT NULL,
  access_count           INTEGER NOT NULL DEFAULT 0,
  session_id             TEXT,
  commit_sha             TEXT,
  scope                  TEXT NOT NULL DEFAULT 'global',
  work_unit_ref          TEXT CHECK (work_unit_ref IS NULL OR json_valid(work_unit_ref)),
  methodology            TEXT,
  source                 TEXT NOT NULL DEFAULT 'agent_explicit',
  target_node_id         TEXT,
  impacted_node_ids      TEXT NOT NULL DEFAULT '[]',
  relations              TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(relations)),
  decay_half_life_days   REAL,
  provenance_session_ids TEXT NOT NULL DEFAULT '[]',
  needs_review           INTEGER NOT NULL DEFAULT 0,
  user_verified          INTEGER NOT NULL DEFAULT 0,
  citation_text          TEXT,
  pinned                 INTEGER NOT NULL DEFAULT 0,
  deprecated             INTEGER NOT NULL DEFAULT 0,
  deprecated_at          TEXT,
  stale_at               TEXT,
  project_id             TEXT NOT NULL,
  trust_level_scope      TEXT NOT NULL DEFAULT 'personal',
  chunk_type             TEXT,
  chunk_start_line       INTEGER,
  chunk_end_line         INTEGER,
  context_prefix         TEXT,
  embedding_model_id     TEXT
) STRICT;
CREATE INDEX idx_memories_project_type   ON memories(project_id, type);
CREATE INDEX idx_memories_project_scope  ON memories(project_id, scope);
CREATE INDEX idx_memories_source         ON memories(source);
CREATE INDEX idx_memories_needs_review   ON memories(needs_review) WHERE needs_review = 1;
CREATE INDEX idx_memories_confidence     ON memories(confidence DESC);
CREATE INDEX idx_memories_last_accessed  ON memories(last_accessed_at DESC);
CREATE INDEX idx_memories_type_conf      ON memories(project_id, type, confidence DESC);
CREATE INDEX idx_memories_not_deprecated ON memories(project_id, deprecated) WHERE deprecated = 0;
CREATE TABLE memory_embeddings (
  memory_id  TEXT PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,
  embedding  BLOB NOT NULL,
  model_id   TEXT NOT NULL,
  dims       INTEGER NOT NULL DEFAULT 1024,
  created_at TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE memories_fts USING fts5(
  memory_id UNINDEXED, content, tags, related_files, tokenize = 'porter unicode61'
);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts(rowid, memory_id, content, tags, related_files)
  VALUES (new.seq, new.id, new.content, new.tags, new.related_files);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
  DELETE FROM memories_fts WHERE rowid = old.seq;
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF content, tags, related_files ON memories BEGIN
  DELETE FROM memories_fts WHERE rowid = old.seq;
  INSERT INTO memories_fts(rowid, memory_id, content, tags, related_files)
  VALUES (new.seq, new.id, new.content, new.tags, new.related_files);
END;
CREATE TABLE embedding_cache (
  key        TEXT PRIMARY KEY,
  embedding  BLOB NOT NULL,
  model_id   TEXT NOT NULL,
  dims       INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_embedding_cache_expires ON embedding_cache(expires_at);
CREATE TABLE observer_file_nodes (
  file_path        TEXT PRIMARY KEY,
  project_id       TEXT NOT NULL,
  access_count     INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT NOT NULL,
  session_count    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE observer_co_access_edges (
  file_a              TEXT NOT NULL,
  file_b              TEXT NOT NULL,
  project_id          TEXT NOT NULL,
  weight              REAL NOT NULL DEFAULT 0.0,
  raw_count           INTEGER NOT NULL DEFAULT 0,
  session_count       INTEGER NOT NULL DEFAULT 0,
  avg_time_delta_ms   REAL,
  directional         INTEGER NOT NULL DEFAULT 0,
  task_type_breakdown TEXT NOT NULL DEFAULT '{}',
  last_observed_at    TEXT NOT NULL,
  promoted_at         TEXT,
  PRIMARY KEY (file_a, file_b, project_id)
) STRICT;
CREATE INDEX idx_co_access_weight ON observer_co_access_edges(weight DESC);
CREATE TABLE observer_error_patterns (
  id                TEXT PRIMARY KEY,
  project_id        TEXT NOT NULL,
  tool_name         TEXT NOT NULL,
  error_fingerprint TEXT NOT NULL,
  error_message     TEXT NOT NULL,
  occurrence_count  INTEGER NOT NULL DEFAULT 1,
  last_seen_at      TEXT NOT NULL,
  resolved_how      TEXT,
  sessions          TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE TABLE observer_module_session_counts (
  module     TEXT NOT NULL,
  project_id TEXT NOT NULL,
  count      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (module, project_id)
) STRICT;
CREATE TABLE observer_synthesis_log (
  module             TEXT NOT NULL,
  project_id         TEXT NOT NULL,
  trigger_count      INTEGER NOT NULL,
  synthesized_at     INTEGER NOT NULL,
  memories_generated INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (module, project_id, trigger_count)
) STRICT;
CREATE TABLE graph_nodes (
  id                    TEXT PRIMARY KEY,
  project_id            TEXT NOT NULL,
  type                  TEXT NOT NULL,
  label                 TEXT NOT NULL,
  file_path             TEXT,
  language              TEXT,
  start_line            INTEGER,
  end_line              INTEGER,
  layer                 INTEGER NOT NULL DEFAULT 1,
  source                TEXT NOT NULL,
  confidence            TEXT DEFAULT 'inferred',
  metadata              TEXT DEFAULT '{}',
  created_at            INTEGER NOT NULL,
  updated_at            INTEGER NOT NULL,
  stale_at              INTEGER,
  associated_memory_ids TEXT DEFAULT '[]'
) STRICT;
CREATE INDEX idx_gn_project_type  ON graph_nodes(project_id, type);
CREATE INDEX idx_gn_project_label ON graph_nodes(project_id, label);
CREATE INDEX idx_gn_file_path     ON graph_nodes(project_id, file_path) WHERE file_path IS NOT NULL;
CREATE INDEX idx_gn_stale         ON graph_nodes(stale_at) WHERE stale_at IS NOT NULL;
CREATE TABLE graph_edges (
  id         TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  from_id    TEXT NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  to_id      TEXT NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  type       TEXT NOT NULL,
  layer      INTEGER NOT NULL DEFAULT 1,
  weight     REAL DEFAULT 1.0,
  source     TEXT NOT NULL,
  confidence REAL DEFAULT 1.0,
  metadata   TEXT DEFAULT '{}',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  stale_at   INTEGER
) STRICT;
CREATE INDEX idx_ge_from_type ON graph_edges(from_id, type) WHERE stale_at IS NULL;
CREATE INDEX idx_ge_to_type   ON graph_edges(to_id, type)   WHERE stale_at IS NULL;
CREATE INDEX idx_ge_stale     ON graph_edges(stale_at) WHERE stale_at IS NOT NULL;
CREATE TABLE graph_closure (
  ancestor_id   TEXT NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  descendant_id TEXT NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  depth         INTEGER NOT NULL,
  path          TEXT NOT NULL,
  edge_types    TEXT NOT NULL,
  total_weight  REAL NOT NULL,
  PRIMARY KEY (ancestor_id, descendant_id)
) STRICT;
CREATE INDEX idx_gc_ancestor   ON graph_closure(ancestor_id, depth);
CREATE INDEX idx_gc_descendant ON graph_closure(descendant_id, depth);
CREATE TABLE graph_index_state (
  project_id       TEXT PRIMARY KEY,
  last_indexed_at  INTEGER NOT NULL,
  last_commit_sha  TEXT,
  node_count       INTEGER DEFAULT 0,
  edge_count       INTEGER DEFAULT 0,
  stale_edge_count INTEGER DEFAULT 0,
  index_version    INTEGER DEFAULT 1
) STRICT;
CREATE TABLE scip_symbols (
  symbol_id  TEXT PRIMARY KEY,
  node_id    TEXT NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  project_id TEXT NOT NULL
) STRICT;
CREATE INDEX idx_scip_node ON scip_symbols(node_id);
INSERT INTO memories(id, type, content, confidence, tags, related_files, related_modules,
             created_at, last_accessed_at, access_count, session_id, commit_sha, scope, work_unit_ref,
             methodology, source, relations, decay_half_life_days, provenance_session_ids, user_verified,
             citation_text, pinned, project_id) VALUES
           ('m-one', 'gotcha', 'Call getUserById with a checked id', 0.9, '["auth", "users"]',
             '["src/users.py", "src/auth/**"]', '["auth"]', '2025-11-01T08:00:00.000Z',
             '2025-11-02T08:00:00.000Z', 3, 's-1', 'abc123', 'module',
             '{"methodology": "native", "hierarchy": ["042", "3"], "label": "Spec 042 / Subtask 3"}',
             'native', 'user_taught', '[{"relation_type": "required_with", "target_file_path": "src/db.py",
             "confidence": 0.7, "auto_extracted": true}]', 60.0, '["s-1"]', 1, 'Call getUserById…', 1,
             'p1');
INSERT INTO memories(id, type, content, created_at, last_accessed_at, project_id, deprecated,
             deprecated_at, needs_review) VALUES
           ('m-two', 'decision', 'Use Redis for sessions', '2025-11-03T08:00:00.000Z',
             '2025-11-03T08:00:00.000Z', 'p1', 1, '2025-11-04T08:00:00.000Z', 1);
INSERT INTO memories(id, type, content, created_at, last_accessed_at, project_id) VALUES
           ('m-three', 'pattern', '数据库连接要用JWT', '2025-11-05T08:00:00.000Z',
             '2025-11-05T08:00:00.000Z', 'p1');
INSERT INTO embedding_cache VALUES
             ('k1', x'0000803f00000000', 'onnx:a:2', 2, 1893456000000);
INSERT INTO observer_file_nodes VALUES ('src/users.py', 'p1', 4, '2025-11-02T08:00:00.000Z', 2);
INSERT INTO observer_co_access_edges(file_a, file_b, project_id, weight, raw_count, session_count,
             last_observed_at) VALUES
           ('src/users.py', 'src/db.py', 'p1', 0.6, 5, 3, '2025-11-02T08:00:00.000Z');
INSERT INTO observer_error_patterns VALUES
           ('e-one', 'p1', 'Bash', 'f00d', 'No such table: users', 4, '2025-11-02T08:00:00.000Z',
             'ran the migrations', '["s-1", "s-2"]');
INSERT INTO observer_module_session_counts VALUES ('src', 'p1', 6);
INSERT INTO observer_synthesis_log VALUES ('src', 'p1', 5, 1762070400000, 2);
INSERT INTO graph_nodes(id, project_id, type, label, source, created_at, updated_at) VALUES
             ('n1', 'p1', 'file', 'src/users.py', 'ast', 1, 1),
             ('n2', 'p1', 'file', 'src/db.py', 'ast', 1, 1);
INSERT INTO graph_edges(id, project_id, from_id, to_id, type, source, created_at,
             updated_at) VALUES ('e1', 'p1', 'n1', 'n2', 'imports', 'ast', 1, 1);
INSERT INTO graph_closure VALUES ('n1', 'n2', 1, '["n1", "n2"]', '["imports"]', 1.0);
INSERT INTO scip_symbols VALUES ('users.getUserById', 'n1', 'p1');
INSERT INTO memory_embeddings VALUES
            ('m-one', x'0000803f00000000', 'onnx:a:2', 2, '2025-11-01T08:00:00.000Z');
