"""Learning from transcripts and live sessions: quotes, promotion, deduplication."""
