"""SQL for `memory_triggers`, when memories are shown, and `injections`, the advice given to agents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remora.core.triggers import Trigger
from remora.store.connection import Tables


class Injection(NamedTuple):
    """One piece of unrequested advice to an agent.

    Attributes:
        session_id: "host:session".
        agent: the subagent that received it; empty for the session's own agent.
        step: number of tools used before it.
        at: when, ISO 8601.
        moment: one of `remora.core.moments.KINDS`.
        trigger: the rule that fired.
        about: the file, the command or the words that it concerns.
        memory_ids: the memories shown.
        text: as the agent saw it.
        why: the reason in words.
        followed: the agent's later action, in words; empty if unknown.
    """

    session_id: str
    agent: str
    step: int
    at: str
    moment: str
    trigger: str
    about: str
    memory_ids: tuple[str, ...]
    text: str
    why: str
    followed: str = ""


_COLUMNS = "session_id, agent, step, at, moment, trigger, about, memory_ids, text, why, followed"


class Injections(Tables):
    """The advice given in the sessions of one project."""

    def put(self, said: Sequence[Injection]) -> None:
        """Store advice; an existing row only gets its result. Call inside a transaction."""
        for one in said:
            row = (*one[:7], json.dumps(one.memory_ids), *one[8:])
            self._connection.execute(
                f"""INSERT INTO injections({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT(session_id, at, moment, text) DO UPDATE SET followed = excluded.followed
                    WHERE excluded.followed <> ''""",
                row,
            )
            self._connection.execute(
                """INSERT OR IGNORE INTO injected_memories(memory_id, injection_id)
                   SELECT j.value, i.id FROM injections i, json_each(i.memory_ids) j
                   WHERE i.session_id = ? AND i.at = ? AND i.moment = ? AND i.text = ?""",
                (one.session_id, one.at, one.moment, one.text),
            )

    def latest(self, limit: int = 50, session_id: str | None = None) -> list[Injection]:
        """Return the latest advice, newest first; of one session by its id, with or without its host."""
        where = "WHERE ?1 IS NULL OR session_id = ?1 OR substr(session_id, instr(session_id, ':') + 1) = ?1"
        sql = f"SELECT {_COLUMNS} FROM injections {where} ORDER BY at DESC, id DESC LIMIT ?2"
        return [_made(row) for row in self._connection.rows(sql, (session_id, limit))]

    def of_session(self, session_id: str) -> list[Injection]:
        """Return all advice of a session, oldest first; by its stored id, "host:session"."""
        sql = f"SELECT {_COLUMNS} FROM injections WHERE session_id = ? ORDER BY at, id"
        return [_made(row) for row in self._connection.rows(sql, (session_id,))]

    def known(self, memory_ids: Sequence[str]) -> set[str]:
        """Return those of some memories that were shown to an agent."""
        sql = """SELECT DISTINCT j.value FROM json_each(?) j
                 JOIN injected_memories m ON m.memory_id = j.value"""
        return {row[0] for row in self._connection.rows(sql, (memory_ids,))}

    def of(self, memory_id: str, limit: int = 20) -> list[Injection]:
        """Return the times at which a memory was shown, newest first."""
        columns = ", ".join(f"i.{name}" for name in _COLUMNS.split(", "))
        sql = f"""SELECT {columns} FROM injected_memories m JOIN injections i ON i.id = m.injection_id
                  WHERE m.memory_id = ? ORDER BY i.at DESC, i.id DESC LIMIT ?"""
        return [_made(row) for row in self._connection.rows(sql, (memory_id, limit))]


def _made(row: Sequence[object]) -> Injection:
    values = list(row)
    values[7] = tuple(json.loads(str(values[7])))
    return Injection._make(values)


_TRIGGER = "t.kind, t.key, t.memory_id, t.needs, t.weight, t.unless"


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
            f"SELECT {_TRIGGER} FROM memory_triggers t WHERE t.memory_id = ? ORDER BY t.kind, t.key, t.needs"
        )
        return [_trigger(row) for row in self._connection.rows(sql, (memory_id,))]

    def of_words(self, kind: str, words: Iterable[str]) -> list[Trigger]:
        """Return the triggers of a kind that equal one of some words, of live memories, in order."""
        sql = f"""SELECT {_TRIGGER} FROM json_each(?1) j
                  CROSS JOIN memory_triggers t ON t.kind = ?2 AND t.key = j.value
                  CROSS JOIN memories m ON m.id = t.memory_id
                  WHERE m.deprecated = 0 ORDER BY t.key, t.memory_id, t.needs"""
        return [_trigger(row) for row in self._connection.rows(sql, (sorted(set(words)), kind))]


def _trigger(row: tuple) -> Trigger:  # type: ignore[type-arg]
    kind, key, memory_id, needs, weight, unless = row
    return Trigger(kind, key, memory_id, tuple(json.loads(needs)), weight, tuple(json.loads(unless)))
