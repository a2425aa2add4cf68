"""What goes in front of the agent, at which moment, and whether anything should."""
