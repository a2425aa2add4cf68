"""What was there before: rule files, git history, other memory systems."""
