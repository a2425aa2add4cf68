-- What a SCIP index says of a file, as long as the file's content is the one that it speaks of: when that
-- comes back, the edges do, too. `links` is NULL where the index shows no edge that starts there.
CREATE TABLE scip_files (
  path  TEXT PRIMARY KEY,
  hash  TEXT NOT NULL,
  links BLOB
) STRICT;
