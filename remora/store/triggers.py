"""SQL for `memory_triggers`: the actions at which a memory is shown (see `app/memories/triggers.py`)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from remora.core.triggers import Trigger
from remora.store.connection import Tables

_COLUMNS = "t.kind, t.key, t.memory_id, t.needs, t.weight, t.unless"


class Triggers(Tables):
    """The triggers of one database."""

    def replace(self, triggers: Iterable[Trigger]) -> int:
        """Replace all triggers; call inside a transaction. Returns the number of triggers."""
        self._connection.execute("DELETE FROM memory_triggers")
        return self._insert(triggers)

    def put(self, memory_ids: Iterable[str], triggers: Iterable[Trigger]) -> None:
        """Replace the triggers of some memories; call inside a transaction."""
        self._connection.execute_many(
            "DELETE FROM memory_triggers WHERE memory_id = ?", [(i,) for i in memory_ids]
        )
        self._insert(triggers)

    def put_quotes(self, path: str, triggers: Iterable[Trigger]) -> None:
        """Replace the triggers of a session's quotes; call inside a transaction."""
        own = "SELECT id FROM notes WHERE path = ?"
        self._connection.execute(f"DELETE FROM quote_triggers WHERE quote_id IN ({own})", (path,))
        self._connection.execute_many(
            "INSERT OR IGNORE INTO quote_triggers(kind, key, quote_id, needs, unless) VALUES (?, ?, ?, ?, ?)",
            [(t.kind, t.key, int(t.memory_id), json.dumps(t.needs), json.dumps(t.unless)) for t in triggers],
        )

    def any_of(self, memory_ids: Iterable[str]) -> bool:
        """Return whether any of some memories has a trigger."""
        sql = "SELECT 1 FROM json_each(?) j JOIN memory_triggers t ON t.memory_id = j.value LIMIT 1"
        return self._connection.row(sql, (memory_ids,)) is not None

    def _insert(self, triggers: Iterable[Trigger]) -> int:
        rows = [
            (t.kind, t.key, t.memory_id, json.dumps(t.needs), t.weight, json.dumps(t.unless))
            for t in triggers
        ]
        self._connection.execute_many(
            """INSERT OR IGNORE INTO memory_triggers(kind, key, memory_id, needs, weight, unless)
               VALUES (?, ?, ?, ?, ?, ?)""",
            rows,
        )
        return len(rows)

    def of(self, memory_id: str) -> list[Trigger]:
        """Return the triggers of a memory, in order."""
        sql = (
            f"SELECT {_COLUMNS} FROM memory_triggers t WHERE t.memory_id = ? ORDER BY t.kind, t.key, t.needs"
        )
        return [_trigger(row) for row in self._connection.rows(sql, (memory_id,))]

    def of_words(self, kind: str, words: Iterable[str]) -> list[Trigger]:
        """Return the triggers of a kind that equal one of some words, of live memories, in order."""
        sql = f"""SELECT {_COLUMNS} FROM json_each(?1) j
                  CROSS JOIN memory_triggers t ON t.kind = ?2 AND t.key = j.value
                  CROSS JOIN memories m ON m.id = t.memory_id
                  WHERE m.deprecated = 0 ORDER BY t.key, t.memory_id, t.needs"""
        return [_trigger(row) for row in self._connection.rows(sql, (sorted(set(words)), kind))]


def _trigger(row: tuple) -> Trigger:  # type: ignore[type-arg]
    kind, key, memory_id, needs, weight, unless = row
    return Trigger(kind, key, memory_id, tuple(json.loads(needs)), weight, tuple(json.loads(unless)))
