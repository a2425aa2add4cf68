-- A database of schema 5.
PRAGMA application_id = 1380273487;
PRAGMA user_version = 5;
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
, updated_at TEXT NOT NULL DEFAULT '1970-01-01T00:00:00.000Z', branch TEXT, derived_from TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(derived_from)), taint TEXT CHECK (taint IS NULL OR json_valid(taint)), superseded_by TEXT, redaction_count INTEGER NOT NULL DEFAULT 0, payload TEXT CHECK (payload IS NULL OR json_valid(payload)), origins TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(origins)), review_reason TEXT, external_id TEXT, content_hash TEXT NOT NULL DEFAULT '', search_terms TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX idx_memories_project_type   ON memories(project_id, type);
CREATE INDEX idx_memories_project_scope  ON memories(project_id, scope);
CREATE INDEX idx_memories_source         ON memories(source);
CREATE INDEX idx_memories_needs_review   ON memories(needs_review) WHERE needs_review = 1;
CREATE INDEX idx_memories_confidence     ON memories(confidence DESC);
CREATE INDEX idx_memories_last_accessed  ON memories(last_accessed_at DESC);
CREATE INDEX idx_memories_type_conf      ON memories(project_id, type, confidence DESC);
CREATE INDEX idx_memories_not_deprecated ON memories(project_id, deprecated) WHERE deprecated = 0;
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
CREATE INDEX idx_memories_content_hash ON memories(content_hash);
CREATE UNIQUE INDEX idx_memories_external_id ON memories(external_id) WHERE external_id IS NOT NULL;
CREATE INDEX idx_memories_branch ON memories(branch) WHERE branch IS NOT NULL;
CREATE TABLE memory_derivations (
  parent_id TEXT NOT NULL,
  child_id  TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  PRIMARY KEY (parent_id, child_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_derivations_child ON memory_derivations(child_id);
CREATE TABLE memory_files (
  file_path TEXT NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  PRIMARY KEY (file_path, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_memory_files_memory ON memory_files(memory_id);
CREATE INDEX idx_memory_files_globs ON memory_files(file_path) WHERE instr(file_path, '*') > 0;
CREATE TABLE memory_bands (
  band      INTEGER NOT NULL,
  value     INTEGER NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  PRIMARY KEY (band, value, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_memory_bands_memory ON memory_bands(memory_id);
CREATE TRIGGER memories_links_insert AFTER INSERT ON memories BEGIN
  INSERT OR IGNORE INTO memory_files SELECT value, new.id FROM json_each(new.related_files);
  INSERT OR IGNORE INTO memory_derivations SELECT value, new.id FROM json_each(new.derived_from);
END;
CREATE TRIGGER memories_files_update AFTER UPDATE OF related_files ON memories
WHEN old.related_files IS NOT new.related_files BEGIN
  DELETE FROM memory_files WHERE memory_id = new.id;
  INSERT OR IGNORE INTO memory_files SELECT value, new.id FROM json_each(new.related_files);
END;
CREATE TRIGGER memories_derivations_update AFTER UPDATE OF derived_from ON memories
WHEN old.derived_from IS NOT new.derived_from BEGIN
  DELETE FROM memory_derivations WHERE child_id = new.id;
  INSERT OR IGNORE INTO memory_derivations SELECT value, new.id FROM json_each(new.derived_from);
END;
CREATE VIRTUAL TABLE memories_fts USING fts5(
  memory_id UNINDEXED, content, tags, related_files, search_terms, tokenize = 'porter unicode61'
);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts(rowid, memory_id, content, tags, related_files, search_terms)
  VALUES (new.seq, new.id, new.content, new.tags, new.related_files, new.search_terms);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
  DELETE FROM memories_fts WHERE rowid = old.seq;
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF content, tags, related_files, search_terms ON memories
WHEN old.content IS NOT new.content OR old.tags IS NOT new.tags
  OR old.related_files IS NOT new.related_files OR old.search_terms IS NOT new.search_terms BEGIN
  DELETE FROM memories_fts WHERE rowid = old.seq;
  INSERT INTO memories_fts(rowid, memory_id, content, tags, related_files, search_terms)
  VALUES (new.seq, new.id, new.content, new.tags, new.related_files, new.search_terms);
END;
CREATE TABLE embeddings (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_kind   TEXT NOT NULL CHECK (owner_kind IN ('memory', 'turn', 'note', 'chunk')),
  owner_id     TEXT NOT NULL,
  part         INTEGER NOT NULL DEFAULT 0,
  model_id     TEXT NOT NULL,
  dims         INTEGER NOT NULL,
  prefix       TEXT NOT NULL DEFAULT '',
  embedding    BLOB NOT NULL,
  created_at   TEXT NOT NULL,
  UNIQUE (owner_kind, owner_id, part, model_id)
) STRICT;
CREATE INDEX idx_embeddings_model ON embeddings(model_id, owner_kind, id);
CREATE VIEW memory_embeddings AS
  SELECT owner_id AS memory_id, embedding, model_id, dims, created_at
  FROM embeddings WHERE owner_kind = 'memory' AND part = 0;
CREATE TABLE embedding_queue (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_kind TEXT NOT NULL,
  owner_id   TEXT NOT NULL,
  UNIQUE (owner_kind, owner_id)
) STRICT;
CREATE TRIGGER memories_queue_insert AFTER INSERT ON memories BEGIN
  INSERT OR REPLACE INTO embedding_queue(owner_kind, owner_id) VALUES ('memory', new.id);
END;
CREATE TRIGGER memories_queue_restore AFTER UPDATE OF deprecated ON memories
WHEN old.deprecated = 1 AND new.deprecated = 0 BEGIN
  INSERT OR REPLACE INTO embedding_queue(owner_kind, owner_id) VALUES ('memory', new.id);
END;
CREATE TRIGGER memories_embeddings_delete AFTER DELETE ON memories BEGIN
  DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_id = old.id;
  DELETE FROM embedding_queue WHERE owner_kind = 'memory' AND owner_id = old.id;
END;
CREATE TRIGGER memories_embeddings_update AFTER UPDATE OF content, related_files, related_modules, type ON memories
WHEN old.content IS NOT new.content OR old.related_files IS NOT new.related_files
  OR old.related_modules IS NOT new.related_modules OR old.type IS NOT new.type BEGIN
  DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_id = new.id;
  INSERT OR REPLACE INTO embedding_queue(owner_kind, owner_id) VALUES ('memory', new.id);
END;
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
CREATE TABLE git_files (
  path       TEXT PRIMARY KEY,
  present    INTEGER NOT NULL DEFAULT 1,  -- in the tree at the last commit seen
  commits    INTEGER NOT NULL DEFAULT 0,
  heat       REAL NOT NULL,
  reach      REAL NOT NULL,
  last_clock INTEGER NOT NULL,            -- number of the last commit that changed it, -1 for none
  first_date TEXT NOT NULL DEFAULT '',
  last_date  TEXT NOT NULL DEFAULT '',
  authors    TEXT NOT NULL DEFAULT '[]',
  module     TEXT NOT NULL DEFAULT '',
  folder     TEXT NOT NULL DEFAULT '',
  stem       TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX idx_git_files_heat   ON git_files(heat DESC, path) WHERE present = 1;
CREATE INDEX idx_git_files_folder ON git_files(folder) WHERE present = 1;
CREATE INDEX idx_git_files_stem   ON git_files(stem) WHERE present = 1;
CREATE INDEX idx_git_files_module ON git_files(module) WHERE present = 1;
CREATE TABLE git_file_words (
  word TEXT NOT NULL,
  path TEXT NOT NULL REFERENCES git_files(path) ON DELETE CASCADE,
  PRIMARY KEY (word, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_git_file_words_path ON git_file_words(path);
CREATE TABLE git_pairs (
  path      TEXT NOT NULL,
  other     TEXT NOT NULL,
  bond      REAL NOT NULL,
  commits   INTEGER NOT NULL,
  last_date TEXT NOT NULL,
  PRIMARY KEY (path, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_git_pairs_bond ON git_pairs(path, bond DESC, other);
CREATE TABLE source_items (
  kind      TEXT NOT NULL,             -- rule | commit
  key       TEXT NOT NULL,             -- hash of the text, or the commit
  memory_id TEXT,                      -- NULL when it was merged away or left out
  paths     TEXT NOT NULL DEFAULT '[]',
  seen_at   TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_source_items_memory ON source_items(memory_id) WHERE memory_id IS NOT NULL;
CREATE TABLE sessions (
  id            TEXT PRIMARY KEY,
  path          TEXT NOT NULL,
  read_to       INTEGER NOT NULL DEFAULT 0,  -- byte offset in the log up to which turns are indexed
  turns         INTEGER NOT NULL DEFAULT 0,
  updated_at    TEXT NOT NULL
) STRICT;
CREATE TABLE turns (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id   TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  position     INTEGER NOT NULL,
  role         TEXT NOT NULL,
  content      TEXT NOT NULL,
  time         TEXT,
  external_id  TEXT,
  search_terms TEXT NOT NULL DEFAULT '',
  UNIQUE (session_id, seq),
  UNIQUE (session_id, position)
) STRICT;
CREATE VIRTUAL TABLE turns_fts USING fts5(
  content, role, time, search_terms, content = 'turns', content_rowid = 'id', tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE turn_windows_fts USING fts5(
  words, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER turn_windows_insert AFTER INSERT ON turns WHEN new.position > 0 BEGIN
  DELETE FROM turn_windows_fts WHERE rowid IN (
    SELECT id FROM turns WHERE session_id = new.session_id AND position BETWEEN new.position - 2 AND new.position);
  INSERT INTO turn_windows_fts(rowid, words)
    SELECT t.id, (SELECT group_concat(CASE WHEN n.id = t.id THEN n.content ELSE substr(n.content, 1, 600) END, ' ')
                  FROM turns n WHERE n.session_id = t.session_id
                  AND n.position BETWEEN t.position - 2 AND t.position + 2)
    FROM turns t WHERE t.session_id = new.session_id AND t.position BETWEEN new.position - 2 AND new.position;
END;
CREATE TRIGGER turn_windows_delete AFTER DELETE ON turns BEGIN
  DELETE FROM turn_windows_fts WHERE rowid = old.id;
END;
CREATE TRIGGER turns_fts_insert AFTER INSERT ON turns BEGIN
  INSERT INTO turns_fts(rowid, content, role, time, search_terms)
  VALUES (new.id, new.content, new.role, new.time, new.search_terms);
END;
CREATE TRIGGER turns_fts_delete AFTER DELETE ON turns BEGIN
  INSERT INTO turns_fts(turns_fts, rowid, content, role, time, search_terms)
  VALUES ('delete', old.id, old.content, old.role, old.time, old.search_terms);
END;
CREATE TRIGGER turns_queue_insert AFTER INSERT ON turns BEGIN
  INSERT OR REPLACE INTO embedding_queue(owner_kind, owner_id) VALUES ('turn', CAST(new.id AS TEXT));
END;
CREATE TRIGGER turns_embeddings_delete AFTER DELETE ON turns BEGIN
  DELETE FROM embedding_queue WHERE owner_kind = 'turn' AND owner_id = CAST(old.id AS TEXT);
  DELETE FROM embeddings WHERE owner_kind = 'turn' AND owner_id = CAST(old.id AS TEXT);
END;
CREATE INDEX idx_memories_live ON memories(id, branch) WHERE deprecated = 0;
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
INSERT INTO memories(id, type, content, tags, created_at, updated_at, last_accessed_at, project_id,
             branch, derived_from, taint, redaction_count, payload, origins, external_id, content_hash,
             search_terms) VALUES
           ('m-four', 'dead_end', 'parseHTTPHeader fails on folded lines', '["http"]',
             '2025-12-01T08:00:00.000Z', '2025-12-01T08:00:00.000Z', '2025-12-01T08:00:00.000Z', 'p1',
             'topic', '["m-one"]', '{"source": "web_fetch", "step": 4}', 1,
             '{"approach_tried": "regex", "why_it_failed": "folding"}',
             '[{"source": "agent_explicit", "at": "2025-12-01T08:00:00.000Z", "path": "notes.md",
             "line": 3}]', 'ext-4', 'aa11', 'parse http header');
INSERT INTO memory_bands VALUES (0, 17, 'm-four'), (1, 23, 'm-four');
INSERT INTO meta VALUES ('embedding.model', '"onnx:a:2"'), ('history.clock', '7');
INSERT INTO git_files(path, present, commits, heat, reach, last_clock, first_date, last_date,
             authors, module, folder, stem) VALUES
             ('src/users.py', 1, 5, 2.0, 1.0, 6, '2025-01-01', '2025-12-01', '[["Ada", 5]]', 'src', 'src',
              'users'),
             ('src/db.py', 1, 2, 1.0, 0.5, 5, '2025-01-01', '2025-11-01', '[["Ada", 2]]', 'src', 'src',
              'db');
INSERT INTO git_file_words VALUES ('users', 'src/users.py'), ('db', 'src/db.py');
INSERT INTO git_pairs VALUES ('src/users.py', 'src/db.py', 1.5, 2, '2025-11-01'),
             ('src/db.py', 'src/users.py', 1.5, 2, '2025-11-01');
INSERT INTO source_items VALUES ('rule', 'h1', 'm-one', '["CLAUDE.md:4"]', '2025-12-01');
INSERT INTO sessions VALUES ('cli:1', 'cli_1.jsonl', 120, 2, '2025-12-02T08:00:00.000Z');
INSERT INTO turns(session_id, seq, position, role, content, time, external_id, search_terms) VALUES
           ('cli:1', 1, 0, 'user', 'where is readConfig', '2025-12-02T08:00:00.000Z', 'D1:1', 'read config'),
           ('cli:1', 3, 1, 'assistant', 'in the settings module', NULL, 'D1:2', '');
INSERT INTO embeddings(owner_kind, owner_id, model_id, dims, embedding, created_at) VALUES
            ('memory', 'm-one', 'onnx:a:2', 2, x'0000803f00000000', '2025-11-01T08:00:00.000Z');
