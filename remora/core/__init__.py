"""Values and arithmetic: imports nothing of ours and touches nothing outside."""
