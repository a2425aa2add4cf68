"""Share a memory between machines and in a team: outgoing and incoming entries, and exchanges."""
