"""Connect the hosts of agents to Remora, and take the connection out again."""
