"""The SQLite file: the only package that speaks SQL to it."""
