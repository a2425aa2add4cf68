"""Notes and archives of a project in one file, searchable by name, alias or words."""
