"""The code of a project: its index, the comparison of index and files, and queries."""
