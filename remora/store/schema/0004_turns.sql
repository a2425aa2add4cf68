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
-- A turn together with the two before and the two after it: an answer is often found by the words of
-- its question. Neighbours lend their first 600 characters; a turn that stands alone has no row.
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
