-- Generated from `schema/` by `python -m tests.store.old_files`.
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
, updated_at TEXT NOT NULL DEFAULT '1970-01-01T00:00:00.000Z', branch TEXT, derived_from TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(derived_from)), taint TEXT CHECK (taint IS NULL OR json_valid(taint)), superseded_by TEXT, redaction_count INTEGER NOT NULL DEFAULT 0, payload TEXT CHECK (payload IS NULL OR json_valid(payload)), origins TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(origins)), review_reason TEXT, external_id TEXT, content_hash TEXT NOT NULL DEFAULT '', search_terms TEXT NOT NULL DEFAULT '', triggers TEXT, silent INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX idx_memories_source         ON memories(source);
CREATE INDEX idx_memories_needs_review   ON memories(needs_review) WHERE needs_review = 1;
CREATE INDEX idx_memories_confidence     ON memories(confidence DESC);
CREATE INDEX idx_memories_last_accessed  ON memories(last_accessed_at DESC);
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
  last_observed_at    TEXT NOT NULL,
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
  search_terms TEXT NOT NULL DEFAULT '', at TEXT,
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
CREATE INDEX idx_memories_found ON memories(seq, id, branch) WHERE deprecated = 0;
CREATE TABLE graph_nodes (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  key         TEXT NOT NULL UNIQUE,
  type        TEXT NOT NULL,
  label       TEXT NOT NULL,
  file_path   TEXT,
  language    TEXT,
  start_line  INTEGER,
  end_line    INTEGER,
  layer       INTEGER NOT NULL DEFAULT 1,
  source      TEXT NOT NULL DEFAULT 'ast',
  confidence  REAL NOT NULL DEFAULT 1.0,
  metadata    TEXT NOT NULL DEFAULT '{}',
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  stale_at    INTEGER
) STRICT;
CREATE INDEX idx_gn_file_path ON graph_nodes(file_path) WHERE file_path IS NOT NULL;
CREATE INDEX idx_gn_layer     ON graph_nodes(layer, type) WHERE layer > 1;
CREATE TABLE graph_edges (
  from_id    INTEGER NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  to_id      INTEGER NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  type       TEXT NOT NULL,
  source     TEXT NOT NULL,
  files      INTEGER NOT NULL DEFAULT 0,
  layer      INTEGER NOT NULL DEFAULT 1,
  weight     REAL NOT NULL DEFAULT 1.0,
  confidence REAL NOT NULL DEFAULT 1.0,
  line       INTEGER NOT NULL DEFAULT 0,
  metadata   TEXT NOT NULL DEFAULT '{}',
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (from_id, type, to_id, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE graph_closure (
  ancestor_id   INTEGER NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  descendant_id INTEGER NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE,
  depth         INTEGER NOT NULL,
  via_id        INTEGER NOT NULL,
  edge_types    TEXT NOT NULL,
  total_weight  REAL NOT NULL,
  confidence    REAL NOT NULL,
  source        TEXT NOT NULL,
  PRIMARY KEY (ancestor_id, descendant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_gc_ancestor   ON graph_closure(ancestor_id, depth, total_weight DESC);
CREATE INDEX idx_gc_descendant ON graph_closure(descendant_id, depth);
CREATE TABLE graph_files (
  id         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  folder     TEXT NOT NULL,
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  language   TEXT NOT NULL DEFAULT '',
  package    TEXT NOT NULL DEFAULT '',
  module     TEXT NOT NULL DEFAULT '',
  test       INTEGER NOT NULL DEFAULT 0,
  size       INTEGER NOT NULL,
  mtime_ns   INTEGER NOT NULL,
  hash       TEXT NOT NULL DEFAULT '',
  lines      INTEGER NOT NULL DEFAULT 0,
  errors     INTEGER NOT NULL DEFAULT 0,
  skipped    TEXT NOT NULL DEFAULT '',
  outline    BLOB,
  uses       BLOB,
  indexed_at INTEGER NOT NULL,
  links_at   INTEGER,
  stale_at   INTEGER
) STRICT;
CREATE INDEX idx_gf_folder  ON graph_files(folder) WHERE skipped = '';
CREATE INDEX idx_gf_name    ON graph_files(name) WHERE skipped = '';
CREATE INDEX idx_gf_package ON graph_files(package) WHERE package <> '';
CREATE INDEX idx_gf_module  ON graph_files(module) WHERE skipped = '';
CREATE INDEX idx_gf_links   ON graph_files(id) WHERE links_at IS NULL AND skipped = '';
CREATE INDEX idx_gf_stale   ON graph_files(id) WHERE stale_at IS NOT NULL;
CREATE TABLE graph_names (
  name    TEXT NOT NULL,
  file_id INTEGER NOT NULL REFERENCES graph_files(id) ON DELETE CASCADE, how INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (name, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_gnames_file ON graph_names(file_id);
CREATE TABLE graph_index_state (
  id               INTEGER PRIMARY KEY CHECK (id = 1),
  last_indexed_at  INTEGER NOT NULL,
  last_commit_sha  TEXT,
  node_count       INTEGER NOT NULL DEFAULT 0,
  edge_count       INTEGER NOT NULL DEFAULT 0,
  stale_edge_count INTEGER NOT NULL DEFAULT 0,
  index_version    INTEGER NOT NULL DEFAULT 1,
  roots            TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE scip_symbols (
  symbol_id TEXT PRIMARY KEY,
  node_id   INTEGER NOT NULL REFERENCES graph_nodes(id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_scip_node ON scip_symbols(node_id);
CREATE TABLE code_chunks (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  file_id    INTEGER NOT NULL REFERENCES graph_files(id) ON DELETE CASCADE,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  context    TEXT NOT NULL,
  doc        TEXT NOT NULL DEFAULT '',
  text       TEXT NOT NULL
) STRICT;
CREATE INDEX idx_chunks_file ON code_chunks(file_id);
CREATE VIRTUAL TABLE code_chunks_fts USING fts5(
  path, name, doc, text, terms,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER code_chunks_delete AFTER DELETE ON code_chunks BEGIN
  DELETE FROM code_chunks_fts WHERE rowid = old.id;
  DELETE FROM embeddings WHERE owner_kind = 'chunk' AND owner_id = CAST(old.id AS TEXT);
  DELETE FROM code_chunk_queue WHERE chunk_id = old.id;
END;
CREATE TABLE code_chunk_queue (
  chunk_id INTEGER PRIMARY KEY,
  priority REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX idx_chunk_queue ON code_chunk_queue(priority DESC, chunk_id);
CREATE TABLE git_commits (
  id      INTEGER PRIMARY KEY,
  sha     TEXT NOT NULL UNIQUE,
  clock   INTEGER NOT NULL,
  date    TEXT NOT NULL,
  subject TEXT NOT NULL,
  body    TEXT NOT NULL,
  files   TEXT NOT NULL  -- a JSON list of paths
) STRICT;
CREATE INDEX idx_git_commits_clock ON git_commits(clock);
CREATE VIRTUAL TABLE git_commits_fts USING fts5(
  subject, body, terms, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER git_commits_delete AFTER DELETE ON git_commits BEGIN
  DELETE FROM git_commits_fts WHERE rowid = old.id;
END;
CREATE TABLE note_files (
  path TEXT PRIMARY KEY,  -- relative to the project's memory folder
  seen TEXT NOT NULL
, branch TEXT) STRICT;
CREATE VIRTUAL TABLE notes_fts USING fts5(
  name, content, search_terms, content = 'notes', content_rowid = 'id', tokenize = 'porter unicode61'
);
CREATE TABLE observer_sessions (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,  -- "host:session"
  host        TEXT NOT NULL,
  seen        TEXT NOT NULL,     -- how its files looked when they were read
  first_key   TEXT NOT NULL DEFAULT '',  -- of its first event that a fork of it would copy
  started_at  TEXT,
  ended_at    TEXT,
  kind        TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  why         TEXT NOT NULL DEFAULT '',  -- the evidence for kind and outcome
  branch      TEXT,
  steps       INTEGER NOT NULL,
  planned     INTEGER,
  tokens      INTEGER,
  events      INTEGER NOT NULL,
  prompt      TEXT NOT NULL DEFAULT '',
  summary     TEXT NOT NULL DEFAULT '',
  learned_at  TEXT NOT NULL
) STRICT;
CREATE INDEX idx_observer_sessions_started ON observer_sessions(started_at);
CREATE INDEX idx_observer_sessions_first ON observer_sessions(first_key) WHERE first_key <> '';
CREATE TABLE observer_signals (
  type        TEXT NOT NULL,
  key         TEXT NOT NULL,
  session_id  TEXT NOT NULL REFERENCES observer_sessions(id) ON DELETE CASCADE,
  step        INTEGER NOT NULL,
  at          TEXT,
  paths       TEXT NOT NULL DEFAULT '[]',
  detail      TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (type, key, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_observer_signals_session ON observer_signals(session_id);
CREATE TABLE observer_session_files (
  session_id  TEXT NOT NULL REFERENCES observer_sessions(id) ON DELETE CASCADE,
  path        TEXT NOT NULL,
  reads       INTEGER NOT NULL,
  edits       INTEGER NOT NULL,
  first_step  INTEGER NOT NULL,
  last_step   INTEGER NOT NULL,
  last_at     TEXT,
  PRIMARY KEY (session_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_observer_session_files_path ON observer_session_files(path);
CREATE TABLE observer_session_pairs (
  session_id  TEXT NOT NULL REFERENCES observer_sessions(id) ON DELETE CASCADE,
  file_a      TEXT NOT NULL,
  file_b      TEXT NOT NULL,
  times       INTEGER NOT NULL,
  delta_ms    REAL,
  PRIMARY KEY (session_id, file_a, file_b)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_observer_session_pairs_a ON observer_session_pairs(file_a, file_b);
CREATE TABLE observer_session_errors (
  session_id   TEXT NOT NULL REFERENCES observer_sessions(id) ON DELETE CASCADE,
  fingerprint  TEXT NOT NULL,
  tool         TEXT NOT NULL,
  command      TEXT NOT NULL,
  message      TEXT NOT NULL,
  times        INTEGER NOT NULL,
  resolved     INTEGER NOT NULL,
  resolved_how TEXT NOT NULL,
  at           TEXT,
  detail       TEXT NOT NULL DEFAULT '{}',  -- steps, files of the resolution, taint
  PRIMARY KEY (session_id, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_observer_session_errors ON observer_session_errors(fingerprint);
CREATE TABLE observer_session_commands (
  session_id  TEXT NOT NULL REFERENCES observer_sessions(id) ON DELETE CASCADE,
  command     TEXT NOT NULL,
  purpose     TEXT NOT NULL,
  runs        INTEGER NOT NULL,
  failures    INTEGER NOT NULL,
  last_step   INTEGER NOT NULL,
  PRIMARY KEY (session_id, command)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_observer_session_commands ON observer_session_commands(command);
CREATE TABLE observer_session_sequences (
  session_id  TEXT NOT NULL REFERENCES observer_sessions(id) ON DELETE CASCADE,
  sequence    TEXT NOT NULL,  -- a JSON list
  PRIMARY KEY (session_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_observer_session_sequences ON observer_session_sequences(sequence);
CREATE VIRTUAL TABLE observer_sessions_fts USING fts5(
  prompt, summary, terms, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER observer_sessions_delete AFTER DELETE ON observer_sessions BEGIN
  DELETE FROM observer_sessions_fts WHERE rowid = old.seq;
END;
CREATE TABLE learned (
  run        INTEGER NOT NULL,
  memory_id  TEXT NOT NULL,
  action     TEXT NOT NULL,  -- stored | merged | updated | restored
  why        TEXT NOT NULL,
  text       TEXT NOT NULL DEFAULT '',  -- as it was learnt: what a person changed since is left alone
  at         TEXT NOT NULL,
  PRIMARY KEY (run, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_learned_memory ON learned(memory_id, run);
CREATE TABLE injections (
  id         INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,  -- "host:session"
  agent      TEXT NOT NULL DEFAULT '',
  step       INTEGER NOT NULL,
  at         TEXT NOT NULL,
  moment     TEXT NOT NULL,
  trigger    TEXT NOT NULL,
  about      TEXT NOT NULL DEFAULT '',
  memory_ids TEXT NOT NULL DEFAULT '[]',
  text       TEXT NOT NULL,
  why        TEXT NOT NULL DEFAULT '',
  followed   TEXT NOT NULL DEFAULT '',
  UNIQUE (session_id, at, moment, text)
) STRICT;
CREATE INDEX idx_injections_at ON injections(at DESC);
CREATE TABLE injected_memories (
  memory_id    TEXT NOT NULL,
  injection_id INTEGER NOT NULL REFERENCES injections(id) ON DELETE CASCADE,
  PRIMARY KEY (memory_id, injection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_injected_memories_injection ON injected_memories(injection_id);
CREATE INDEX idx_ge_to    ON graph_edges(to_id, files, confidence DESC, weight DESC);
CREATE INDEX idx_gn_stale ON graph_nodes(id) WHERE stale_at IS NOT NULL;
CREATE INDEX idx_gn_label  ON graph_nodes(label, file_path);
CREATE INDEX idx_gf_errors ON graph_files(id) WHERE errors > 0 AND skipped = '';
CREATE TABLE scip_files (
  path  TEXT PRIMARY KEY,
  hash  TEXT NOT NULL,
  links BLOB
) STRICT;
CREATE TABLE graph_tree_files (
  file_id  INTEGER NOT NULL REFERENCES graph_files(id) ON DELETE CASCADE,
  tree     TEXT NOT NULL,
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  hash     TEXT NOT NULL,
  PRIMARY KEY (file_id, tree)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_ge_upper_from ON graph_edges(from_id) WHERE layer > 1;
CREATE INDEX idx_ge_upper_to ON graph_edges(to_id) WHERE layer > 1;
CREATE INDEX idx_chunks_place ON code_chunks(id, file_id, start_line);
CREATE INDEX idx_memories_target ON memories(target_node_id) WHERE target_node_id IS NOT NULL;
CREATE INDEX idx_memories_impacted ON memories(id) WHERE impacted_node_ids <> '[]';
CREATE TABLE memory_triggers (
  kind      TEXT NOT NULL,  -- remora/core/triggers.py lists them
  key       TEXT NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  needs     TEXT NOT NULL DEFAULT '[]',  -- what must be there besides, a JSON list
  unless    TEXT NOT NULL DEFAULT '[]',  -- what makes it say nothing, a JSON list
  weight    REAL NOT NULL DEFAULT 1.0,
  PRIMARY KEY (kind, key, memory_id, needs)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_memory_triggers_memory ON memory_triggers(memory_id);
CREATE TABLE "notes" (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT NOT NULL CHECK (kind IN ('longterm', 'note', 'archive', 'history', 'daily', 'quote')),
  path         TEXT NOT NULL REFERENCES note_files(path) ON DELETE CASCADE,
  name         TEXT NOT NULL DEFAULT '',  -- of an entry
  start_line   INTEGER,
  end_line     INTEGER,
  time         TEXT,
  content      TEXT NOT NULL,
  search_terms TEXT NOT NULL DEFAULT '',
  answers      TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX idx_notes_path ON notes(path);
CREATE INDEX idx_notes_kind ON notes(kind, id);
CREATE TRIGGER notes_fts_insert AFTER INSERT ON notes BEGIN
  INSERT INTO notes_fts(rowid, name, content, search_terms)
  VALUES (new.id, new.name, new.content, new.search_terms);
END;
CREATE TRIGGER notes_fts_delete AFTER DELETE ON notes BEGIN
  INSERT INTO notes_fts(notes_fts, rowid, name, content, search_terms)
  VALUES ('delete', old.id, old.name, old.content, old.search_terms);
END;
CREATE TRIGGER notes_queue_insert AFTER INSERT ON notes BEGIN
  INSERT OR REPLACE INTO embedding_queue(owner_kind, owner_id) VALUES ('note', CAST(new.id AS TEXT));
END;
CREATE TRIGGER notes_embeddings_delete AFTER DELETE ON notes BEGIN
  DELETE FROM embedding_queue WHERE owner_kind = 'note' AND owner_id = CAST(old.id AS TEXT);
  DELETE FROM embeddings WHERE owner_kind = 'note' AND owner_id = CAST(old.id AS TEXT);
END;
CREATE TABLE memory_revisions (
  rev       TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL,
  parents   TEXT NOT NULL,
  device    TEXT NOT NULL,
  n         INTEGER NOT NULL,
  hlc       TEXT NOT NULL,
  author    TEXT NOT NULL,
  op        TEXT NOT NULL,
  fields    TEXT NOT NULL,
  why       TEXT NOT NULL DEFAULT '',
  UNIQUE (device, n)
) STRICT;
CREATE INDEX idx_memory_revisions_memory ON memory_revisions(memory_id, hlc);
CREATE INDEX idx_memory_revisions_hlc ON memory_revisions(hlc);
CREATE TABLE memory_heads (
  memory_id TEXT,
  rev       TEXT,
  PRIMARY KEY (memory_id, rev)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_use (
  memory_id  TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind       TEXT NOT NULL,
  n          INTEGER NOT NULL,
  at         TEXT NOT NULL,
  PRIMARY KEY (memory_id, session_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE shared_entries (
  device    TEXT NOT NULL,
  n         INTEGER NOT NULL,
  rev       TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  hlc       TEXT NOT NULL,
  op        TEXT NOT NULL,
  line      TEXT NOT NULL,
  state     TEXT NOT NULL,
  reason    TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (device, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_shared_entries_memory ON shared_entries(memory_id, hlc);
CREATE INDEX idx_shared_entries_rev ON shared_entries(rev);
CREATE INDEX idx_shared_entries_hlc ON shared_entries(device, hlc);
CREATE INDEX idx_shared_entries_state ON shared_entries(state) WHERE state <> 'counts';
CREATE TABLE shared_uses (
  device    TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  kind      TEXT NOT NULL,
  n         INTEGER NOT NULL,
  last      TEXT NOT NULL,
  PRIMARY KEY (memory_id, device, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_disputes (
  memory_id TEXT PRIMARY KEY,
  opened_at TEXT NOT NULL,
  opened_by TEXT NOT NULL,
  seen_at   TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_memories_shared ON memories(trust_level_scope) WHERE trust_level_scope <> 'personal';
CREATE TABLE trial_units (
  unit       TEXT PRIMARY KEY,
  kind       TEXT NOT NULL,
  session_id TEXT NOT NULL,
  arm        TEXT NOT NULL,
  at         TEXT NOT NULL,
  trigger    TEXT NOT NULL DEFAULT '',
  types      TEXT NOT NULL DEFAULT '[]',
  shown      INTEGER NOT NULL DEFAULT 0,
  had        INTEGER NOT NULL DEFAULT 0,
  failed     INTEGER,
  calls      INTEGER,
  rereads    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_trial_units_at ON trial_units(at);
CREATE INDEX idx_trial_units_session ON trial_units(session_id);
CREATE TABLE trial_memories (
  memory_id TEXT NOT NULL,
  unit      TEXT NOT NULL,
  PRIMARY KEY (memory_id, unit)
) STRICT, WITHOUT ROWID;
CREATE TABLE memory_effects (
  memory_id TEXT NOT NULL,
  trigger   TEXT NOT NULL,
  factor    REAL NOT NULL,
  helped    INTEGER NOT NULL,
  unhelped  INTEGER NOT NULL,
  PRIMARY KEY (memory_id, trigger)
) STRICT, WITHOUT ROWID;
CREATE TABLE spent (
  day           TEXT NOT NULL,
  purpose       TEXT NOT NULL,
  model         TEXT NOT NULL,
  calls         INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  estimated     INTEGER NOT NULL,
  failed        INTEGER NOT NULL,
  seconds       REAL NOT NULL,
  PRIMARY KEY (day, purpose, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_turns_at ON turns(at);
INSERT INTO meta(key, value) VALUES ('device', '"' || lower(hex(randomblob(8))) || '"');
INSERT INTO meta(key, value) VALUES ('trial.salt', '"' || lower(hex(randomblob(8))) || '"');
