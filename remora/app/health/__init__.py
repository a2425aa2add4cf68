"""The state of the store: checks, counts, backup, what expired, derived data made again."""
