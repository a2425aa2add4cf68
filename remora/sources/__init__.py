"""Readers of existing sources: rule files, git history, transcripts, other memory systems."""
