-- Near duplicates are found by full-text search. No query uses the indexes: a file holds one project.
DROP TABLE memory_bands;
DROP INDEX idx_memories_project_type;
DROP INDEX idx_memories_project_scope;
DROP INDEX idx_memories_type_conf;
