"""Readers for the files of other memory systems."""
