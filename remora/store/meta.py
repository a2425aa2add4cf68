"""SQL for key-value facts about the database: identity, progress marks, counters."""

from __future__ import annotations

import json
from typing import Any

from remora.store.connection import Tables


class Meta(Tables):
    """Named values, stored as JSON."""

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, or the default if it was never set."""
        found = self._connection.value("SELECT value FROM meta WHERE key = ?", (key,))
        return default if found is None else json.loads(found)

    def starting(self, prefix: str) -> dict[str, Any]:
        """Return every value whose key has a prefix, by key."""
        sql = "SELECT key, value FROM meta WHERE key >= ? AND key < ?"
        rows = self._connection.rows(sql, (prefix, prefix + "\U0010ffff"))
        return {key: json.loads(value) for key, value in rows}

    def remove(self, key: str) -> None:
        """Delete a value; call inside a transaction."""
        self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))

    def set(self, key: str, value: Any) -> None:
        """Store a JSON value; call inside a transaction."""
        self._connection.execute(
            """INSERT INTO meta(key, value) VALUES (?, ?)
               ON CONFLICT(key) DO UPDATE SET value = excluded.value""",
            (key, json.dumps(value, ensure_ascii=False)),
        )
