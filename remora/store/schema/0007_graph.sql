-- The code graph with whole-number ids: over text ids the closure alone was ten times the size. No
-- version before this one wrote these tables, so there is nothing to move.
DROP TABLE scip_symbols;
DROP TABLE graph_index_state;
DROP TABLE graph_closure;
DROP TABLE graph_edges;
DROP TABLE graph_nodes;

-- `key` is "path" for a file and "path:qualname" for a definition; it outlives every new index, so
-- memories point to it (target_node_id). The id of a node that is gone is not given to another.
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
CREATE INDEX idx_gn_label     ON graph_nodes(label);
CREATE INDEX idx_gn_file_path ON graph_nodes(file_path) WHERE file_path IS NOT NULL;
CREATE INDEX idx_gn_layer     ON graph_nodes(layer, type) WHERE layer > 1;

-- `files` is 1 for an edge between two files, which sums up those between what they define.
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
  stale_at   INTEGER,
  PRIMARY KEY (from_id, type, to_id, source)
) STRICT, WITHOUT ROWID;
-- Who uses a node is read surest first and only as far as it is wanted, from the index alone.
CREATE INDEX idx_ge_to    ON graph_edges(to_id, files, confidence DESC, weight DESC, stale_at);
CREATE INDEX idx_ge_stale ON graph_edges(stale_at) WHERE stale_at IS NOT NULL;

-- Files only, to depth 2: `ancestor` is what changes, `descendant` what depends on it, `via_id` the
-- file between the two at depth 2 (the ancestor itself at depth 1), `source` that of the last edge.
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

-- One row for each file that was looked at. `outline` and `uses` are what was read from it, so that
-- its names can be resolved again without reading it; `links_at` is NULL until they were.
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

-- Which names each file uses: whose links may change when a name comes or goes.
CREATE TABLE graph_names (
  name    TEXT NOT NULL,
  file_id INTEGER NOT NULL REFERENCES graph_files(id) ON DELETE CASCADE,
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

-- Parts of files, to be found by words at once and by meaning when their vectors are made.
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

-- The text is in code_chunks; the index keeps words only. `terms` holds the parts of joined names.
CREATE VIRTUAL TABLE code_chunks_fts USING fts5(
  path, name, doc, text, terms,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER code_chunks_delete AFTER DELETE ON code_chunks BEGIN
  DELETE FROM code_chunks_fts WHERE rowid = old.id;
  DELETE FROM embeddings WHERE owner_kind = 'chunk' AND owner_id = CAST(old.id AS TEXT);
  DELETE FROM code_chunk_queue WHERE chunk_id = old.id;
END;

-- Chunks wait for their vectors in a line of their own, behind memories and turns: there are many.
CREATE TABLE code_chunk_queue (
  chunk_id INTEGER PRIMARY KEY,
  priority REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX idx_chunk_queue ON code_chunk_queue(priority DESC, chunk_id);
