"""SQL for `memory_use`: the uses of memories, by session, and their effect on trust.

A memory is used when it is shown, requested by an agent or cited; a person's look at it is no use. Sessions
count, not calls: a memory used in five, and never called wrong, gains confidence, once. Ten with help in one
of them end the wait for a review. Both are changes like any other, and can be undone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from remora.core.change import Change, acting
from remora.store.connection import Connection
from remora.store.memories import Memories

USED = ("said", "asked", "cited")
INVENTED = "invented"  # cited without having been shown: stored under the cited id
Kind = Literal["said", "asked", "cited", "looked", "helped", "unhelpful", "wrong", "invented"]
BEFORE = "before"  # the session of counts from earlier versions, which counted all searches
GAINS_AFTER, GAIN, MOST = 5, 0.05, 0.95  # sessions; confidence; the maximum that use alone reaches
CLEARED_AFTER = 10  # sessions
CLEARED = "cleared by use"


class Use(NamedTuple):
    """One kind of use of a memory: how often, in how many sessions, and when last (ISO 8601)."""

    times: int
    sessions: int
    last: str


class _Standing(NamedTuple):
    confidence: float
    needs_review: bool
    clean: bool  # no text from outside behind it, and nothing it rests on changed
    sessions: int
    helped: int
    wrong: int


class Uses:
    """The uses of the memories of one database."""

    def __init__(self, connection: Connection, memories: Memories) -> None:
        self._connection = connection
        self._memories = memories

    def add(self, session: str, kind: Kind, counts: Mapping[str, int], at: str) -> None:
        """Add to the uses of a session; call inside a transaction.

        Args:
            session: "host:session".
            kind: one of Kind.
            counts: number of uses, by the memory's id.
            at: when, ISO 8601.
        """
        self._write(session, kind, counts, at, "n + excluded.n")

    def note(self, session: str, kind: Kind, counts: Mapping[str, int], at: str) -> None:
        """Set the total uses of a session: repeating the call changes nothing."""
        self._write(session, kind, counts, at, "excluded.n")

    def said_in(self, session: str) -> dict[str, tuple[int, str]]:
        """Return how often each memory was shown in a session and when last, from the advice log."""
        sql = """SELECT m.memory_id, count(*), max(i.at) FROM injections i
                 JOIN injected_memories m ON m.injection_id = i.id WHERE i.session_id = ? GROUP BY 1"""
        return {i: (times, at) for i, times, at in self._connection.rows(sql, (session,))}

    def of(self, memory_id: str) -> dict[str, Use]:
        """Return the uses of a memory, by kind."""
        sql = """SELECT kind, sum(n), count(*), max(at) FROM memory_use WHERE memory_id = ?
                 GROUP BY kind ORDER BY kind"""
        return {kind: Use(*rest) for kind, *rest in self._connection.rows(sql, (memory_id,))}

    def rows(self) -> list[dict[str, Any]]:
        """Return every use as JSON values, in order."""
        names = ("memory_id", "session_id", "kind", "n", "at")
        sql = f"SELECT {', '.join(names)} FROM memory_use ORDER BY memory_id, session_id, kind"
        return [dict(zip(names, row, strict=True)) for row in self._connection.rows(sql)]

    def take_in(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add uses from another store of memories that exist here; call inside a transaction."""
        kinds = get_args(Kind)
        self._connection.execute_many(
            """INSERT OR IGNORE INTO memory_use SELECT ?1, ?2, ?3, ?4, ?5
               WHERE EXISTS (SELECT 1 FROM memories WHERE id = ?1)""",
            [
                (str(row["memory_id"]), str(row["session_id"]), row["kind"], int(row["n"]), str(row["at"]))
                for row in rows
                if row.get("kind") in kinds and {"memory_id", "session_id", "n", "at"} <= row.keys()
            ],
        )

    def totals(self) -> dict[str, Use]:
        """Return the uses of all memories, by kind, without the counts of earlier versions."""
        sql = """SELECT kind, sum(n), count(DISTINCT session_id), max(at) FROM memory_use
                 WHERE session_id <> ? GROUP BY kind ORDER BY kind"""
        return {kind: Use(*rest) for kind, *rest in self._connection.rows(sql, (BEFORE,))}

    def corrections(self) -> tuple[int, int]:
        """Return the number of (memory, session) pairs with a correction, and of those with a use."""
        sql = """SELECT count(DISTINCT CASE WHEN kind = 'wrong' THEN memory_id || session_id END),
                   count(DISTINCT memory_id || session_id)
                 FROM memory_use WHERE session_id <> ? AND kind <> 'looked' AND kind <> ?"""
        row = self._connection.row(sql, (BEFORE, INVENTED))
        return (row[0], row[1]) if row else (0, 0)

    def wrong_in(self, session: str) -> int:
        """Return the number of memories called wrong in a session."""
        sql = "SELECT count(*) FROM memory_use WHERE session_id = ? AND kind = 'wrong'"
        return int(self._connection.value(sql, (session,)))

    def _write(self, session: str, kind: Kind, counts: Mapping[str, int], at: str, then: str) -> None:
        before = self._standings([i for i, times in counts.items() if times > 0])
        ids = list(counts) if kind == INVENTED else list(before)
        self._connection.execute_many(
            f"""INSERT INTO memory_use(memory_id, session_id, kind, n, at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET n = {then}, at = max(at, excluded.at)""",
            [(i, session, kind, counts[i], at) for i in ids],
        )
        if kind in (*USED, "helped"):
            self._settle(ids, before, at if kind in USED else "")

    def _settle(self, ids: Collection[str], before: Mapping[str, _Standing], at: str) -> None:
        """Update the counts of memories, and apply the trust rules of section 18."""
        self._connection.execute_many(
            f"""UPDATE memories SET last_accessed_at = max(last_accessed_at, ?2),
                  access_count = (SELECT coalesce(sum(n), 0) FROM memory_use
                                  WHERE memory_id = ?1 AND kind IN {USED}) WHERE id = ?1""",
            [(i, at) for i in ids],
        )
        for memory_id, new in self._standings(ids).items():
            old = before[memory_id]
            if new.wrong or not new.clean:
                continue
            with acting("system:use"):
                if old.sessions < GAINS_AFTER <= new.sessions and new.confidence < MOST:
                    gained = {"confidence": min(MOST, new.confidence + GAIN)}
                    why = f"used in {GAINS_AFTER} sessions and never called wrong"
                    self._memories.update(memory_id, gained, change=Change("edit", why))
                if new.needs_review and new.sessions >= CLEARED_AFTER and new.helped:
                    change = Change("resolve", CLEARED)
                    self._memories.update(memory_id, {"needs_review": False}, change=change)

    def _standings(self, memory_ids: Collection[str]) -> dict[str, _Standing]:
        rows = self._connection.rows(
            f"""SELECT m.id, m.confidence, m.needs_review, m.taint IS NULL AND m.review_reason IS NULL,
                  count(DISTINCT CASE WHEN u.kind IN {USED} AND u.session_id <> '{BEFORE}'
                                 THEN u.session_id END),
                  count(CASE WHEN u.kind = 'helped' THEN 1 END), count(CASE WHEN u.kind = 'wrong' THEN 1 END)
                FROM memories m LEFT JOIN memory_use u ON u.memory_id = m.id
                WHERE m.id IN (SELECT value FROM json_each(?)) GROUP BY m.id""",
            (memory_ids,),
        )
        return {memory_id: _Standing(*rest) for memory_id, *rest in rows}
