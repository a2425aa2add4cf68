"""How memories age, earn trust and leave."""
