"""A query to a packed list of hits."""
