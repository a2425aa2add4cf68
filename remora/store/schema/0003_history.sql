-- What git history says about files: how often and how lately each changed, and which change together.
-- Weights carry forward decay: an increment at commit t is stored as w * 2^(t / half-life), so that
-- nothing ever has to be aged and only new commits touch rows (core/cochange.py explains).

CREATE TABLE git_files (
  path       TEXT PRIMARY KEY,
  present    INTEGER NOT NULL DEFAULT 1,  -- in the tree at the last commit seen
  popularity REAL NOT NULL DEFAULT 0.0,   -- forward-decayed number of commits
  row_weight REAL NOT NULL DEFAULT 0.0,   -- sum of the weights of its pairs
  last_clock INTEGER,                     -- number of the last commit that changed it
  commits    INTEGER NOT NULL DEFAULT 0,
  first_at   TEXT,
  last_at    TEXT,
  module     TEXT NOT NULL DEFAULT '',
  folder     TEXT NOT NULL DEFAULT '',
  stem       TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX idx_git_files_popularity ON git_files(popularity DESC) WHERE present = 1;
CREATE INDEX idx_git_files_folder ON git_files(folder) WHERE present = 1;
CREATE INDEX idx_git_files_stem ON git_files(stem) WHERE present = 1;
CREATE INDEX idx_git_files_module ON git_files(module) WHERE present = 1;

CREATE TABLE git_file_tokens (
  token TEXT NOT NULL,
  path  TEXT NOT NULL REFERENCES git_files(path) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (token, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_git_file_tokens_path ON git_file_tokens(path);

CREATE TABLE git_pairs (
  file_a   TEXT NOT NULL,
  file_b   TEXT NOT NULL,
  weight   REAL NOT NULL,
  together INTEGER NOT NULL,
  last_at  TEXT NOT NULL,
  PRIMARY KEY (file_a, file_b)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_git_pairs_weight ON git_pairs(file_a, weight DESC);

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
