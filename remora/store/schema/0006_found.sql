-- A keyword search finds row numbers, and asks which of them are live and on the branch: answered from
-- an index alone. SQLite reads the whole row otherwise, and a row is long.
CREATE INDEX idx_memories_found ON memories(seq, id, branch) WHERE deprecated = 0;
