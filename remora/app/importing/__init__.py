"""Import of rule files, git history and other memory systems."""
