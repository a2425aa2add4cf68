"""SQL for edges that do not come from reading the code: a SCIP index, git's history, agent sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping

from remora.core.code import EXACT
from remora.store.connection import Database


class OtherSources:
    """The edges of sources beside "ast". Writers call inside a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def prefer_precise(self, path: str) -> bool:
        """Let a SCIP index's word for a file replace what we resolved, where there is one."""
        own = "from_id IN (SELECT id FROM graph_nodes WHERE file_path = ?)"
        if (
            self._db.row(f"SELECT 1 FROM graph_edges WHERE {own} AND source = 'scip' LIMIT 1", (path,))
            is None
        ):
            return False
        self._db.execute(
            f"""DELETE FROM graph_edges WHERE {own} AND source = 'ast'
                AND type IN ('calls', 'inherits', 'implements') AND (files = 0 OR confidence < {EXACT})""",
            (path,),
        )
        return True

    def count_from(self, source: str) -> int:
        """Return how many edges of a source there are."""
        return int(self._db.value("SELECT count(*) FROM graph_edges WHERE source = ?", (source,)))

    def drop_from(self, source: str) -> list[str]:
        """Delete every edge of a source; returns the files that had some."""
        sql = """SELECT DISTINCT n.file_path FROM graph_edges e JOIN graph_nodes n ON n.id = e.from_id
                 WHERE e.source = ? AND n.file_path IS NOT NULL ORDER BY 1"""
        paths = [r[0] for r in self._db.rows(sql, (source,))]
        self._db.execute("DELETE FROM graph_edges WHERE source = ?", (source,))
        return paths

    def put_symbols(self, names: Mapping[str, str]) -> None:
        """Replace the names that a SCIP index has for nodes: name to key; unknown keys are dropped."""
        self._db.execute("DELETE FROM scip_symbols")
        sql = "SELECT n.key, n.id FROM json_each(?) j CROSS JOIN graph_nodes n ON n.key = j.value"
        ids: dict[str, int] = dict(self._db.rows(sql, (json.dumps(sorted(set(names.values()))),)))
        self._db.execute_many(
            "INSERT INTO scip_symbols(symbol_id, node_id) VALUES (?, ?)",
            [(name, ids[key]) for name, key in sorted(names.items()) if key in ids],
        )

    def put_history(self, partners: int, now: int) -> None:
        """Replace the edges of git and of agent sessions: each file's strongest partners.

        `weight` is in how many commits two files changed (or how often they were read) together, and
        `confidence` the share of the first one's commits.
        """
        self._db.execute("DELETE FROM graph_edges WHERE source IN ('git', 'observer')")
        self._db.execute(
            """INSERT OR IGNORE INTO graph_edges(from_id, to_id, type, source, files, weight, confidence,
                 updated_at)
               SELECT a.id, b.id, 'co_change', 'git', 1, p.commits, min(1.0, 1.0 * p.commits / p.own), ?2
               FROM (
                 SELECT q.path, q.other, q.commits, f.commits AS own,
                   row_number() OVER (PARTITION BY q.path ORDER BY q.bond DESC, q.other) AS place
                 FROM git_pairs q JOIN git_files f ON f.path = q.path AND f.present = 1
                 WHERE q.commits > 1 AND f.commits > 0) p
               JOIN graph_nodes a ON a.key = p.path JOIN graph_nodes b ON b.key = p.other
               WHERE p.place <= ?1""",
            (partners, now),
        )
        self._db.execute(
            """INSERT OR IGNORE INTO graph_edges(from_id, to_id, type, source, files, weight, confidence,
                 updated_at)
               SELECT a.id, b.id, 'co_access', 'observer', 1, o.raw_count, min(1.0, o.weight), ?
               FROM observer_co_access_edges o
               JOIN graph_nodes a ON a.key = o.file_a JOIN graph_nodes b ON b.key = o.file_b""",
            (now,),
        )
