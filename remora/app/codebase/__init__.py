"""The code of a project: its index, kept true to the files, and questions to it."""
