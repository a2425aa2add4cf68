"""The life of memories: validation, storing, flags, changes, pruning."""
