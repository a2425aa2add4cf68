-- Moments that deserved advice, told or held back, with what followed; and what that says of memories.

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

INSERT INTO meta(key, value) VALUES ('trial.salt', '"' || lower(hex(randomblob(8))) || '"');
