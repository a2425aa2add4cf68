-- How a file uses a name, a sum of 1 behind a dot, 2 taken by an import, 4 given another name by one. The
-- name '' stands for everything that a module has. Graphs of before are read again.
ALTER TABLE graph_names ADD COLUMN how INTEGER NOT NULL DEFAULT 0;

-- An edge is stale while the node of the file where it starts is: a mark on each edge made every edit of a
-- file write all its edges three times.
DROP INDEX idx_ge_to;
DROP INDEX idx_ge_stale;
ALTER TABLE graph_edges DROP COLUMN stale_at;
CREATE INDEX idx_ge_to    ON graph_edges(to_id, files, confidence DESC, weight DESC);
CREATE INDEX idx_gn_stale ON graph_nodes(id) WHERE stale_at IS NOT NULL;

-- Asked with every edit: the first definitions of a name by path, and how many files could not be read whole.
DROP INDEX idx_gn_label;
CREATE INDEX idx_gn_label  ON graph_nodes(label, file_path);
CREATE INDEX idx_gf_errors ON graph_files(id) WHERE errors > 0 AND skipped = '';
