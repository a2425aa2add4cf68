-- Where a part stands is found without reading its text.
CREATE INDEX idx_chunks_place ON code_chunks(id, file_id, start_line);
