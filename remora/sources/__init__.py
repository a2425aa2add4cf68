"""What is already there, turned into our values: rule files and git history."""
