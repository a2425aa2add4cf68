-- What stands in the files that people and agents write, as the search index sees it: MEMORY.md, HISTORY,
-- daily notes, and the entries of the entry store. The files are the source; these rows can be made
-- again from them. `seen` is how a file looked when its rows were made.

CREATE TABLE note_files (
  path TEXT PRIMARY KEY,  -- relative to the project's memory folder
  seen TEXT NOT NULL
) STRICT;

CREATE TABLE notes (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT NOT NULL CHECK (kind IN ('longterm', 'note', 'archive', 'history', 'daily')),
  path         TEXT NOT NULL REFERENCES note_files(path) ON DELETE CASCADE,
  name         TEXT NOT NULL DEFAULT '',  -- of an entry
  start_line   INTEGER,
  end_line     INTEGER,
  time         TEXT,
  content      TEXT NOT NULL,
  search_terms TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX idx_notes_path ON notes(path);
CREATE INDEX idx_notes_kind ON notes(kind, id);

CREATE VIRTUAL TABLE notes_fts USING fts5(
  name, content, search_terms, content = 'notes', content_rowid = 'id', tokenize = 'porter unicode61'
);
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
