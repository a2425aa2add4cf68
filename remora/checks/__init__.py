"""Which commands check a change: counted from sessions of whatever tools, and named by the project."""
