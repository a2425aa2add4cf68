"""Text to vectors, from the cheapest sufficient provider."""
