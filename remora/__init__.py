"""Remora: memory for AI agents."""
