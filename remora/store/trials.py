"""SQL for `trial_units`, `trial_memories` and `memory_effects`: sent and withheld advice, and its effect."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remora.core.programs import CHECKS
from remora.store.connection import Tables

MOMENT, SESSION = "moment", "session"  # kinds of a unit


class Unit(NamedTuple):
    """A hook event with advice, or a session.

    Attributes:
        unit: its id.
        kind: "moment" or "session".
        session_id: "host:session".
        arm: "said" or "held" of a moment; "control", "passive" or "full" of a session.
        at: when, ISO 8601.
        trigger: the rule that fired; empty for a session.
        types: of the memories.
        shown, had: number of memories shown, and of those that matched.
        failed: whether a failure followed: of the next command, or among the next calls; None if unknown.
        calls: tool calls until the next prompt; of a session, for each prompt.
        rereads: reads of files that earlier sessions had read.
        memory_ids: of a moment.
        passed: whether every check of the session passed the first time; None without one, or if the
            session was not learned.
        dead_end: whether the agent later took back or corrected something about a file of an earlier dead
            end; None if the session was not learned.
    """

    unit: str
    kind: str
    session_id: str
    arm: str
    at: str
    trigger: str = ""
    types: tuple[str, ...] = ()
    shown: int = 0
    had: int = 0
    failed: int | None = None
    calls: int | None = None
    rereads: int | None = None
    memory_ids: tuple[str, ...] = ()
    passed: int | None = None
    dead_end: int | None = None


class Effect(NamedTuple):
    """The measured help of a memory at a trigger: its factor, and sessions with and without help."""

    memory_id: str
    trigger: str
    factor: float
    helped: int
    unhelped: int


_STORED = Unit._fields[:12]
# The results of learned sessions: their checks, and repeated work on earlier dead ends.
_UNITS = f"""
WITH checked AS MATERIALIZED (
  SELECT session_id, sum(failures) = 0 AS passed FROM observer_session_commands
  WHERE purpose IN ({", ".join(f"'{name}'" for name in CHECKS)}) GROUP BY session_id
), dead AS MATERIALIZED (
  SELECT f.value AS file, m.created_at AS at FROM memories m, json_each(m.related_files) f
  WHERE m.type = 'dead_end' AND m.deprecated = 0
), again AS MATERIALIZED (
  SELECT s.id, max(coalesce(g.at, s.ended_at, s.started_at)) AS at FROM observer_sessions s
  JOIN observer_signals g ON g.session_id = s.id AND g.type = 'backtrack'
  JOIN json_each(json_insert(g.paths, '$[#]', g.key)) p
  JOIN dead ON dead.file = p.value AND dead.at < s.started_at GROUP BY s.id
)
SELECT {", ".join(f"u.{name}" for name in _STORED)}, checked.passed,
  CASE WHEN s.id IS NOT NULL
    THEN again.id IS NOT NULL AND (u.kind = '{SESSION}' OR again.at >= u.at) END
FROM trial_units u LEFT JOIN observer_sessions s ON s.id = u.session_id
LEFT JOIN checked ON checked.session_id = u.session_id LEFT JOIN again ON again.id = u.session_id
WHERE u.kind = ? ORDER BY u.at, u.unit"""


class Trials(Tables):
    """The trial of one database."""

    def put(self, units: Iterable[Unit]) -> None:
        """Store units, replacing existing ones with the same id. Call inside a transaction."""
        for one in units:
            values = [*one[:6], json.dumps(one.types), *one[7:12]]
            columns, marks = ", ".join(_STORED), ", ".join("?" * len(values))
            self._connection.execute(
                f"INSERT OR REPLACE INTO trial_units({columns}) VALUES ({marks})", values
            )
            self._connection.execute_many(
                "INSERT OR IGNORE INTO trial_memories VALUES (?, ?)", [(i, one.unit) for i in one.memory_ids]
            )

    def units(self, kind: str) -> list[Unit]:
        """Return the units of a kind, in order of time."""
        return [_made(row) for row in self._connection.rows(_UNITS, (kind,))]

    def held_back(self, memory_id: str) -> int:
        """Return the number of times that a memory was withheld."""
        sql = """SELECT count(*) FROM trial_memories t JOIN trial_units u ON u.unit = t.unit
                 WHERE t.memory_id = ? AND u.arm = 'held'"""
        return int(self._connection.value(sql, (memory_id,)))

    def effects(self, memory_id: str) -> list[Effect]:
        """Return the measured help of a memory, by trigger."""
        sql = "SELECT * FROM memory_effects WHERE memory_id = ? ORDER BY trigger"
        return [Effect(*row) for row in self._connection.rows(sql, (memory_id,))]

    def all_effects(self) -> list[Effect]:
        """Return the measured help of all memories, least help first."""
        sql = "SELECT * FROM memory_effects ORDER BY factor, memory_id, trigger"
        return [Effect(*row) for row in self._connection.rows(sql)]

    def verdicts(self) -> list[tuple[str, str, int, int]]:
        """Return, for each memory and trigger, the numbers of sessions in which it helped and did not.

        It did not help if the same failure followed, or if the agent ignored it.
        """
        sql = """SELECT m.memory_id, i.trigger,
                   count(DISTINCT CASE WHEN i.followed IN ('the next command worked', 'the file was changed')
                     OR i.followed LIKE 'then changed%' THEN i.session_id END),
                   count(DISTINCT CASE WHEN i.followed IN
                     ('the next command failed', 'no other file was changed') THEN i.session_id END)
                 FROM injected_memories m JOIN injections i ON i.id = m.injection_id
                 WHERE i.followed <> '' GROUP BY 1, 2 ORDER BY 1, 2"""
        return self._connection.rows(sql)

    def set_effects(self, effects: Iterable[Effect]) -> None:
        """Replace the measured help of all memories; call inside a transaction."""
        self._connection.execute("DELETE FROM memory_effects")
        self._connection.execute_many(
            "INSERT INTO memory_effects(memory_id, trigger, factor, helped, unhelped) VALUES (?, ?, ?, ?, ?)",
            list(effects),
        )


def _made(row: Sequence[object]) -> Unit:
    values = list(row)
    values[6] = tuple(json.loads(str(values[6])))
    return Unit._make([*values[:12], (), *values[12:]])
