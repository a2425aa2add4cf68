-- What git history says about files: how often and how lately each changed, and which change together.
-- Weights are base-2 logarithms of forward-decayed sums (core/cochange.py explains): nothing ever has
-- to be aged, and only new commits touch rows.

CREATE TABLE git_files (
  path       TEXT PRIMARY KEY,
  present    INTEGER NOT NULL DEFAULT 1,  -- in the tree at the last commit seen
  commits    INTEGER NOT NULL DEFAULT 0,
  heat       REAL NOT NULL,
  reach      REAL NOT NULL,
  last_clock INTEGER NOT NULL,            -- number of the last commit that changed it, -1 for none
  first_date TEXT NOT NULL DEFAULT '',
  last_date  TEXT NOT NULL DEFAULT '',
  authors    TEXT NOT NULL DEFAULT '[]',
  module     TEXT NOT NULL DEFAULT '',
  folder     TEXT NOT NULL DEFAULT '',
  stem       TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX idx_git_files_heat   ON git_files(heat DESC, path) WHERE present = 1;
CREATE INDEX idx_git_files_folder ON git_files(folder) WHERE present = 1;
CREATE INDEX idx_git_files_stem   ON git_files(stem) WHERE present = 1;
CREATE INDEX idx_git_files_module ON git_files(module) WHERE present = 1;

CREATE TABLE git_file_words (
  word TEXT NOT NULL,
  path TEXT NOT NULL REFERENCES git_files(path) ON DELETE CASCADE,
  PRIMARY KEY (word, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_git_file_words_path ON git_file_words(path);

-- Each pair stands twice, once from either side, so that one index read gives a file's partners.
CREATE TABLE git_pairs (
  path      TEXT NOT NULL,
  other     TEXT NOT NULL,
  bond      REAL NOT NULL,
  commits   INTEGER NOT NULL,
  last_date TEXT NOT NULL,
  PRIMARY KEY (path, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_git_pairs_bond ON git_pairs(path, bond DESC, other);

-- Rules and commits that `init` has read, so that reading them again changes nothing: one row for
-- each source text, with the memory it became.
CREATE TABLE source_items (
  kind      TEXT NOT NULL,             -- rule | commit
  key       TEXT NOT NULL,             -- hash of the text, or the commit
  memory_id TEXT,                      -- NULL when it was merged away or left out
  paths     TEXT NOT NULL DEFAULT '[]',
  seen_at   TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_source_items_memory ON source_items(memory_id) WHERE memory_id IS NOT NULL;
