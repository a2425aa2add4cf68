-- At which actions a memory is said: what it forbids and wants, the errors it tells a remedy for, the names it
-- speaks of. Derived from memories; made anew by `learn`, and for each memory when it is stored.
DROP TABLE memory_cues;
CREATE TABLE memory_triggers (
  kind      TEXT NOT NULL,  -- remora/core/triggers.py lists them
  key       TEXT NOT NULL,
  memory_id TEXT NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  needs     TEXT NOT NULL DEFAULT '[]',  -- what must be there besides, a JSON list
  unless    TEXT NOT NULL DEFAULT '[]',  -- what makes it say nothing, a JSON list
  weight    REAL NOT NULL DEFAULT 1.0,
  PRIMARY KEY (kind, key, memory_id, needs)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_memory_triggers_memory ON memory_triggers(memory_id);

-- What a person or an agent said a memory is to be told at: {"forbids": [], "wants": [], "when": []}.
ALTER TABLE memories ADD COLUMN triggers TEXT;
