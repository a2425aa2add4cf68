"""SQL for `shared_entries`, `shared_uses` and `memory_disputes`: this node's copy of the shared log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from remora.store.connection import Tables

SPACE, STATE = "share", "share.state"  # meta keys: the log taken part in, and how the last exchange went
COUNTS, HELD, REFUSED, UNKNOWN = "counts", "held", "refused", "unknown"  # states of an entry
OWN_TYPES = ("preference", "work_state", "e2e_observation", "context_cost", "task_calibration")


class SharedLine(NamedTuple):
    """A stored entry: its line, its state, and the reason if it does not count."""

    device: str
    n: int
    rev: str
    memory_id: str
    line: str
    state: str
    reason: str


class Dispute(NamedTuple):
    """An open dispute: its memory, its time (ISO 8601), its author, and the time it was seen."""

    memory_id: str
    opened_at: str
    opened_by: str
    seen_at: str | None


_COLUMNS = "device, n, rev, memory_id, line, state, reason"


class Shared(Tables):
    """The shared log of one database."""

    def add(self, rows: Iterable[SharedLine], hlcs: Iterable[str], ops: Iterable[str]) -> None:
        """Add entries; one that is there stays as it is. Call inside a transaction."""
        self._connection.execute_many(
            """INSERT OR IGNORE INTO shared_entries(device, n, rev, memory_id, line, state, reason, hlc, op)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [(*row, hlc, op) for row, hlc, op in zip(rows, hlcs, ops, strict=True)],
        )

    def last(self) -> dict[str, int]:
        """Return the number of the last entry of each device."""
        return dict(self._connection.rows("SELECT device, max(n) FROM shared_entries GROUP BY device"))

    def lines(self, device: str, after: int, limit: int) -> list[str]:
        """Return lines of a device that come after a number, in order."""
        sql = "SELECT line FROM shared_entries WHERE device = ? AND n > ? ORDER BY n LIMIT ?"
        return self._connection.column(sql, (device, after, limit))

    def of_memory(self, memory_id: str) -> list[SharedLine]:
        """Return the entries of a memory; of membership for an empty id. In order of time."""
        sql = f"SELECT {_COLUMNS} FROM shared_entries WHERE memory_id = ? ORDER BY hlc, device, n"
        return [SharedLine(*row) for row in self._connection.rows(sql, (memory_id,))]

    def in_state(self, *states: str) -> list[SharedLine]:
        """Return the entries in some states, in order of time."""
        sql = f"""SELECT {_COLUMNS} FROM shared_entries
                  WHERE state IN (SELECT value FROM json_each(?)) ORDER BY hlc, device, n"""
        return [SharedLine(*row) for row in self._connection.rows(sql, (states,))]

    def of_devices(self, devices: Collection[str]) -> list[str]:
        """Return the ids of the memories that some devices wrote about, in order."""
        sql = """SELECT DISTINCT memory_id FROM shared_entries
                 WHERE memory_id <> '' AND device IN (SELECT value FROM json_each(?)) ORDER BY memory_id"""
        return self._connection.column(sql, (sorted(devices),))

    def revs(self, memory_id: str) -> set[str]:
        """Return the ids of the changes of a memory that are in the log."""
        sql = "SELECT rev FROM shared_entries WHERE memory_id = ?"
        return set(self._connection.column(sql, (memory_id,)))

    def set_states(self, states: Mapping[tuple[str, int], tuple[str, str]]) -> None:
        """Set the state and the reason of entries, by device and number; call inside a transaction."""
        self._connection.execute_many(
            "UPDATE shared_entries SET state = ?, reason = ? WHERE device = ? AND n = ?",
            [(state, reason, device, n) for (device, n), (state, reason) in states.items()],
        )

    def to_empty(self, device: str) -> dict[int, str]:
        """Return lines of a device whose bodies were erased here and not yet in the log, by number."""
        sql = """SELECT n, line FROM shared_entries WHERE device = ? AND reason <> 'emptied'
                 AND line ->> '$.body' IS NULL AND memory_id <> '' ORDER BY n"""
        return dict(self._connection.rows(sql, (device,)))

    def emptied(self, device: str, numbers: Iterable[int]) -> None:
        """Record that the bodies were erased in the log, too; call inside a transaction."""
        self._connection.execute_many(
            "UPDATE shared_entries SET reason = 'emptied' WHERE device = ? AND n = ?",
            [(device, n) for n in numbers],
        )

    def drop_after(self, device: str, n: int) -> None:
        """Delete the entries of a device that come after a number; call inside a transaction."""
        self._connection.execute("DELETE FROM shared_entries WHERE device = ? AND n > ?", (device, n))

    def drop(self) -> None:
        """Delete the whole log of this node; call inside a transaction."""
        for table in ("shared_entries", "shared_uses", "memory_disputes"):
            self._connection.execute(f"DELETE FROM {table}")

    # Sharing rules

    def eligible(self) -> list[str]:
        """Return the ids of personal memories that may be shared without a person's consent, in order.

        Excluded are personal types, memories of unmerged branches, with redacted secrets, with external
        text as evidence, or waiting for review.
        """
        sql = """SELECT id FROM memories m WHERE trust_level_scope = 'personal' AND deprecated = 0
                 AND taint IS NULL AND needs_review = 0 AND redaction_count = 0 AND branch IS NULL
                 AND source <> 'commit_auto' AND type NOT IN (SELECT value FROM json_each(?))
                 AND NOT EXISTS (SELECT 1 FROM memory_revisions WHERE memory_id = m.id AND op = 'unshare')
                 ORDER BY seq"""
        return self._connection.column(sql, (OWN_TYPES,))

    def need_a_word(self) -> dict[str, str]:
        """Return the personal memories that need a person's consent to be shared, and the reason, by id."""
        sql = """SELECT id, CASE
                   WHEN branch IS NOT NULL THEN 'of branch ' || branch || ', which is not merged'
                   WHEN taint IS NOT NULL THEN 'rests on text from outside'
                   WHEN redaction_count > 0 THEN 'a secret was taken out of it'
                   WHEN needs_review = 1 THEN 'waits for review'
                   ELSE 'a preference; `remora share add ID` shares it' END
                 FROM memories WHERE trust_level_scope = 'personal' AND deprecated = 0
                 AND source <> 'commit_auto' AND (type = 'preference' OR branch IS NOT NULL
                   OR taint IS NOT NULL OR redaction_count > 0 OR needs_review = 1)
                 AND (type = 'preference' OR type NOT IN (SELECT value FROM json_each(?))) ORDER BY seq"""
        return dict(self._connection.rows(sql, (OWN_TYPES,)))

    def visible(self) -> list[str]:
        """Return the ids of the memories that are shared, in order."""
        sql = "SELECT id FROM memories WHERE trust_level_scope <> 'personal' ORDER BY seq"
        return self._connection.column(sql)

    def changed_after(self, device: str, n: int) -> dict[str, int]:
        """Return the last change of each memory that a device of the local log changed after a number."""
        sql = "SELECT memory_id, max(n) FROM memory_revisions WHERE device = ? AND n > ? GROUP BY memory_id"
        return dict(self._connection.rows(sql, (device, n)))

    # Counts of devices

    def set_uses(self, device: str, rows: Sequence[tuple[str, str, int, str]]) -> None:
        """Replace the counts of a device: (memory, kind, number, last time); call inside a transaction."""
        self._connection.execute("DELETE FROM shared_uses WHERE device = ?", (device,))
        self._connection.execute_many(
            "INSERT OR REPLACE INTO shared_uses(device, memory_id, kind, n, last) VALUES (?, ?, ?, ?, ?)",
            [(device, *row) for row in rows],
        )
        self._connection.execute(
            """UPDATE memories SET last_accessed_at = max(last_accessed_at, coalesce(
                 (SELECT max(last) FROM shared_uses u WHERE u.memory_id = memories.id), ''))
               WHERE id IN (SELECT memory_id FROM shared_uses WHERE device = ?)""",
            (device,),
        )

    def own_uses(self) -> list[tuple[str, str, int, str]]:
        """Return the uses of shared memories on this node: (memory, kind, number, last time), in order."""
        sql = """SELECT u.memory_id, u.kind, sum(u.n), max(u.at) FROM memory_use u
                 JOIN memories m ON m.id = u.memory_id AND m.trust_level_scope <> 'personal'
                 WHERE u.kind IN ('said', 'asked', 'cited', 'helped', 'unhelpful', 'wrong')
                 GROUP BY 1, 2 ORDER BY 1, 2"""
        return self._connection.rows(sql)

    def users(self) -> dict[str, set[str]]:
        """Return the devices on which each shared memory was used, by memory."""
        found: dict[str, set[str]] = {}
        for memory_id, device in self._connection.rows(
            "SELECT DISTINCT memory_id, device FROM shared_uses WHERE kind IN ('said', 'asked', 'cited')"
        ):
            found.setdefault(memory_id, set()).add(device)
        return found

    # Disputes

    def dispute(self, memory_id: str, at: str, by: str) -> None:
        """Note that a memory is disputed; call inside a transaction."""
        self._connection.execute(
            "INSERT OR IGNORE INTO memory_disputes VALUES (?, ?, ?, NULL)", (memory_id, at, by)
        )

    def settle(self, memory_id: str) -> None:
        """Note that the dispute of a memory is settled; call inside a transaction."""
        self._connection.execute("DELETE FROM memory_disputes WHERE memory_id = ?", (memory_id,))

    def see(self, memory_id: str, at: str) -> None:
        """Record that a person looked at a dispute; call inside a transaction."""
        self._connection.execute(
            "UPDATE memory_disputes SET seen_at = coalesce(seen_at, ?) WHERE memory_id = ?", (at, memory_id)
        )

    def disputes(self) -> list[Dispute]:
        """Return the open disputes, oldest first."""
        sql = """SELECT memory_id, opened_at, opened_by, seen_at FROM memory_disputes
                 ORDER BY opened_at, memory_id"""
        return [Dispute(*row) for row in self._connection.rows(sql)]
