"""Text for agents and its time: hook events, the brief, the loop, the end of a session."""
