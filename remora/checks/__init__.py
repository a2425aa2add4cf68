"""The commands that check a change: counted from sessions, and named by the project."""
