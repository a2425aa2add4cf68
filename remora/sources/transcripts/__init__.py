"""Session logs of agents, read as events."""
