-- What a text says is matched as patterns, like those that somebody gave; learning makes them.
DELETE FROM memory_triggers WHERE kind IN ('program', 'event', 'write', 'path');
UPDATE memory_triggers SET kind = 'pattern' WHERE kind = 'given';
