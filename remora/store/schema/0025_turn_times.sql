-- When a turn was said, ISO 8601 in UTC, to search by; `time` keeps the speaker's own words for it. NULL where
-- nobody knows. Python fills it for the rows that are there (`migrations`).
ALTER TABLE turns ADD COLUMN at TEXT;
CREATE INDEX idx_turns_at ON turns(at);
