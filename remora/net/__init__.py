"""HTTP to model servers: one client, one place where answers and failures get our words."""
