"""Written records: conversations, entries, journal, files of the memory tool, items of programs."""
