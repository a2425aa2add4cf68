-- Every change of a memory, with its author and reason; and what memories were used for, by session.

CREATE TABLE memory_revisions (
  rev       TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL,
  parents   TEXT NOT NULL,
  device    TEXT NOT NULL,
  n         INTEGER NOT NULL,
  hlc       TEXT NOT NULL,
  author    TEXT NOT NULL,
  op        TEXT NOT NULL,
  fields    TEXT NOT NULL,
  why       TEXT NOT NULL DEFAULT '',
  UNIQUE (device, n)
) STRICT;
CREATE INDEX idx_memory_revisions_memory ON memory_revisions(memory_id, hlc);
CREATE INDEX idx_memory_revisions_hlc ON memory_revisions(hlc);

CREATE TABLE memory_heads (
  memory_id TEXT,
  rev       TEXT,
  PRIMARY KEY (memory_id, rev)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_use (
  memory_id  TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind       TEXT NOT NULL,
  n          INTEGER NOT NULL,
  at         TEXT NOT NULL,
  PRIMARY KEY (memory_id, session_id, kind)
) STRICT, WITHOUT ROWID;

-- Never said unasked, though it is found: a person said that it is right and of no use there.
ALTER TABLE memories ADD COLUMN silent INTEGER NOT NULL DEFAULT 0;

INSERT INTO meta(key, value) VALUES ('device', '"' || lower(hex(randomblob(8))) || '"');

-- Until now being said was no use: nothing is forgotten by itself for one half-life from here.
INSERT INTO meta(key, value)
  SELECT 'upgraded', '"' || strftime('%Y-%m-%dT%H:%M:%fZ', 'now') || '"' WHERE EXISTS (SELECT 1 FROM memories);

-- Earlier versions counted every search of anybody as a use: what they counted is kept as what it is.
INSERT INTO memory_use
  SELECT id, 'before', 'asked', access_count, last_accessed_at FROM memories WHERE access_count > 0;

-- Memories made before have one revision: as they are now, at the time that they were made.
WITH now(ms) AS (SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
made(id, n, ms) AS (
  SELECT id, row_number() OVER (ORDER BY created_at, seq),
    coalesce(min(CAST((julianday(created_at) - 2440587.5) * 86400000 AS INTEGER), now.ms), 0)
  FROM memories, now)
INSERT INTO memory_revisions(rev, memory_id, parents, device, n, hlc, author, op, fields, why)
SELECT lower(printf('%s-%s-7%s-8%s-%s', substr(printf('%012x', made.ms), 1, 8), substr(printf('%012x', made.ms), 9),
      substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
    m.id, '[]', (SELECT value ->> '$' FROM meta WHERE key = 'device'), made.n,
    printf('%013d%06d', max(made.ms) OVER (ORDER BY made.n), made.n % 1000000),
    CASE m.source
      WHEN 'user_taught' THEN 'person:' || (SELECT value ->> '$' FROM meta WHERE key = 'device')
      WHEN 'observer_inferred' THEN 'observer:' || coalesce(m.session_id, '')
      WHEN 'agent_explicit' THEN 'agent::' || coalesce(m.session_id, '')
      ELSE 'system:init' END,
    'create', json_object(
      'id', m.id,
      'type', m.type,
      'content', m.content,
      'confidence', m.confidence,
      'tags', m.tags,
      'related_files', m.related_files,
      'related_modules', m.related_modules,
      'created_at', m.created_at,
      'updated_at', m.updated_at,
      'scope', m.scope,
      'source', m.source,
      'project_id', m.project_id,
      'session_id', m.session_id,
      'commit_sha', m.commit_sha,
      'branch', m.branch,
      'work_unit_ref', m.work_unit_ref,
      'methodology', m.methodology,
      'relations', m.relations,
      'derived_from', m.derived_from,
      'provenance_session_ids', m.provenance_session_ids,
      'origins', m.origins,
      'taint', m.taint,
      'payload', m.payload,
      'citation_text', m.citation_text,
      'decay_half_life_days', m.decay_half_life_days,
      'needs_review', m.needs_review,
      'review_reason', m.review_reason,
      'user_verified', m.user_verified,
      'pinned', m.pinned,
      'deprecated', m.deprecated,
      'deprecated_at', m.deprecated_at,
      'stale_at', m.stale_at,
      'superseded_by', m.superseded_by,
      'redaction_count', m.redaction_count,
      'external_id', m.external_id,
      'chunk_type', m.chunk_type,
      'chunk_start_line', m.chunk_start_line,
      'chunk_end_line', m.chunk_end_line,
      'context_prefix', m.context_prefix,
      'target_node_id', m.target_node_id,
      'impacted_node_ids', m.impacted_node_ids,
      'triggers', m.triggers,
      'trust_level_scope', m.trust_level_scope,
      'silent', m.silent), 'made by an earlier version'
  FROM made JOIN memories m ON m.id = made.id;
INSERT INTO memory_heads SELECT memory_id, rev FROM memory_revisions;
