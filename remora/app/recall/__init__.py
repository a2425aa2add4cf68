"""Questions to the memory: hits, related files, context before a task."""
