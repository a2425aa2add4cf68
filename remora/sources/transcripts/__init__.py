"""Logs that agents leave of their sessions, read as events."""
