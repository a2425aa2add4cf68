-- Two columns that nothing ever wrote.
ALTER TABLE observer_co_access_edges DROP COLUMN task_type_breakdown;
ALTER TABLE observer_co_access_edges DROP COLUMN promoted_at;
