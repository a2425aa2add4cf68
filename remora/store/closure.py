"""SQL for `graph_closure`: the direct dependencies between files; file coupling.

A row for every reachable pair would be too many: in a library of 1,500 files where most reach the core,
depth 3 is most of the two million pairs. Impact analysis walks on from these rows and stops once it has
enough results. Symbols have no rows: the callers of a symbol are a short walk over an index.

`descendant` depends on `ancestor`, which is also `via`. Every row has depth 1; earlier versions wrote others.

The coupling of two files is the weight of their edges as a share of all edge weights of one of them, the
one with the smaller sum. Only edges that are certain enough and not stale count.
"""

from __future__ import annotations

from collections.abc import Collection

from remora.core.cochange import Tie
from remora.store.connection import Tables
from remora.store.graph import DEPENDENCE, Edge

# Every pair of files with a dependency edge, once. Weights have six decimal places, so that the order of the
# sum changes nothing.
_DIRECT = f"""SELECT e.to_id AS ancestor, e.from_id AS descendant,
                group_concat(DISTINCT e.type ORDER BY e.type) AS kinds,
                round(max(e.confidence) * (1.0 + log2(1.0 + sum(e.weight))), 6) AS weight,
                round(max(e.confidence), 6) AS confidence, max(e.source) AS source
              FROM graph_edges e WHERE {DEPENDENCE} AND e.to_id <> e.from_id"""
_INSERT = """INSERT INTO graph_closure(ancestor_id, descendant_id, depth, via_id, edge_types, total_weight,
               confidence, source)
             SELECT ancestor, descendant, 1, ancestor, kinds, weight, confidence, source FROM"""

# The rows at either end of the files in ?1, without stale ones; `uses` if the other is the user.
_NEAR = """SELECT a.key AS path, d.key AS other, 1 AS uses, c.edge_types AS kinds, c.total_weight AS weight
           FROM json_each(?1) j CROSS JOIN graph_nodes a ON a.key = j.value
           CROSS JOIN graph_closure c ON c.ancestor_id = a.id AND c.depth = 1
           CROSS JOIN graph_nodes d ON d.id = c.descendant_id WHERE d.stale_at IS NULL
           UNION ALL SELECT d.key, a.key, 0, c.edge_types, c.total_weight
           FROM json_each(?1) j CROSS JOIN graph_nodes d ON d.key = j.value AND d.stale_at IS NULL
           CROSS JOIN graph_closure c ON c.descendant_id = d.id AND c.depth = 1
           CROSS JOIN graph_nodes a ON a.id = c.ancestor_id"""
# The relation of the other file to the given one, in both directions of the edge; the most certain first.
_WORDS = {
    "tests": ("is tested by it", "tests it"),
    "inherits": ("is a base of it", "inherits from it"),
    "implements": ("is implemented by it", "implements it"),
    "imports": ("is imported by it", "imports it"),
    "calls": ("is called by it", "calls it"),
}


class Closure(Tables):
    """The closure of one project's files."""

    def rebuild(self) -> None:
        """Rebuild every row inside a transaction."""
        self._connection.execute("DELETE FROM graph_closure")
        self._connection.execute(f"{_INSERT} ({_DIRECT} GROUP BY e.to_id, e.from_id)")

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._connection.value("SELECT count(*) FROM graph_closure"))

    def update(self, changed: Collection[int]) -> None:
        """Rebuild the rows of some files after their edges changed; call inside a transaction."""
        among = "IN (SELECT value FROM json_each(?))"
        self._connection.execute(f"DELETE FROM graph_closure WHERE descendant_id {among}", (changed,))
        self._connection.execute(
            f"{_INSERT} ({_DIRECT} AND e.from_id {among} GROUP BY e.to_id, e.from_id)", (changed,)
        )

    def users(self, ids: Collection[int], limit: int = -1) -> list[Edge]:
        """Return the direct dependents of files, one edge per pair with all types, without stale edges.

        In the order of the files, and for each the heaviest first; at most `limit`, -1 for all.
        """
        sql = """SELECT c.descendant_id, c.ancestor_id, c.edge_types, c.source, c.total_weight, c.confidence
                 FROM json_each(?) j CROSS JOIN graph_closure c INDEXED BY idx_gc_ancestor
                   ON c.ancestor_id = j.value AND c.depth = 1
                 WHERE c.descendant_id NOT IN (SELECT n.id FROM graph_nodes n INDEXED BY idx_gn_stale
                                               WHERE n.stale_at IS NOT NULL) LIMIT ?"""
        return list(map(Edge._make, self._connection.rows(sql, (ids, limit))))

    def using(self, node_id: int, name: str, limit: int = -1) -> list[tuple[str, bool]]:
        """Return (path, whether it is a test) of the files that import a file and use a name anywhere."""
        sql = """SELECT u.path, f.test FROM (
                   SELECT f.id, f.path, c.total_weight AS weight, c.confidence AS sure FROM graph_closure c
                   CROSS JOIN graph_nodes n ON n.id = c.descendant_id
                   CROSS JOIN graph_files f ON f.path = n.key
                   CROSS JOIN graph_names g ON g.name = ? AND g.file_id = f.id
                   WHERE c.ancestor_id = ? AND c.depth = 1 AND instr(c.edge_types, 'imports')
                     AND n.stale_at IS NULL
                   ORDER BY c.total_weight DESC, c.confidence DESC, n.key LIMIT ?) u
                 CROSS JOIN graph_files f ON f.id = u.id ORDER BY u.weight DESC, u.sure DESC, u.path"""
        return [(path, bool(test)) for path, test in self._connection.rows(sql, (name, node_id, limit))]

    def near(self, paths: Collection[str]) -> list[tuple[str, str, float]]:
        """Return (path, neighbour, weight) at either end, without stale paths."""
        sql = f"SELECT path, other, weight FROM ({_NEAR}) ORDER BY 1, 3 DESC, 2"
        return self._connection.rows(sql, (paths,))


class FileCoupling(Tables):
    """The coupling between one project's files."""

    def of(self, path: str) -> dict[str, Tie]:
        """Return the files coupled to a file; none for a file outside the graph."""
        sql = f"SELECT other, uses, kinds, weight FROM ({_NEAR}) ORDER BY other, uses"
        steps = self._connection.rows(sql, ([path],))
        sql = f"SELECT path, sum(weight) FROM ({_NEAR}) GROUP BY path"
        whole = dict(self._connection.rows(sql, ({path, *(other for other, *_ in steps)},)))
        weights: dict[str, float] = {}
        words: dict[str, str] = {}
        for other, uses, kinds, weight in steps:
            weights[other] = weights.get(other, 0.0) + weight / min(whole[path], whole[other])
            said = next(both for kind, both in _WORDS.items() if kind in kinds.split(","))[uses]
            words[other] = f"{words[other]} and {said}" if other in words else said
        return {key: Tie(min(1.0, weight), words[key]) for key, weight in weights.items()}
