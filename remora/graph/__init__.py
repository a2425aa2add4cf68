"""The code graph: definitions, their uses, and the impact of a change."""
