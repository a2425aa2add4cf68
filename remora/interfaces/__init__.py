"""Ways in: no behaviour of their own."""
