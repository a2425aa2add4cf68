"""SQL for the coupling of files: the files that use a file or that it uses, and how closely.

The coupling of two files is the weight of their edges as a share of all edge weights of one of them, the
one with the smaller sum. Only edges that are certain enough and not stale count (see `closure`).
"""

from __future__ import annotations

from typing import NamedTuple

from remora.core.cochange import Tie
from remora.store.connection import Tables

TESTS_IT = "tests it"
# The relation of the other file to the given one, in both directions of the edge.
_DOES = {
    "tests": TESTS_IT,
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

# One file's rows of depth 1 in the closure, at either end.
_STEPS = """SELECT d.id, d.key, 1, c.edge_types, c.total_weight FROM graph_nodes a
            CROSS JOIN graph_closure c ON c.ancestor_id = a.id AND c.depth = 1
            CROSS JOIN graph_nodes d ON d.id = c.descendant_id WHERE a.key = ?1 AND d.stale_at IS NULL
            UNION ALL SELECT a.id, a.key, 0, c.edge_types, c.total_weight FROM graph_nodes d
            CROSS JOIN graph_closure c ON c.descendant_id = d.id AND c.depth = 1
            CROSS JOIN graph_nodes a ON a.id = c.ancestor_id
            WHERE d.key = ?1 AND d.stale_at IS NULL"""


class _Step(NamedTuple):
    """A row of the closure beside a file: the other's id and key, and whether it is the user."""

    id: int
    key: str
    uses: int
    kinds: str
    weight: float


class FileCoupling(Tables):
    """The coupling between one project's files."""

    def of(self, path: str) -> dict[str, Tie]:
        """Return the files coupled to a file; none for a file outside the graph."""
        steps = [_Step(*row) for row in self._connection.rows(f"{_STEPS} ORDER BY 2, 3", (path,))]
        if not steps:
            return {}
        own = sum(step.weight for step in steps)
        whole = self._sums([step.id for step in steps])
        weights: dict[str, float] = {}
        words: dict[str, str] = {}
        for step in steps:
            weights[step.key] = weights.get(step.key, 0.0) + step.weight / min(own, whole[step.id])
            said = _in_words(step)
            words[step.key] = f"{words[step.key]} and {said}" if step.key in words else said
        return {key: Tie(min(1.0, weight), words[key]) for key, weight in weights.items()}

    def _sums(self, ids: list[int]) -> dict[int, float]:
        """Return the sum of the edge weights of each file, without stale ones."""
        sql = """SELECT id, sum(weight) FROM (
                   SELECT j.value AS id, c.total_weight AS weight FROM json_each(?1) j
                   CROSS JOIN graph_closure c ON c.ancestor_id = j.value AND c.depth = 1
                   CROSS JOIN graph_nodes d ON d.id = c.descendant_id WHERE d.stale_at IS NULL
                   UNION ALL SELECT j.value, c.total_weight FROM json_each(?1) j
                   CROSS JOIN graph_nodes d ON d.id = j.value AND d.stale_at IS NULL
                   CROSS JOIN graph_closure c ON c.descendant_id = j.value AND c.depth = 1)
                 GROUP BY id"""
        return dict(self._connection.rows(sql, (sorted(set(ids)),)))


def _in_words(step: _Step) -> str:
    """Return the most certain kind of edge in words: test, base, import, call."""
    kinds = step.kinds.split(",")
    words = _DOES if step.uses else _IS_DONE
    return next((words[kind] for kind in words if kind in kinds), words["calls"])
