"""Search: from a query to a packed list of hits."""
