"""What the code defines, what uses what, and what a change would touch."""
