"""One memory on several machines and in a team: the shared log, who may write to it, what carries it."""
