-- The shared log as this node has it, what other devices counted, and disputes that nobody has settled.

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
