"""One transcript: its append-only log and what of it is current."""
