"""SQL for `graph_closure`: which files depend on which, directly and through one other.

Only files, and only to depth 2. A row for every pair within reach of each other would not do: in a
library of 1,500 files where most reach the core, depth 3 is most of the two million pairs, and one
changed import would touch a large share of them. To depth 2 the table stays a few times the edges,
a change is exact and touches the two ends' neighbours alone, and the rest of an impact is found by
walking on from its rows, which stops as soon as enough was found. Symbols have no rows: who calls
one is a short walk over an index.

`ancestor` is what changes and `descendant` what depends on it. The shortest way is kept; of two as
short, the one with more weight, then the lower id.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from remora.store.connection import Database
from remora.store.graph import DEPENDENCE

DEPTH = 2

# Every pair of files with an edge of dependence, once. Weights have six digits, so that they can be
# compared as whole numbers.
_DIRECT = f"""SELECT e.to_id AS ancestor, e.from_id AS descendant,
                group_concat(DISTINCT e.type ORDER BY e.type) AS kinds,
                round(max(e.confidence) * (1.0 + log2(1.0 + sum(e.weight))), 6) AS weight,
                round(max(e.confidence), 6) AS confidence, max(e.source) AS source
              FROM graph_edges e WHERE {DEPENDENCE} AND e.to_id <> e.from_id"""
# Of two steps, first and second: what a row of depth 2 holds. With one max(), SQLite takes the bare
# columns from the row that has it; no two have the same, since the id of the file between is in it.
_TWO_STEPS = """first.descendant AS via, first.kinds || ' > ' || second.kinds AS kinds,
                min(first.weight, second.weight) AS weight,
                round(first.confidence * second.confidence, 6) AS confidence, second.source AS source,
                max((CAST(round(min(first.weight, second.weight) * 1e6) AS INTEGER) << 32)
                    - first.descendant) AS best"""


class Dependent(NamedTuple):
    """A file that depends on another.

    Attributes:
        id, key, type: its node.
        depth: 1 or 2.
        via: the key of the file between the two at depth 2, of the other file at depth 1.
        kinds: the edge types, joined by ","; at depth 2 those of both steps, as "imports > calls,imports".
        weight: of the lighter step: the surest edge's confidence, more for many uses.
        confidence: product over the steps.
        source: of the last step's edges.
    """

    id: int
    key: str
    type: str
    depth: int
    via: str
    kinds: str
    weight: float
    confidence: float
    source: str


class Closure:
    """The closure of one project's files."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def rebuild(self) -> int:
        """Make every row again; call inside a transaction. Returns how many there are."""
        self._db.execute("DROP TABLE IF EXISTS temp.direct")
        self._db.execute(f"CREATE TEMP TABLE direct AS {_DIRECT} GROUP BY e.to_id, e.from_id")
        self._db.execute("CREATE INDEX temp.direct_ancestor ON direct(ancestor)")
        self._db.execute("DELETE FROM graph_closure")
        self._db.execute(
            """INSERT INTO graph_closure
               SELECT ancestor, descendant, 1, ancestor, kinds, weight, confidence, source FROM direct"""
        )
        self._db.execute(
            f"""INSERT OR IGNORE INTO graph_closure
               SELECT a, d, 2, via, kinds, weight, confidence, source FROM (
                 SELECT first.ancestor AS a, second.descendant AS d, {_TWO_STEPS}
                 FROM direct first JOIN direct second ON second.ancestor = first.descendant
                 WHERE second.descendant <> first.ancestor
                 GROUP BY first.ancestor, second.descendant)"""
        )
        self._db.execute("DROP TABLE temp.direct")
        return self.count()

    def count(self) -> int:
        """Return how many rows there are."""
        return int(self._db.value("SELECT count(*) FROM graph_closure"))

    def differing(self, node_id: int) -> set[int]:
        """Return the files that a file newly depends on, no longer, or in another way than its rows say."""
        rows = self._db.rows(
            """SELECT ancestor_id, edge_types, total_weight, confidence, source FROM graph_closure
               WHERE descendant_id = ? AND depth = 1""",
            (node_id,),
        )
        direct = self._db.rows(
            f"""SELECT ancestor, kinds, weight, confidence, source
                FROM ({_DIRECT} AND e.from_id = ? GROUP BY e.to_id, e.from_id)""",
            (node_id,),
        )
        return {row[0] for row in set(rows) ^ set(direct)}

    def update(self, changes: Mapping[int, Collection[int]], again: Iterable[tuple[int, int]] = ()) -> None:
        """Make the rows again that changed edges between files can have changed.

        For an edge from f to t those are: f under t, f under what t depends on, and what depends on f
        under t; each where a way leads over the edge now, or did when the rows were made. Call inside a
        transaction, after all edges were written.

        Args:
            changes: files, and to which others their edges changed (see `differing`).
            again: further pairs to make again (see `around`).
        """
        pairs = set(again)
        for node_id, targets in changes.items():
            if targets:
                pairs |= {(t, node_id) for t in targets}
                pairs |= {(p, node_id) for p in self._used(targets)}
                pairs |= {(t, d) for d in self._users([node_id]) for t in targets}
                pairs |= self._led_over(node_id, targets)
        self.make_again(pairs)

    def around(self, node_id: int) -> set[tuple[int, int]]:
        """Return the pairs whose way may lead through a file, to be made again when it is gone.

        Ask before the file is deleted: its rows tell what its edges were when the rows were made.
        """
        sql = "SELECT {} FROM graph_closure WHERE {} = ? AND depth = 1"
        above = self._db.rows(sql.format("ancestor_id", "descendant_id"), (node_id,))
        below = self._db.rows(sql.format("descendant_id", "ancestor_id"), (node_id,))
        return {(a, d) for (a,) in above for (d,) in below if a != d}

    def make_again(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Make the rows of some (ancestor, descendant) pairs again; call inside a transaction."""
        wanted = sorted({p for p in pairs if p[0] != p[1]})
        if not wanted:
            return
        self._db.execute("DROP TABLE IF EXISTS temp.pairs")
        self._db.execute("CREATE TEMP TABLE pairs(a INTEGER, d INTEGER, PRIMARY KEY (a, d)) WITHOUT ROWID")
        self._db.execute_many("INSERT INTO pairs VALUES (?, ?)", wanted)
        self._db.execute(
            """DELETE FROM graph_closure WHERE (ancestor_id, descendant_id) IN (SELECT a, d FROM pairs)"""
        )
        self._db.execute("DROP TABLE IF EXISTS temp.near")
        self._db.execute(
            f"""CREATE TEMP TABLE near AS {_DIRECT} AND
                (e.to_id IN (SELECT a FROM pairs) OR e.from_id IN (SELECT d FROM pairs))
                GROUP BY e.to_id, e.from_id"""
        )
        self._db.execute("CREATE INDEX temp.near_pair ON near(ancestor, descendant)")
        self._db.execute(
            """INSERT INTO graph_closure
               SELECT n.ancestor, n.descendant, 1, n.ancestor, n.kinds, n.weight, n.confidence, n.source
               FROM pairs p CROSS JOIN near n ON n.ancestor = p.a AND n.descendant = p.d"""
        )
        self._db.execute(
            f"""INSERT OR IGNORE INTO graph_closure
               SELECT a, d, 2, via, kinds, weight, confidence, source FROM (
                 SELECT p.a AS a, p.d AS d, {_TWO_STEPS}
                 FROM pairs p CROSS JOIN near first ON first.ancestor = p.a
                 CROSS JOIN near second ON second.ancestor = first.descendant AND second.descendant = p.d
                 GROUP BY p.a, p.d)"""
        )
        self._db.execute("DROP TABLE temp.near")
        self._db.execute("DROP TABLE temp.pairs")

    def dependents(self, node_id: int, depth: int = DEPTH, limit: int = -1) -> list[Dependent]:
        """Return what depends on a file to a depth of 2 at most, nearest first, without stale ways.

        Of those as near the heavier come first, then by key; at most `limit`, -1 is all.
        """
        sql = """SELECT n.id, n.key, n.type, c.depth, v.key, c.edge_types, c.total_weight, c.confidence, c.source
                 FROM graph_closure c CROSS JOIN graph_nodes n ON n.id = c.descendant_id
                 CROSS JOIN graph_nodes v ON v.id = c.via_id
                 WHERE c.ancestor_id = ? AND c.depth <= ? AND n.stale_at IS NULL
                   AND (c.depth = 1 OR v.stale_at IS NULL)
                 ORDER BY c.depth, c.total_weight DESC, n.key LIMIT ?"""
        return [Dependent(*r) for r in self._db.rows(sql, (node_id, depth, limit))]

    def using(self, node_id: int, name: str) -> list[str]:
        """Return the files that import a file and use a name anywhere, in order, without stale ones."""
        sql = """SELECT n.key FROM graph_closure c CROSS JOIN graph_nodes n ON n.id = c.descendant_id
                 CROSS JOIN graph_files f ON f.path = n.key
                 CROSS JOIN graph_names g ON g.name = ? AND g.file_id = f.id
                 WHERE c.ancestor_id = ? AND c.depth = 1 AND instr(c.edge_types, 'imports')
                   AND n.stale_at IS NULL ORDER BY n.key"""
        return [r[0] for r in self._db.rows(sql, (name, node_id))]

    def near(self, paths: Collection[str]) -> list[tuple[str, str, float]]:
        """Return (path, neighbour, weight) of depth 1 at either end, without stale ways."""
        sql = """SELECT a.key, d.key, c.total_weight FROM json_each(?1) j
                 CROSS JOIN graph_nodes a ON a.key = j.value
                 CROSS JOIN graph_closure c ON c.ancestor_id = a.id AND c.depth = 1
                 CROSS JOIN graph_nodes d ON d.id = c.descendant_id WHERE d.stale_at IS NULL
                 UNION ALL SELECT d.key, a.key, c.total_weight FROM json_each(?1) j
                 CROSS JOIN graph_nodes d ON d.key = j.value AND d.stale_at IS NULL
                 CROSS JOIN graph_closure c ON c.descendant_id = d.id AND c.depth = 1
                 CROSS JOIN graph_nodes a ON a.id = c.ancestor_id
                 ORDER BY 1, 3 DESC, 2"""
        return [(a, b, w) for a, b, w in self._db.rows(sql, (json.dumps(sorted(paths)),))]

    def _led_over(self, node_id: int, targets: Collection[int]) -> set[tuple[int, int]]:
        """Return the pairs whose rows lead over an edge from a file to one of some others."""
        given = json.dumps(list(targets))
        above = self._db.rows(
            """SELECT ancestor_id, descendant_id FROM graph_closure
               WHERE descendant_id = ? AND depth = 2 AND via_id IN (SELECT value FROM json_each(?))""",
            (node_id, given),
        )
        below = self._db.rows(
            """SELECT c.ancestor_id, c.descendant_id FROM json_each(?) j
               CROSS JOIN graph_closure c ON c.ancestor_id = j.value AND c.depth = 2 AND c.via_id = ?""",
            (given, node_id),
        )
        return {(a, d) for a, d in (*above, *below)}

    def _users(self, ids: Collection[int]) -> set[int]:
        return self._ends("e.from_id", "e.to_id", ids)

    def _used(self, ids: Collection[int]) -> set[int]:
        return self._ends("e.to_id", "e.from_id", ids)

    def _ends(self, wanted: str, given: str, ids: Collection[int]) -> set[int]:
        sql = f"""SELECT DISTINCT {wanted} FROM json_each(?) j CROSS JOIN graph_edges e ON {given} = j.value
                  WHERE {DEPENDENCE}"""
        return {r[0] for r in self._db.rows(sql, (json.dumps(list(ids)),))}
