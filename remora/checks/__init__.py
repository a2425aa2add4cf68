"""The commands that check a change: counted from sessions of any tools, and named by the project."""
