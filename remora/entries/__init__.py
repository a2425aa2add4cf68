"""Notes and archives of a project in one file, found by name, alias or words."""
