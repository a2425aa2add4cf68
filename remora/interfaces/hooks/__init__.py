"""`remora hook`: what the hosts of agents call at each event of a session."""
