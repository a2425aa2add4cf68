"""The named selections of memories that rules use; they return ids, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from remora.core.clock import to_iso
from remora.core.evidence import COUNTED_TYPES, SESSION_TYPES
from remora.store.connection import Tables
from remora.store.memories import KIND

_LIVE = "m.deprecated = 0"
_ORPHANS = """m.deprecated = 0 AND m.stale_at IS {state} NULL AND m.related_files <> '[]'
    AND {wanted} EXISTS (SELECT 1 FROM memory_files f LEFT JOIN git_files g ON g.path = f.file_path
    WHERE f.memory_id = m.id AND (g.path IS NULL OR g.present = 1))"""


class Selections(Tables):
    """Read-only queries over the memories of one database; each method returns a list of ids."""

    def all(self) -> list[str]:
        """Return every memory, including forgotten ones."""
        return self._where("1")

    def fading(self) -> list[str]:
        """Return live memories that decay and are neither pinned nor verified."""
        kept = "m.pinned = 0 AND m.user_verified = 0"
        return self._where(f"{_LIVE} AND {kept} AND m.decay_half_life_days IS NOT NULL")

    def forgotten(self) -> list[str]:
        """Return memories out of search that are neither pinned nor verified."""
        return self._where("m.deprecated = 1 AND m.user_verified = 0 AND m.pinned = 0")

    def gone_with_branch(self, reason: str) -> list[str]:
        """Return the memories that left search with a branch, by the recorded reason."""
        having = "m.deprecated = 1 AND m.superseded_by IS NULL AND m.branch IS NOT NULL"
        return self._where(f"{having} AND m.review_reason LIKE ?", f"%{reason}%")

    def without_files(self) -> list[str]:
        """Return live memories, not marked stale, all of whose files are gone from the tree."""
        return self._where(_ORPHANS.format(state="", wanted="NOT"))

    def with_files_again(self, reason: str) -> list[str]:
        """Return live memories marked stale for a reason that name a file in the tree."""
        return self._where(_ORPHANS.format(state="NOT", wanted="") + " AND instr(m.review_reason, ?)", reason)

    def of_session(self, session_id: str, methodology: str | None = None) -> list[str]:
        """Return the live memories of a session, and those of a methodology's work units."""
        if methodology is None:
            return self._where(f"{_LIVE} AND m.session_id = ?", session_id)
        unit = "json_extract(m.work_unit_ref, '$.methodology') = ?"
        return self._where(f"{_LIVE} AND (m.session_id = ? OR {unit})", session_id, methodology)

    def of_interface(self, mark: str) -> list[str]:
        """Return the memories of one UI tool answer, including forgotten ones."""
        return self._where("m.type = 'e2e_observation' AND json_extract(m.payload, '$.result') = ?", mark)

    def linked_to(self, nodes: Sequence[str]) -> list[str]:
        """Return live memories whose target or one of whose impacted nodes is among some nodes."""
        return self._where(
            """m.deprecated = 0 AND m.id IN (
                 SELECT t.id FROM json_each(?1) k CROSS JOIN memories t ON t.target_node_id = k.value
                 UNION SELECT i.id FROM memories i WHERE i.impacted_node_ids <> '[]' AND EXISTS (
                   SELECT 1 FROM json_each(i.impacted_node_ids) j JOIN json_each(?1) k
                   ON j.value = k.value))""",
            nodes,
        )

    def on_file(self, path: str, folders: Sequence[str]) -> list[str]:
        """Return live memories about a file, and the patterns and decisions about its folders."""
        return self._where(
            """m.deprecated = 0 AND m.id IN (
                 SELECT f.memory_id FROM memory_files f WHERE f.file_path = ?1
                 UNION SELECT f.memory_id FROM json_each(?2) j
                   CROSS JOIN memory_files f ON f.file_path = j.value
                   CROSS JOIN memories p ON p.id = f.memory_id WHERE p.type IN ('pattern', 'decision'))""",
            path,
            folders,
        )

    def redactions(self) -> int:
        """Return how many secrets were taken out of what is stored."""
        return int(self._connection.value("SELECT total(redaction_count) FROM memories"))

    def confirmed(self) -> tuple[int, int]:
        """Return how many memories a person confirmed of those that were learned, and how many those are."""
        sql = """SELECT total(user_verified OR pinned), count(*) FROM memories
                 WHERE source = 'observer_inferred' AND type NOT IN (SELECT value FROM json_each(?))"""
        row = self._connection.row(sql, ((*SESSION_TYPES, *COUNTED_TYPES),))
        return (int(row[0]), row[1]) if row else (0, 0)

    def vigour(self, now: float, active_days: float) -> tuple[int, int, int, int, int]:
        """Return the number of live memories, and of those that are fresh, to review, active and out of date.

        Fresh is one that is not out of date and was used within its half-life; active, within some days.
        """
        sql = f"""SELECT count(*), total(stale_at IS NULL AND (pinned OR ifnull(decay_half_life_days, 0) <= 0
                     OR julianday(?1) - julianday(last_accessed_at) <= decay_half_life_days)),
                   total(needs_review), total(julianday(?1) - julianday(last_accessed_at) <= ?2),
                   total(stale_at IS NOT NULL)
                 FROM memories m WHERE {_LIVE} AND {KIND} = 'memory'"""
        row = self._connection.row(sql, (to_iso(now), active_days))
        return tuple(map(int, row)) if row else (0, 0, 0, 0, 0)  # type: ignore[return-value]

    def _where(self, sql: str, *values: Any) -> list[str]:
        found = self._connection.rows(f"SELECT m.id FROM memories m WHERE {sql} ORDER BY m.id", values)
        return [memory_id for (memory_id,) in found]
