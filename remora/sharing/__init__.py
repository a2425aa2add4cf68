"""The shared log of a team's memories: its entries, the rights to write, and its carriers."""
