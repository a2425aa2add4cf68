"""Memories by id and as drafts, their triggers, and the vectors of stored texts."""
