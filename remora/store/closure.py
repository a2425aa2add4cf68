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
from collections.abc import Collection, Iterable
from typing import NamedTuple

from remora.store.connection import Database
from remora.store.graph import DEPENDENCE

DEPTH = 2

# Every pair of files with an edge of dependence, once, with its kinds and the weight of the surest.
_DIRECT = f"""SELECT e.to_id AS ancestor, e.from_id AS descendant,
                group_concat(DISTINCT e.type) AS kinds,
                max(e.confidence) * (1.0 + log2(1.0 + sum(e.weight))) AS weight
              FROM graph_edges e WHERE {DEPENDENCE} AND e.to_id <> e.from_id"""


class Dependent(NamedTuple):
    """A file that depends on another; `via` is the key of the file between them at depth 2."""

    id: int
    key: str
    depth: int
    via: str
    kinds: str
    weight: float


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
               SELECT ancestor, descendant, 1, ancestor, kinds, weight FROM direct"""
        )
        # With one max(), SQLite takes the bare columns from the row that has it.
        self._db.execute(
            """INSERT OR IGNORE INTO graph_closure
               SELECT a, d, 2, via, kinds, weight FROM (
                 SELECT first.ancestor AS a, second.descendant AS d, first.descendant AS via,
                        first.kinds || ' > ' || second.kinds AS kinds,
                        max(min(first.weight, second.weight) - first.descendant * 1e-9) AS best,
                        min(first.weight, second.weight) AS weight
                 FROM direct first JOIN direct second ON second.ancestor = first.descendant
                 WHERE second.descendant <> first.ancestor
                 GROUP BY first.ancestor, second.descendant)"""
        )
        self._db.execute("DROP TABLE temp.direct")
        return self.count()

    def count(self) -> int:
        """Return how many rows there are."""
        return int(self._db.value("SELECT count(*) FROM graph_closure"))

    def update(self, node_id: int, targets: Collection[int]) -> None:
        """Make the rows again that a file's edges to some targets, new or gone, can have changed.

        Those are: the file under each target, under what each target depends on, and what depends on
        the file under each target. Call inside a transaction, after the edges were written.

        Args:
            node_id: the file whose edges changed.
            targets: the files it newly depends on, or no longer.
        """
        above = self._used(targets)
        below = self._users([node_id])
        pairs = {(t, node_id) for t in targets} | {(p, node_id) for p in above}
        pairs |= {(t, d) for t in targets for d in below}
        self.make_again(pairs)

    def around(self, node_id: int) -> set[tuple[int, int]]:
        """Return the pairs whose way may lead through a file: to be made again when it is gone."""
        return {(a, d) for a in self._used([node_id]) for d in self._users([node_id]) if a != d}

    def make_again(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Make the rows of some (ancestor, descendant) pairs again; call inside a transaction."""
        wanted = json.dumps(sorted({p for p in pairs if p[0] != p[1]}))
        if wanted == "[]":
            return
        self._db.execute("DROP TABLE IF EXISTS temp.pairs")
        self._db.execute("CREATE TEMP TABLE pairs(a INTEGER, d INTEGER, PRIMARY KEY (a, d)) WITHOUT ROWID")
        self._db.execute(
            """INSERT INTO pairs SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]')
               FROM json_each(?)""",
            (wanted,),
        )
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
        self._db.execute("CREATE INDEX temp.near_end ON near(descendant, ancestor)")
        self._db.execute(
            """INSERT INTO graph_closure SELECT n.ancestor, n.descendant, 1, n.ancestor, n.kinds, n.weight
               FROM pairs p JOIN near n ON n.ancestor = p.a AND n.descendant = p.d"""
        )
        self._db.execute(
            """INSERT OR IGNORE INTO graph_closure
               SELECT a, d, 2, via, kinds, weight FROM (
                 SELECT p.a AS a, p.d AS d, first.descendant AS via,
                        first.kinds || ' > ' || second.kinds AS kinds,
                        max(min(first.weight, second.weight) - first.descendant * 1e-9) AS best,
                        min(first.weight, second.weight) AS weight
                 FROM pairs p JOIN near first ON first.ancestor = p.a
                 JOIN near second ON second.ancestor = first.descendant AND second.descendant = p.d
                 GROUP BY p.a, p.d)"""
        )
        self._db.execute("DROP TABLE temp.near")
        self._db.execute("DROP TABLE temp.pairs")

    def dependents(self, node_id: int, depth: int = DEPTH) -> list[Dependent]:
        """Return what depends on a file to a depth of 2 at most, nearest first, without stale ways."""
        sql = """SELECT n.id, n.key, c.depth, v.key, c.edge_types, c.total_weight FROM graph_closure c
                 JOIN graph_nodes n ON n.id = c.descendant_id JOIN graph_nodes v ON v.id = c.via_id
                 WHERE c.ancestor_id = ? AND c.depth <= ? AND n.stale_at IS NULL
                   AND (c.depth = 1 OR v.stale_at IS NULL)
                 ORDER BY c.depth, c.total_weight DESC, n.key"""
        return [Dependent(*r) for r in self._db.rows(sql, (node_id, depth))]

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

    def _users(self, ids: Collection[int]) -> set[int]:
        return self._ends("e.from_id", "e.to_id", ids)

    def _used(self, ids: Collection[int]) -> set[int]:
        return self._ends("e.to_id", "e.from_id", ids)

    def _ends(self, wanted: str, given: str, ids: Collection[int]) -> set[int]:
        sql = f"""SELECT DISTINCT {wanted} FROM json_each(?) j CROSS JOIN graph_edges e ON {given} = j.value
                  WHERE {DEPENDENCE}"""
        return {r[0] for r in self._db.rows(sql, (json.dumps(list(ids)),))}
