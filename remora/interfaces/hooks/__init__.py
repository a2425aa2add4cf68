"""`remora hook`: the command that hosts run at each event of a session."""
