-- Every search asks of its nearest vectors which memories are live and on which branch: answered from
-- an index alone, without reading the rows.
CREATE INDEX idx_memories_live ON memories(id, branch) WHERE deprecated = 0;
