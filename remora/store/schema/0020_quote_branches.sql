-- The branch on which alone the quotes of a session are told; NULL for the whole project, and for files.
ALTER TABLE note_files ADD COLUMN branch TEXT;
