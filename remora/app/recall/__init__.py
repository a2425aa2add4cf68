"""Questions to the memory: hits, files, and what is known before a task."""
