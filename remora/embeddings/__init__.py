"""Text to vectors, from the cheapest provider that will do."""
