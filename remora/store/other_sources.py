"""SQL for edges from sources other than the code: a SCIP index, git history, agent sessions."""

from __future__ import annotations

from collections.abc import Iterable

from remora.core.code import EXACT, GUESS_BELOW
from remora.store.connection import Tables


class OtherSources(Tables):
    """The edges of sources other than "ast". Writers call inside a transaction."""

    def cover(self, paths: Iterable[str]) -> None:
        """Replace the set of files whose current content a SCIP index describes."""
        self._connection.execute("DELETE FROM scip_files")
        self._connection.execute(
            """INSERT INTO scip_files(path, hash)
               SELECT f.path, f.hash FROM json_each(?) j CROSS JOIN graph_files f ON f.path = j.value""",
            (sorted(paths),),
        )

    def uncover(self, path: str) -> None:
        """Drop what a SCIP index says of a file, whose content is another now."""
        self._connection.execute("DELETE FROM scip_files WHERE path = ?", (path,))
        self._connection.execute(
            """DELETE FROM graph_edges WHERE source = 'scip' AND from_id IN (
                 SELECT id FROM graph_nodes WHERE file_path = ?)""",
            (path,),
        )

    def covered(self) -> list[str]:
        """Return the files that the index covers, in order."""
        return self._connection.column("SELECT path FROM scip_files ORDER BY path")

    def prefer_precise(self, path: str) -> None:
        """Delete our resolved edges of a file in favour of its edges from a SCIP index, if it has any.

        The index decides on a certain edge only if it covers both files. A guess is also removed if the same
        definition has a precise edge to another definition of that name.
        """
        own = "from_id IN (SELECT id FROM graph_nodes WHERE file_path = ?)"
        sql = """SELECT 1 FROM scip_files s CROSS JOIN graph_nodes n ON n.file_path = s.path
                 CROSS JOIN graph_edges e ON e.from_id = n.id AND e.source = 'scip'
                 WHERE s.path = ? LIMIT 1"""
        if self._connection.row(sql, (path,)) is None:
            return
        self._connection.execute(
            f"""DELETE FROM graph_edges WHERE {own} AND source = 'ast'
                AND type = 'calls' AND (files = 0 OR confidence < {EXACT})
                AND (
                  EXISTS (SELECT 1 FROM graph_nodes n CROSS JOIN scip_files s ON s.path = n.file_path
                          WHERE n.id = graph_edges.to_id)
                  OR confidence < {GUESS_BELOW} AND EXISTS (
                    SELECT 1 FROM graph_nodes a CROSS JOIN graph_edges p ON p.from_id = graph_edges.from_id
                    CROSS JOIN graph_nodes b ON b.id = p.to_id
                    WHERE a.id = graph_edges.to_id AND p.source = 'scip' AND b.label = a.label))""",
            (path,),
        )

    def count_from(self, source: str) -> int:
        """Return the number of edges of a source."""
        return int(self._connection.value("SELECT count(*) FROM graph_edges WHERE source = ?", (source,)))

    def drop_from(self, source: str) -> list[str]:
        """Delete every edge of a source; returns the files that had edges."""
        sql = """SELECT DISTINCT n.file_path FROM graph_edges e JOIN graph_nodes n ON n.id = e.from_id
                 WHERE e.source = ? AND n.file_path IS NOT NULL ORDER BY 1"""
        paths = self._connection.column(sql, (source,))
        self._connection.execute("DELETE FROM graph_edges WHERE source = ?", (source,))
        return paths

    def put_history(self, partners: int, now: int) -> None:
        """Replace the edges of git and of agent sessions: each file's strongest partners.

        `weight` is the number of commits that changed both files (or of times both were read),
        `confidence` its share of the first file's commits.
        """
        self._connection.execute("DELETE FROM graph_edges WHERE source IN ('git', 'observer')")
        self._connection.execute(
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
        self._connection.execute(
            """INSERT OR IGNORE INTO graph_edges(from_id, to_id, type, source, files, weight, confidence,
                 updated_at)
               SELECT a.id, b.id, 'co_access', 'observer', 1, o.raw_count, min(1.0, o.weight), ?
               FROM observer_co_access_edges o
               JOIN graph_nodes a ON a.key = o.file_a JOIN graph_nodes b ON b.key = o.file_b""",
            (now,),
        )
