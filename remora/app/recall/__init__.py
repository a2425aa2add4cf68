"""Search the memory: hits, answers, related files, context before a task."""
