-- What Remora adds to a memory: where it came from, what became of it, how it is found.
-- `search_terms` holds what the tokenizer cannot see (parts of camelCase names, pairs of CJK signs);
-- the writer fills it, so that the triggers stay plain SQL and any SQLite can write here.

ALTER TABLE memories ADD COLUMN updated_at TEXT NOT NULL DEFAULT '1970-01-01T00:00:00.000Z';
ALTER TABLE memories ADD COLUMN branch TEXT;
ALTER TABLE memories ADD COLUMN derived_from TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(derived_from));
ALTER TABLE memories ADD COLUMN taint TEXT CHECK (taint IS NULL OR json_valid(taint));
ALTER TABLE memories ADD COLUMN superseded_by TEXT;
ALTER TABLE memories ADD COLUMN redaction_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN payload TEXT CHECK (payload IS NULL OR json_valid(payload));
ALTER TABLE memories ADD COLUMN origins TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(origins));
ALTER TABLE memories ADD COLUMN review_reason TEXT;
ALTER TABLE memories ADD COLUMN external_id TEXT;
ALTER TABLE memories ADD COLUMN content_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN search_terms TEXT NOT NULL DEFAULT '';
UPDATE memories SET updated_at = created_at;

CREATE INDEX idx_memories_content_hash ON memories(content_hash);
CREATE UNIQUE INDEX idx_memories_external_id ON memories(external_id) WHERE external_id IS NOT NULL;
CREATE INDEX idx_memories_branch ON memories(branch) WHERE branch IS NOT NULL;

-- Three indexes over JSON lists, kept by triggers: who was derived from whom, which memory speaks of
-- which file, and the MinHash bands by which near duplicates are found.
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

INSERT OR IGNORE INTO memory_files SELECT f.value, m.id FROM memories m, json_each(m.related_files) f;

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

-- FTS again, with the extra terms.
DROP TRIGGER memories_fts_insert;
DROP TRIGGER memories_fts_delete;
DROP TRIGGER memories_fts_update;
DROP TABLE memories_fts;
CREATE VIRTUAL TABLE memories_fts USING fts5(
  memory_id UNINDEXED, content, tags, related_files, search_terms, tokenize = 'porter unicode61'
);
INSERT INTO memories_fts(rowid, memory_id, content, tags, related_files, search_terms)
  SELECT seq, id, content, tags, related_files, search_terms FROM memories;
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

-- One embeddings table for every kind of owner. `part` numbers the pieces of a long text.
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
INSERT INTO embeddings(owner_kind, owner_id, model_id, dims, embedding, created_at)
  SELECT 'memory', memory_id, model_id, dims, embedding, created_at FROM memory_embeddings;
DROP TABLE memory_embeddings;
CREATE VIEW memory_embeddings AS
  SELECT owner_id AS memory_id, embedding, model_id, dims, created_at
  FROM embeddings WHERE owner_kind = 'memory' AND part = 0;

-- What waits for a vector, so that "is anything pending?" is one probe in a store of any size. A new
-- model queues what it has no vectors for.
CREATE TABLE embedding_queue (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_kind TEXT NOT NULL,
  owner_id   TEXT NOT NULL,
  UNIQUE (owner_kind, owner_id)
) STRICT;
INSERT INTO embedding_queue(owner_kind, owner_id) SELECT 'memory', id FROM memories WHERE deprecated = 0;
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

-- Small facts about the database itself: project identity, the last commit seen, counters.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
