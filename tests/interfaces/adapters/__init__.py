"""Tests of the adapters, each beside its framework: `python dev.py adapters`."""
