"""One memory on several machines and in a team: what leaves, what comes, and when."""
