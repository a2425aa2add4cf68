-- Conversation turns as the search index sees them. The session logs are the source; these rows can
-- be made again from them. `position` counts the turns of a session without gaps, so that a turn's
-- neighbours are one key away.

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
CREATE TRIGGER turns_fts_insert AFTER INSERT ON turns BEGIN
  INSERT INTO turns_fts(rowid, content, role, time, search_terms)
  VALUES (new.id, new.content, new.role, new.time, new.search_terms);
END;
CREATE TRIGGER turns_fts_delete AFTER DELETE ON turns BEGIN
  INSERT INTO turns_fts(turns_fts, rowid, content, role, time, search_terms)
  VALUES ('delete', old.id, old.content, old.role, old.time, old.search_terms);
END;
CREATE TRIGGER turns_embeddings_delete AFTER DELETE ON turns BEGIN
  DELETE FROM embeddings WHERE owner_kind = 'turn' AND owner_id = CAST(old.id AS TEXT);
END;
