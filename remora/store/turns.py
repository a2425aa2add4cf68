"""SQL for conversation turns and the indexing progress of each session log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from remora.core.text import index_terms
from remora.core.values import Filters, Message, Turn
from remora.store.connection import Tables

_SELECT = (
    "SELECT t.id, t.session_id, t.seq, t.position, t.role, t.content, t.time,"
    " t.external_id, t.at FROM turns t"
)


class Turns(Tables):
    """The indexed turns of one database."""

    def read_to(self, session_id: str) -> int:
        """Return the byte offset up to which a session's log is indexed."""
        return int(self._connection.value("SELECT read_to FROM sessions WHERE id = ?", (session_id,)) or 0)

    def add(
        self, session_id: str, path: str, messages: Sequence[Message], read_to: int, at: str
    ) -> list[int]:
        """Index messages of a log and record the read offset; call inside a transaction.

        Messages without text (bare tool traffic) get no turn. Returns the row ids of the new turns.
        """
        self._connection.execute(
            """INSERT INTO sessions(id, path, read_to, updated_at) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT(id) DO UPDATE SET path = ?2, read_to = ?3, updated_at = ?4""",
            (session_id, path, read_to, at),
        )
        position = int(self._connection.value("SELECT turns FROM sessions WHERE id = ?", (session_id,)))
        added: list[int] = []
        for message in messages:
            if not message.content.strip() or message.role == "tool":
                continue
            changed = self._connection.execute(
                """INSERT OR IGNORE INTO turns(session_id, seq, position, role, content, time, external_id,
                   search_terms, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    session_id,
                    message.seq,
                    position,
                    message.role,
                    message.content,
                    message.time_text or message.time,
                    message.external_id,
                    index_terms(message.content),
                    message.time,
                ),
            )
            if changed:
                added.append(self._connection.last_row_id())
                position += 1
        self._connection.execute("UPDATE sessions SET turns = ? WHERE id = ?", (position, session_id))
        return added

    def forget_session(self, session_id: str) -> None:
        """Delete a session's turns from the index, to read its log again; call inside a transaction."""
        self._connection.execute("DELETE FROM turns WHERE session_id = ?", (session_id,))
        self._connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))

    def get_many(self, turn_ids: Iterable[int]) -> dict[int, Turn]:
        """Return turns by row id; unknown ids are absent."""
        sql = f"{_SELECT} WHERE t.id IN (SELECT value FROM json_each(?))"
        return {r[0]: Turn._make(r) for r in self._connection.rows(sql, (turn_ids,))}

    def around(self, turns: Collection[Turn], reach: int) -> dict[tuple[str, int], Turn]:
        """Return these turns and those up to `reach` positions before and after, by (session, position)."""
        known = {(t.session_id, t.position): t for t in turns}
        near = {(t.session_id, t.position + d) for t in turns for d in range(-reach, reach + 1)}
        wanted = sorted(near - known.keys())
        sql = f"""{_SELECT} JOIN json_each(?) j ON t.session_id = json_extract(j.value, '$[0]')
                  AND t.position = json_extract(j.value, '$[1]')"""
        found = [Turn._make(r) for r in self._connection.rows(sql, (wanted,))]
        return known | {(t.session_id, t.position): t for t in found}

    def ids_passing(self, filters: Filters) -> list[int] | None:
        """Return the row ids of the turns that pass the filters of time, session and role; None if all do."""
        if not filters.said:
            return None
        sql = """SELECT id FROM turns WHERE (?1 IS NULL OR at >= ?1) AND (?2 IS NULL OR at < ?2)
                 AND (?3 IS NULL OR session_id = ?3) AND (?4 IS NULL OR lower(role) = lower(?4))"""
        asked = (filters.since, filters.until, filters.session, filters.role)
        return self._connection.column(sql, asked)

    def roles(self) -> list[str]:
        """Return every speaker, sorted."""
        return self._connection.column("SELECT DISTINCT role FROM turns ORDER BY role")

    def count(self) -> int:
        """Return the number of indexed turns."""
        return int(self._connection.value("SELECT count(*) FROM turns"))

    def sessions(self) -> list[tuple[str, str, int, int]]:
        """Return (session id, log path, offset read to, turns) of every indexed session."""
        return self._connection.rows("SELECT id, path, read_to, turns FROM sessions ORDER BY id")
