-- What a person said in sessions, sentence by sentence, beside what stands in files: kind "quote", path
-- "session:<id>", `answers` the end of what it answered. Sessions are their source.
CREATE TABLE notes_new (
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
INSERT INTO notes_new(id, kind, path, name, start_line, end_line, time, content, search_terms)
  SELECT id, kind, path, name, start_line, end_line, time, content, search_terms FROM notes;
DROP TABLE notes;
ALTER TABLE notes_new RENAME TO notes;
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

-- At which actions a quote is said, as `memory_triggers` has it of memories.
CREATE TABLE quote_triggers (
  kind     TEXT NOT NULL,
  key      TEXT NOT NULL,
  quote_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
  needs    TEXT NOT NULL DEFAULT '[]',
  unless   TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (kind, key, quote_id, needs)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_quote_triggers_quote ON quote_triggers(quote_id);
