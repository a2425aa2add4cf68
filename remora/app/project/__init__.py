"""The open project: where it lies, its settings, databases and models."""
