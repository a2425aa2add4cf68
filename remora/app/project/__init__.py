"""The open project: its location, settings, databases and models."""
