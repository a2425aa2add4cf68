"""The state of the store: checks, counts, backup, pruning, rebuilding of derived data."""
