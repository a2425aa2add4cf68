-- Where a part stands is found without reading its text.
CREATE INDEX idx_chunks_place ON code_chunks(id, file_id, start_line);
-- What is remembered of a place in the code is found without reading every memory.
CREATE INDEX idx_memories_target ON memories(target_node_id) WHERE target_node_id IS NOT NULL;
CREATE INDEX idx_memories_impacted ON memories(id) WHERE impacted_node_ids <> '[]';
