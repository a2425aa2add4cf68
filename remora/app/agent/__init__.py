"""What an agent is told and when: hook events, the brief, the loop, the end of a session."""
