"""What becomes a memory: transcripts and live sessions, quotes, what is known already."""
