"""The commands that check a change: counted from sessions, and the project's own tasks."""
