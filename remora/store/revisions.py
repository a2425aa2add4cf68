"""SQL for `memory_revisions`: every change of a memory with its author and reason, append-only.

A revision holds the changed columns, as the table has them, so that the revisions of a memory, applied in
order, give its row. Uses of a memory and the model of its vector are not revisions. Each revision has a
unique position in time: a hybrid logical clock, 13 digits of milliseconds and 6 of a counter, that never goes
back (Kulkarni et al., "Logical Physical Clocks", 2014).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from remora.core.change import PERSON, Change, author_of
from remora.core.clock import Clock, SystemClock
from remora.core.errors import StoreCorrupt
from remora.core.merge import Merged, Revision, merge
from remora.store.connection import Connection, Row

UNLOGGED = ("access_count", "last_accessed_at", "embedding_model_id")  # columns that use and indexing change
_COUNTER = 1_000_000
_COLUMNS = "rev, memory_id, parents, device, n, hlc, author, op, fields, why"


class Revisions:
    """The log of changes of one database.

    Args:
        connection: its connection.
        clock: the source of the time.
        author: the default author of changes; a person if not given.
    """

    def __init__(self, connection: Connection, clock: Clock | None = None, author: str = PERSON) -> None:
        self._connection = connection
        self._clock = clock or SystemClock()
        self._author = author
        self._device = ""

    @property
    def device(self) -> str:
        """The random id of this store."""
        if not self._device:
            self._device = json.loads(self._connection.value("SELECT value FROM meta WHERE key = 'device'"))
        return self._device

    def write(self, memory_id: str, change: Change, fields: Mapping[str, Any]) -> str:
        """Add a revision after the heads of a memory and return its id; call inside a transaction.

        Args:
            memory_id: its memory.
            change: the operation, its author and its reason.
            fields: the changed columns, with their new values, after redaction.
        """
        author = author_of(change, self._author)
        if author == PERSON:
            author = f"{PERSON}:{self.device}"
        heads = self.heads(memory_id)
        number, clock = self._next()
        rev = str(uuid.uuid4())
        self._connection.execute(
            f"INSERT INTO memory_revisions({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(rev, memory_id, json.dumps(heads), self.device, number, clock, author, change.op),
                *(json.dumps(fields, ensure_ascii=False), change.why),
            ),
        )
        self._connection.execute("DELETE FROM memory_heads WHERE memory_id = ?", (memory_id,))
        self._connection.execute("INSERT INTO memory_heads VALUES (?, ?)", (memory_id, rev))
        return rev

    def next_place(self) -> tuple[str, str]:
        """Return an id and a time for a change in another log; call inside a transaction."""
        return str(uuid.uuid4()), self._next()[1]

    def heads(self, memory_id: str) -> list[str]:
        """Return the ids of the newest revisions of a memory, in order."""
        sql = "SELECT rev FROM memory_heads WHERE memory_id = ? ORDER BY rev"
        return self._connection.column(sql, (memory_id,))

    def of(self, memory_id: str) -> list[Revision]:
        """Return the revisions of a memory, oldest first."""
        sql = f"SELECT {_COLUMNS} FROM memory_revisions WHERE memory_id = ? ORDER BY hlc, device, n"
        return [_made(row) for row in self._connection.rows(sql, (memory_id,))]

    def replayed(self, memory_id: str, upto: str | None = None) -> dict[str, Any]:
        """Return the columns of a memory after its revisions; empty for an erased memory.

        Args:
            memory_id: its id.
            upto: id of the last revision to apply; all by default.
        """
        known = self.of(memory_id)
        if upto is not None:
            known = known[: 1 + next((i for i, one in enumerate(known) if one.rev == upto), len(known))]
        return merge(known).fields

    def merged(self, memory_id: str) -> Merged:
        """Return the merged state of a memory's revisions, and the conflicts among them."""
        return merge(self.of(memory_id))

    def forked(self) -> list[str]:
        """Return the ids of memories with several newest revisions, in order: some may be contested."""
        sql = "SELECT memory_id FROM memory_heads GROUP BY memory_id HAVING count(*) > 1 ORDER BY memory_id"
        return self._connection.column(sql)

    def empty(self, memory_ids: Collection[str], change: Change | None) -> None:
        """Remove every text of deleted memories, and record the deletion; call inside a transaction.

        Without a change the whole revisions are removed.
        """
        for memory_id in memory_ids:
            if change is None:
                for table in ("memory_revisions", "memory_heads"):
                    self._connection.execute(f"DELETE FROM {table} WHERE memory_id = ?", (memory_id,))
                continue
            sql = "UPDATE memory_revisions SET fields = '{}', why = '' WHERE memory_id = ?"
            if self._connection.execute(sql, (memory_id,)):
                self.write(memory_id, change, {})

    def rows(self) -> list[dict[str, Any]]:
        """Return every revision as JSON values, in order."""
        sql = f"SELECT {_COLUMNS} FROM memory_revisions ORDER BY hlc, device, n"
        return [_made(row)._asdict() for row in self._connection.rows(sql)]

    def take_in(self, memory_id: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add revisions of a memory from another store, unchanged; call inside a transaction.

        Returns the number of new ones; call `find_heads` afterwards.

        Raises:
            TypeError, ValueError, KeyError: a row is no revision.
        """
        added = 0
        for row in rows:
            fields, why = json.dumps(dict(row["fields"]), ensure_ascii=False), str(row.get("why", ""))
            values = (
                *(str(row["rev"]), memory_id, json.dumps([str(p) for p in row["parents"]])),
                *(str(row["device"]), int(row["n"]), f"{int(row['hlc']):019d}"),
                *(str(row["author"]), str(row["op"]), fields, why),
            )
            marks = ", ".join("?" * len(values))
            added += self._connection.execute(
                f"INSERT OR IGNORE INTO memory_revisions({_COLUMNS}) VALUES ({marks})", values
            )
        return added

    def replace_foreign(
        self, memory_id: str, devices: Collection[str], rows: Iterable[Mapping[str, Any]]
    ) -> None:
        """Replace the stored revisions of other devices, and recompute the heads.

        Call inside a transaction.
        """
        self._connection.execute(
            """DELETE FROM memory_revisions WHERE memory_id = ?
               AND device IN (SELECT value FROM json_each(?))""",
            (memory_id, devices),
        )
        self.take_in(memory_id, rows)
        self._connection.execute("DELETE FROM memory_heads WHERE memory_id = ?", (memory_id,))
        known = self.of(memory_id)
        before = {parent for one in known for parent in one.parents}
        self._connection.execute_many(
            "INSERT INTO memory_heads VALUES (?, ?)",
            [(memory_id, one.rev) for one in known if one.rev not in before],
        )

    def find_heads(self) -> None:
        """Make the heads of memories that have none: revisions that no other came after. In a transaction."""
        self._connection.execute(
            """INSERT INTO memory_heads SELECT r.memory_id, r.rev FROM memory_revisions r
               WHERE NOT EXISTS (SELECT 1 FROM memory_heads h WHERE h.memory_id = r.memory_id)
                 AND NOT EXISTS (SELECT 1 FROM memory_revisions o, json_each(o.parents) j
                                 WHERE o.memory_id = r.memory_id AND j.value = r.rev)"""
        )

    def _next(self) -> tuple[int, str]:
        """Return the next number of this device, and a time after every one that is there."""
        now = int(self._clock.now() * 1000)
        number = self._connection.value(
            "SELECT coalesce(max(n), 0) FROM memory_revisions WHERE device = ?", (self.device,)
        )
        last = self._connection.value(
            """SELECT max((SELECT coalesce(max(hlc), '') FROM memory_revisions),
                          (SELECT coalesce(max(hlc), '') FROM shared_entries WHERE device = ?))""",
            (self._connection.value("SELECT value ->> '$.device' FROM meta WHERE key = 'share'"),),
        )
        last = last or "0" * 19
        ms, count = int(last[:13]), int(last[13:])
        if now > ms:
            ms, count = now, 0
        elif count + 1 < _COUNTER:
            count += 1
        else:
            ms, count = ms + 1, 0
        return number + 1, f"{ms:013d}{count:06d}"


def _made(row: Row) -> Revision:
    values = list(row)
    try:
        values[2], values[8] = tuple(json.loads(values[2])), json.loads(values[8])
    except ValueError:
        raise StoreCorrupt(
            f"a change of the memory {row[1][:8]} is damaged",
            hint="The memory itself is intact; `remora recover` skips unreadable data.",
        ) from None
    return Revision._make(values)
