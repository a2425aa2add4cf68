"""Verbs of the command line, grouped into modules that are imported on demand."""
