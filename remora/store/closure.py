"""SQL for `graph_closure`: the dependencies between files, direct and through one other file; file coupling.

The table holds files only, to depth 2. A row for every reachable pair would be too many: in a library of
1,500 files where most reach the core, depth 3 is most of the two million pairs, and one changed import
would touch a large share of them. To depth 2 the table stays a few times the size of the edges, and a
change is exact and touches only the neighbours of both ends. Impact analysis walks on from its rows and
stops once it has enough results. Symbols have no rows: the callers of a symbol are a short walk over an
index.

`descendant` depends on `ancestor`. The shortest path is kept; among equally short ones the heavier, then
the more confident, then the one through the file whose path sorts first. Ids decide nothing: they depend
on the order in which files were read, and a full rebuild must give the same rows.

The coupling of two files is the weight of their edges as a share of all edge weights of one of them, the
one with the smaller sum. Only edges that are certain enough and not stale count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from remora.core.cochange import Tie
from remora.store.connection import Tables
from remora.store.graph import DEPENDENCE, Edge

DEPTH = 2

# Every pair of files with a dependency edge, once. Weights have six decimal places, so that they can be
# compared as integers.
_DIRECT = f"""SELECT e.to_id AS ancestor, e.from_id AS descendant,
                group_concat(DISTINCT e.type ORDER BY e.type) AS kinds,
                round(max(e.confidence) * (1.0 + log2(1.0 + sum(e.weight))), 6) AS weight,
                round(max(e.confidence), 6) AS confidence, max(e.source) AS source
              FROM graph_edges e WHERE {DEPENDENCE} AND e.to_id <> e.from_id"""
# The best path over two steps, first and second, which are rows of depth 1. With one max(), SQLite takes the
# bare columns from the row with the maximum. No two rows are equal, since the value includes the intermediate
# file: its position among these files by path, the first one the highest. Weights are below 2^25 millionths
# (four billion uses), and a project has less than 2^18 files.
_TWO_STEPS = """2 AS depth, first.descendant_id AS via,
                first.edge_types || ' > ' || second.edge_types AS kinds,
                min(first.total_weight, second.total_weight) AS weight,
                round(first.confidence * second.confidence, 6) AS confidence, second.source AS source,
                max((CAST(round(min(first.total_weight, second.total_weight) * 1e6) AS INTEGER) << 38)
                    + (CAST(round(first.confidence * second.confidence * 1e6) AS INTEGER) << 18)
                    + middle.place)"""
_PLACES = "SELECT id, row_number() OVER (ORDER BY key DESC) AS place FROM graph_nodes"
_WAY = "a, d, depth, via, kinds, weight, confidence, source"
_COLUMNS = "ancestor_id, descendant_id, depth, via_id, edge_types, total_weight, confidence, source"

# The rows of depth 1 at either end of the files in ?1, without stale ones; `uses` if the other is the user.
_NEAR = """SELECT a.key AS path, d.key AS other, 1 AS uses, c.edge_types AS kinds, c.total_weight AS weight
           FROM json_each(?1) j CROSS JOIN graph_nodes a ON a.key = j.value
           CROSS JOIN graph_closure c ON c.ancestor_id = a.id AND c.depth = 1
           CROSS JOIN graph_nodes d ON d.id = c.descendant_id WHERE d.stale_at IS NULL
           UNION ALL SELECT d.key, a.key, 0, c.edge_types, c.total_weight
           FROM json_each(?1) j CROSS JOIN graph_nodes d ON d.key = j.value AND d.stale_at IS NULL
           CROSS JOIN graph_closure c ON c.descendant_id = d.id AND c.depth = 1
           CROSS JOIN graph_nodes a ON a.id = c.ancestor_id"""
# The relation of the other file to the given one, in both directions of the edge.
_DOES = {
    "tests": "tests it",
    "inherits": "inherits from it",
    "implements": "implements it",
    "imports": "imports it",
    "calls": "calls it",
}
_IS_DONE = {
    "tests": "is tested by it",
    "inherits": "is a base of it",
    "implements": "is implemented by it",
    "imports": "is imported by it",
    "calls": "is called by it",
}


class Dependent(NamedTuple):
    """A file that depends on another.

    Attributes:
        id, key, type: its node.
        test: 1 for a test, else 0.
        depth: 1 or 2.
        via: the key of the intermediate file at depth 2, of the other file at depth 1.
        kinds: the edge types, joined by ","; at depth 2 those of both steps, as "imports > calls,imports".
        weight: of the lighter step: the highest edge confidence, raised for many uses.
        confidence: product over the steps.
        source: of the last step's edges.
    """

    id: int
    key: str
    type: str
    test: int
    depth: int
    via: str
    kinds: str
    weight: float
    confidence: float
    source: str


class Closure(Tables):
    """The closure of one project's files."""

    def rebuild(self) -> int:
        """Rebuild every row inside a transaction. Returns the number of rows."""
        self._connection.execute("DELETE FROM graph_closure")
        self._connection.execute(
            f"""INSERT INTO graph_closure({_COLUMNS})
                SELECT ancestor, descendant, 1, ancestor, kinds, weight, confidence, source
                FROM ({_DIRECT} GROUP BY e.to_id, e.from_id)"""
        )
        self._connection.execute("CREATE TEMP TABLE ways AS SELECT * FROM graph_closure")
        self._connection.execute("CREATE INDEX temp.ways_ancestor ON ways(ancestor_id)")
        self._put_places("SELECT ancestor_id FROM temp.ways")
        self._connection.execute(
            f"""INSERT OR IGNORE INTO graph_closure({_COLUMNS})
                SELECT {_WAY} FROM (
                  SELECT first.ancestor_id AS a, second.descendant_id AS d, {_TWO_STEPS}
                  FROM temp.ways first JOIN temp.middle ON middle.id = first.descendant_id
                  JOIN temp.ways second ON second.ancestor_id = first.descendant_id
                  WHERE second.descendant_id <> first.ancestor_id
                  GROUP BY first.ancestor_id, second.descendant_id)"""
        )
        self._connection.execute("DROP TABLE temp.ways")
        return self.count()

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._connection.value("SELECT count(*) FROM graph_closure"))

    def differing(self, node_id: int) -> set[int]:
        """Return the files whose dependency on a file differs from its stored rows."""
        rows = self._connection.rows(
            """SELECT ancestor_id, edge_types, total_weight, confidence, source FROM graph_closure
               WHERE descendant_id = ? AND depth = 1""",
            (node_id,),
        )
        direct = self._connection.rows(
            f"""SELECT ancestor, kinds, weight, confidence, source
                FROM ({_DIRECT} AND e.from_id = ? GROUP BY e.to_id)""",
            (node_id,),
        )
        return {row[0] for row in set(rows) ^ set(direct)}

    def update(self, changed: Iterable[int], again: Iterable[tuple[int, int]] = ()) -> None:
        """Update the rows after the edges of some files changed; call inside a transaction.

        An edge from f to t can change the rows of these pairs: f and t, f and each dependency of t, and each
        dependent of f and t; each if a path uses the edge now, or did when the rows were made.

        Args:
            changed: the source files of added, removed or changed edges; extra files do no harm.
            again: further pairs to recompute (see `around`).
        """
        pairs = set(again)
        changes = {node_id: targets for node_id in changed if (targets := self.differing(node_id))}
        for node_id, targets in changes.items():
            pairs |= self._led_over(node_id, targets)
        for node_id, targets in changes.items():
            self._step(node_id, targets)
        for node_id, targets in changes.items():
            pairs |= {(t, node_id) for t in targets}
            pairs |= {(above, node_id) for t in targets for above in self._above(t)}
            pairs |= {(t, below) for below in self._below(node_id) for t in targets}
        self.make_again(pairs)

    def _step(self, node_id: int, targets: Collection[int]) -> None:
        """Write the rows of depth 1 from some files to one that may depend on them."""
        self._connection.execute(
            """DELETE FROM graph_closure WHERE descendant_id = ? AND depth = 1
               AND ancestor_id IN (SELECT value FROM json_each(?))""",
            (node_id, targets),
        )
        self._connection.execute(
            f"""INSERT OR REPLACE INTO graph_closure({_COLUMNS})
                SELECT ancestor, descendant, 1, ancestor, kinds, weight, confidence, source
                FROM ({_DIRECT} AND e.from_id = ? AND e.to_id IN (SELECT value FROM json_each(?))
                      GROUP BY e.to_id)""",
            (node_id, targets),
        )

    def around(self, node_id: int) -> set[tuple[int, int]]:
        """Return the pairs whose path may use a file, to be recomputed after its deletion.

        Call before the file is deleted: its rows show its former edges.
        """
        below = self._below(node_id)
        return {(a, d) for a in self._above(node_id) for d in below if a != d}

    def make_again(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Recompute the best path of depth 2 for some (ancestor, descendant) from the rows of depth 1.

        Call inside a transaction.
        """
        wanted = sorted({p for p in pairs if p[0] != p[1]})
        if not wanted:
            return
        self._connection.execute(
            "CREATE TEMP TABLE IF NOT EXISTS pairs(d INTEGER, a INTEGER, PRIMARY KEY (d, a)) WITHOUT ROWID"
        )
        self._connection.execute("DELETE FROM temp.pairs")
        self._connection.execute_many("INSERT INTO temp.pairs(a, d) VALUES (?, ?)", wanted)
        self._connection.execute(
            """DELETE FROM graph_closure WHERE depth = 2
               AND (ancestor_id, descendant_id) IN (SELECT a, d FROM temp.pairs)"""
        )
        self._put_places(
            """SELECT second.ancestor_id FROM (SELECT DISTINCT d FROM temp.pairs) p
               CROSS JOIN graph_closure second ON second.descendant_id = p.d AND second.depth = 1"""
        )
        self._connection.execute(
            f"""INSERT OR IGNORE INTO graph_closure({_COLUMNS})
                SELECT {_WAY} FROM (
                  SELECT p.a AS a, p.d AS d, {_TWO_STEPS} FROM temp.pairs p
                  CROSS JOIN graph_closure second ON second.descendant_id = p.d AND second.depth = 1
                  CROSS JOIN graph_closure first ON first.ancestor_id = p.a
                    AND first.descendant_id = second.ancestor_id AND first.depth = 1
                  CROSS JOIN temp.middle ON middle.id = first.descendant_id
                  GROUP BY p.d, p.a)"""
        )
        self._connection.execute("DELETE FROM temp.pairs")

    def _put_places(self, ids: str) -> None:
        """Write the sort positions of the intermediate files of some paths; `ids` selects these files."""
        self._connection.execute(
            "CREATE TEMP TABLE IF NOT EXISTS middle(id INTEGER PRIMARY KEY, place INTEGER NOT NULL)"
        )
        self._connection.execute("DELETE FROM temp.middle")
        self._connection.execute(f"INSERT INTO temp.middle(id, place) {_PLACES} WHERE id IN ({ids})")

    def dependents(self, node_id: int, depth: int = DEPTH, limit: int = -1) -> list[Dependent]:
        """Return the dependents of a file to depth 2, nearest first, without stale paths.

        Ties by weight, heavier first; at most `limit`, -1 for all.
        """
        # Many rows have equal weights and are sorted by path: the other columns are read only for the result.
        sql = """SELECT n.id, n.key, n.type, f.test, c.depth, v.key, c.edge_types, c.total_weight,
                   c.confidence, c.source
                 FROM (SELECT n.id, n.key, n.type, c.total_weight AS weight, c.confidence AS sure
                       FROM graph_closure c INDEXED BY idx_gc_ancestor
                       CROSS JOIN graph_nodes n ON n.id = c.descendant_id
                       WHERE c.ancestor_id = ?1 AND c.depth = ?2 AND n.stale_at IS NULL
                         AND (c.depth = 1 OR c.via_id NOT IN (SELECT v.id FROM graph_nodes v
                           INDEXED BY idx_gn_stale WHERE v.stale_at IS NOT NULL))
                       ORDER BY c.total_weight DESC, c.confidence DESC, n.key LIMIT ?3) n
                 CROSS JOIN graph_closure c ON c.ancestor_id = ?1 AND c.descendant_id = n.id
                 CROSS JOIN graph_nodes v ON v.id = c.via_id CROSS JOIN graph_files f ON f.path = n.key
                 ORDER BY n.weight DESC, n.sure DESC, n.key"""
        found: list[Dependent] = []
        for step in range(1, depth + 1):
            room = limit if limit < 0 else limit - len(found)
            rows = self._connection.rows(sql, (node_id, step, room))
            found += map(Dependent._make, rows)
        return found

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
        """Return (path, neighbour, weight) of depth 1 at either end, without stale paths."""
        sql = f"SELECT path, other, weight FROM ({_NEAR}) ORDER BY 1, 3 DESC, 2"
        return self._connection.rows(sql, (paths,))

    def _led_over(self, node_id: int, targets: Collection[int]) -> set[tuple[int, int]]:
        """Return the pairs whose rows use an edge from a file to one of some others."""
        above = self._connection.rows(
            """SELECT ancestor_id, descendant_id FROM graph_closure
               WHERE descendant_id = ? AND depth = 2 AND via_id IN (SELECT value FROM json_each(?))""",
            (node_id, targets),
        )
        below = self._connection.rows(
            """SELECT c.ancestor_id, c.descendant_id FROM json_each(?) j
               CROSS JOIN graph_closure c ON c.ancestor_id = j.value AND c.depth = 2 AND c.via_id = ?""",
            (targets, node_id),
        )
        return {(a, d) for a, d in (*above, *below)}

    def _above(self, node_id: int) -> list[int]:
        sql = "SELECT ancestor_id FROM graph_closure WHERE descendant_id = ? AND depth = 1"
        return self._connection.column(sql, (node_id,))

    def _below(self, node_id: int) -> list[int]:
        sql = "SELECT descendant_id FROM graph_closure WHERE ancestor_id = ? AND depth = 1"
        return self._connection.column(sql, (node_id,))


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
            said = _in_words(kinds, _DOES if uses else _IS_DONE)
            words[other] = f"{words[other]} and {said}" if other in words else said
        return {key: Tie(min(1.0, weight), words[key]) for key, weight in weights.items()}


def _in_words(kinds: str, words: Mapping[str, str]) -> str:
    """Return the most certain kind of edge in words: test, base, import, call."""
    return next((words[kind] for kind in words if kind in kinds.split(",")), words["calls"])
