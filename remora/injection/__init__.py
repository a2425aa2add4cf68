"""Injection: the decision which memories are shown to an agent, and at which moment."""
