"""The one object users hold, and the wiring behind it."""
