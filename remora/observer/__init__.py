"""Signals and memories from the behaviour of agents, without asking them."""
