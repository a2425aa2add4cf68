-- Quotes are found by search; at an action only memories are shown.
DROP TABLE quote_triggers;
