"""Files: written whole and durably, appended under a lock."""
