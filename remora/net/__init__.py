"""HTTP to model servers: one client that translates answers and failures."""
