"""Files: atomic and durable writes, appends under a lock."""
