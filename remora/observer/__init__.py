"""What an agent's behaviour shows, without asking it."""
