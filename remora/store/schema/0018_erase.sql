-- What is deleted from a full-text index is overwritten at once, and not only when its segments are merged.
INSERT INTO memories_fts(memories_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO turns_fts(turns_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO turn_windows_fts(turn_windows_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO notes_fts(notes_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO observer_sessions_fts(observer_sessions_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO memories_fts(memories_fts) VALUES ('optimize');
INSERT INTO notes_fts(notes_fts) VALUES ('optimize');
