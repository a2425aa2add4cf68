"""SQL for edges from sources other than the code: a SCIP index, git history, agent sessions."""

from __future__ import annotations

import json
from collections.abc import Mapping

from remora.core.code import EXACT, GUESS_BELOW
from remora.store.connection import Connection

# A file `s` of an index whose content is still the one that the index speaks of.
_AS_COVERED = "EXISTS (SELECT 1 FROM graph_files f WHERE f.path = s.path AND f.hash = s.hash)"


class OtherSources:
    """The edges of sources other than "ast". Writers call inside a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def cover(self, files: Mapping[str, tuple[str, bytes | None]]) -> None:
        """Replace the coverage of a SCIP index: by path the content hash of a file and its packed edges.

        The edges are None if none in the index start in the file.
        """
        self._connection.execute("DELETE FROM scip_files")
        self._connection.execute_many(
            "INSERT INTO scip_files(path, hash, links) VALUES (?, ?, ?)",
            [(path, *files[path]) for path in sorted(files)],
        )

    def covered(self) -> list[str]:
        """Return the files that the index covers, or covered before they changed, in order."""
        return [r[0] for r in self._connection.rows("SELECT path FROM scip_files ORDER BY path")]

    def covers(self, path: str, hashed: str) -> bool:
        """Return whether the index covers a file with this content."""
        sql = "SELECT 1 FROM scip_files WHERE path = ? AND hash = ?"
        return self._connection.row(sql, (path, hashed)) is not None

    def links_of(self, path: str) -> bytes | None:
        """Return the packed edges of the index from the current content of a file, None if there are none."""
        sql = f"SELECT links FROM scip_files s WHERE s.path = ? AND {_AS_COVERED}"
        found = self._connection.row(sql, (path,))
        return found[0] if found else None

    def prefer_precise(self, path: str) -> None:
        """Replace our resolved edges of a file with those of a SCIP index, as far as it covers them.

        It decides on a certain edge only if it covers both current files. A guess is also removed if the same
        definition has a precise edge to another definition of that name.
        """
        own = "from_id IN (SELECT id FROM graph_nodes WHERE file_path = ?)"
        if self.links_of(path) is None:
            return
        self._connection.execute(
            f"""DELETE FROM graph_edges WHERE {own} AND source = 'ast'
                AND type IN ('calls', 'inherits', 'implements') AND (files = 0 OR confidence < {EXACT})
                AND (
                  EXISTS (SELECT 1 FROM graph_nodes n CROSS JOIN scip_files s ON s.path = n.file_path
                          WHERE n.id = graph_edges.to_id AND {_AS_COVERED})
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
        paths = [r[0] for r in self._connection.rows(sql, (source,))]
        self._connection.execute("DELETE FROM graph_edges WHERE source = ?", (source,))
        return paths

    def put_symbols(self, names: Mapping[str, str]) -> None:
        """Replace the node names of a SCIP index: name to key; unknown keys are dropped."""
        self._connection.execute("DELETE FROM scip_symbols")
        sql = "SELECT n.key, n.id FROM json_each(?) j CROSS JOIN graph_nodes n ON n.key = j.value"
        ids: dict[str, int] = dict(self._connection.rows(sql, (json.dumps(sorted(set(names.values()))),)))
        self._connection.execute_many(
            "INSERT INTO scip_symbols(symbol_id, node_id) VALUES (?, ?)",
            [(name, ids[key]) for name, key in sorted(names.items()) if key in ids],
        )

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
