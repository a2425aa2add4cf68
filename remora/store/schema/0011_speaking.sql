-- What makes a memory worth saying unasked: the words of a command, the text of an edit, an error or a
-- search that it speaks of. Derived from memories and from what sessions showed; made anew by `learn`.
CREATE TABLE memory_cues (
  kind      TEXT NOT NULL,  -- command | term | error | search | language
  cue       TEXT NOT NULL,  -- a program, an identifier, a fingerprint, a pattern, the ending of a file's name
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  needs     TEXT NOT NULL DEFAULT '[]',  -- further words that must be there, a JSON list
  weight    REAL NOT NULL DEFAULT 1.0,
  PRIMARY KEY (kind, cue, memory_id, needs)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_memory_cues_memory ON memory_cues(memory_id);

-- What was put in front of an agent, when and why, and what followed.
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
