"""SQL for `memory_cues`: what makes a memory worth saying unasked. `app/cueing.py` makes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from remora.store.connection import Database

COMMAND, TERM, ERROR, SEARCH, LANGUAGE = "command", "term", "error", "search", "language"
# Memories that are told at a search for what they speak of, if nothing else.
FINDABLE = ("gotcha", "dead_end", "error_pattern", "module_insight", "decision", "pattern", "requirement")


class Cue(NamedTuple):
    """One thing that a memory speaks of.

    Attributes:
        kind: "command", "term", "error", "search" or "language".
        cue: a program, a whole command, an identifier, a fingerprint, a pattern, the ending of a file's name.
        memory_id: whose it is.
        needs: further words that must be there, too.
        weight: of several memories with a cue, the one with more speaks first.
    """

    kind: str
    cue: str
    memory_id: str
    needs: tuple[str, ...] = ()
    weight: float = 1.0


class Cues:
    """The cues of one database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def replace(self, cues: Iterable[Cue]) -> int:
        """Put new cues in the place of all; call inside a transaction. Returns how many there are."""
        self._db.execute("DELETE FROM memory_cues")
        return self._insert(cues)

    def put(self, memory_ids: Iterable[str], cues: Iterable[Cue]) -> None:
        """Put new cues in the place of those of some memories; call inside a transaction."""
        self._db.execute_many("DELETE FROM memory_cues WHERE memory_id = ?", [(i,) for i in memory_ids])
        self._insert(cues)

    def any_of(self, memory_ids: Iterable[str]) -> bool:
        """Return whether one of some memories has a cue."""
        sql = "SELECT 1 FROM json_each(?) j JOIN memory_cues c ON c.memory_id = j.value LIMIT 1"
        return self._db.row(sql, (json.dumps(list(memory_ids)),)) is not None

    def _insert(self, cues: Iterable[Cue]) -> int:
        rows = [(c.kind, c.cue, c.memory_id, json.dumps(c.needs), c.weight) for c in cues]
        self._db.execute_many(
            """INSERT OR IGNORE INTO memory_cues(kind, cue, memory_id, needs, weight)
               VALUES (?, ?, ?, ?, ?)""",
            rows,
        )
        return len(rows)

    def of(self, memory_id: str) -> list[Cue]:
        """Return the cues of a memory, in order."""
        sql = """SELECT kind, cue, memory_id, needs, weight FROM memory_cues WHERE memory_id = ?
                 ORDER BY kind, cue, needs"""
        return [Cue(k, c, m, tuple(json.loads(n)), w) for k, c, m, n, w in self._db.rows(sql, (memory_id,))]

    def of_words(self, kind: str, words: Iterable[str]) -> list[Cue]:
        """Return the cues of a kind that are one of some words, of live memories, in order."""
        sql = """SELECT c.kind, c.cue, c.memory_id, c.needs, c.weight FROM json_each(?1) j
                 CROSS JOIN memory_cues c ON c.kind = ?2 AND c.cue = j.value
                 CROSS JOIN memories m ON m.id = c.memory_id
                 WHERE m.deprecated = 0 ORDER BY c.cue, c.memory_id, c.needs"""
        rows = self._db.rows(sql, (json.dumps(sorted(set(words))), kind))
        return [Cue(k, c, m, tuple(json.loads(n)), w) for k, c, m, n, w in rows]

    def count(self) -> int:
        """Return how many cues there are."""
        return int(self._db.value("SELECT count(*) FROM memory_cues"))
