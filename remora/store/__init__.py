"""The SQLite database; the only package that runs SQL on it."""
