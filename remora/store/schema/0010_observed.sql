-- What the sessions of agents showed, session by session. The tables of version 1 (files, co-access,
-- errors, modules) hold the sums; a session that is read again, longer, replaces its own rows, and the
-- sums it touches are made again from these.

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

-- What was asked in a session, for the sessions that are like a task.
CREATE VIRTUAL TABLE observer_sessions_fts USING fts5(
  prompt, summary, terms, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER observer_sessions_delete AFTER DELETE ON observer_sessions BEGIN
  DELETE FROM observer_sessions_fts WHERE rowid = old.seq;
END;

-- What each run of `learn` added or changed, to be looked through afterwards.
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
