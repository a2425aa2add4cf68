"""The markdown files that a person can read and edit: MEMORY.md, HISTORY.md and daily notes."""
