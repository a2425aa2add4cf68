"""A conversation: its append-only log and its working context."""
