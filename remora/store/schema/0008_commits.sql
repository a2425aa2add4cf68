-- What each commit said and touched: a task that sounds like an earlier one touches its files. The
-- index keeps words only; `files` follows renames no further than the commit itself.
CREATE TABLE git_commits (
  id      INTEGER PRIMARY KEY,
  sha     TEXT NOT NULL UNIQUE,
  clock   INTEGER NOT NULL,
  date    TEXT NOT NULL,
  subject TEXT NOT NULL,
  body    TEXT NOT NULL,
  files   TEXT NOT NULL  -- a JSON list of paths
) STRICT;
CREATE INDEX idx_git_commits_clock ON git_commits(clock);
CREATE VIRTUAL TABLE git_commits_fts USING fts5(
  subject, body, terms, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER git_commits_delete AFTER DELETE ON git_commits BEGIN
  DELETE FROM git_commits_fts WHERE rowid = old.id;
END;
