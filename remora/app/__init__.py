"""`Memory`, the object users hold, and the services behind its verbs."""
