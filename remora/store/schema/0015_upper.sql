-- The few edges above the code are found without reading the many of the code at the same nodes.
CREATE INDEX idx_ge_upper_from ON graph_edges(from_id) WHERE layer > 1;
CREATE INDEX idx_ge_upper_to ON graph_edges(to_id) WHERE layer > 1;
