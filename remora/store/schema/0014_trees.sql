-- How files looked in a work tree whose times are not those of `graph_files`, and what was in them then: the
-- work trees of a project share its graph, and the same content has another time in each.
CREATE TABLE graph_tree_files (
  file_id  INTEGER NOT NULL REFERENCES graph_files(id) ON DELETE CASCADE,
  tree     TEXT NOT NULL,
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  hash     TEXT NOT NULL,
  PRIMARY KEY (file_id, tree)
) STRICT, WITHOUT ROWID;
