"""SQL that reads the data of agent sessions: each session's rows, and the sums over all sessions.

`session_writer` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from remora.core.events import ErrorSeen, Ran, SeenCount
from remora.core.text import any_of
from remora.core.values import Taint
from remora.store.session_writer import TAINT, SessionWriter

KEPT = 50  # newest sessions whose details of one signal or error are read
# Prompts are stored with a mark between them (`session_writer.NEXT_PROMPT`), which readers do not see.
_PROMPTS = "replace(s.prompt, char(10, 12), char(10))"
_SESSION = f"""SELECT s.id, s.host, s.started_at, s.kind, s.outcome, s.branch, s.steps, {_PROMPTS}
              FROM observer_sessions s"""
# Sessions of one branch and day are mostly one piece of work, and count as one occasion.
_OCCASIONS = "count(DISTINCT coalesce(s.branch, '') || substr(coalesce(s.started_at, s.id), 1, 10))"
_TIMES = f"{_OCCASIONS}, min(s.ended_at), max(s.ended_at)"


class LearnedRow(NamedTuple):
    """A memory that a run added or changed: the change, its reason, the learned text, and the time."""

    memory_id: str
    action: str
    why: str
    text: str
    at: str


class ShownRow(NamedTuple):
    """A signal in one session."""

    session_id: str
    at: str | None
    paths: tuple[str, ...]
    detail: dict[str, Any]
    taint: Taint | None = None


class Told(NamedTuple):
    """The summary of a session.

    Attributes:
        kind, outcome: as judged.
        prompt: the person's words, shortened.
        summary: the result, in the session's own words; may be empty.
        edited: the changed files, the most changed first.
    """

    kind: str
    outcome: str
    prompt: str
    summary: str
    edited: tuple[str, ...]


class SessionRow(NamedTuple):
    """A learned session."""

    id: str
    host: str
    started_at: str | None
    kind: str
    outcome: str
    branch: str | None
    steps: int
    prompt: str


class ErrorMet(NamedTuple):
    """An error as one session met it."""

    session_id: str
    at: str | None
    error: ErrorSeen


class SessionReader(SessionWriter):
    """The data of one project's sessions.

    Counts include the session that is being judged: it is counted first and judged then, so that new and old
    projects are treated the same way.
    """

    def seen(self) -> dict[str, str]:
        """Return the state of each session's files when it was learned, by its id."""
        return dict(self._connection.rows("SELECT id, seen FROM observer_sessions"))

    def note_first(self, session_id: str, key: str) -> None:
        """Record the key of a session's first event that a fork of it would copy."""
        self._connection.execute("UPDATE observer_sessions SET first_key = ? WHERE id = ?", (key, session_id))

    def beginning_with(self, keys: Collection[str]) -> dict[str, str]:
        """Return the file states of sessions that begin with one of some events, by id."""
        sql = """SELECT s.id, s.seen FROM json_each(?) j
                 JOIN observer_sessions s ON s.first_key = j.value AND s.first_key <> ''"""
        return dict(self._connection.rows(sql, (sorted(keys),)))

    def reads(self) -> dict[str, int]:
        """Return in how many sessions each file was met, by path from the root of the project."""
        sql = "SELECT file_path, session_count FROM observer_file_nodes WHERE session_count > 0"
        return dict(self._connection.rows(sql))

    def count(self, since: str = "") -> int:
        """Return the number of learned sessions that began at a time or later."""
        sql = "SELECT count(*) FROM observer_sessions WHERE ?1 = '' OR started_at >= ?1"
        return int(self._connection.value(sql, (since,)))

    def prompts(self, limit: int) -> list[tuple[str, str]]:
        """Return (id, prompts) of the newest sessions with prompts."""
        sql = f"""SELECT s.id, {_PROMPTS} FROM observer_sessions s WHERE s.prompt <> ''
                  ORDER BY s.seq DESC LIMIT ?"""
        return self._connection.rows(sql, (limit,))

    def told(self, session_id: str) -> Told | None:
        """Return the summary of a session, None for an unknown one."""
        sql = f"SELECT s.kind, s.outcome, {_PROMPTS}, s.summary FROM observer_sessions s WHERE s.id = ?"
        row = self._connection.row(sql, (session_id,))
        if row is None:
            return None
        sql = """SELECT path FROM observer_session_files WHERE session_id = ? AND edits > 0
                 ORDER BY edits DESC, path"""
        edited = tuple(r[0] for r in self._connection.rows(sql, (session_id,)))
        return Told(row[0], row[1], row[2], row[3], edited)

    def errors_met(self) -> list[tuple[str, str, str]]:
        """Return (fingerprint, command, message) of every session's errors, newest first."""
        sql = """SELECT fingerprint, command, message FROM observer_session_errors
                 ORDER BY at DESC, session_id, fingerprint"""
        return self._connection.rows(sql)

    def failing(self, sessions: int) -> list[tuple[str, str]]:
        """Return (fingerprint, command) if another form of a command succeeded, and its own has not since.

        Only commands that met the error in at least the given number of sessions.
        """
        sql = """WITH failed AS (
                   SELECT e.fingerprint, e.command, coalesce(max(s.started_at), '') AS at
                   FROM observer_session_errors e JOIN observer_sessions s ON s.id = e.session_id
                   WHERE e.command <> '' GROUP BY e.fingerprint, e.command
                   HAVING count(*) >= ? AND count(e.detail ->> 'worked') > 0)
                 SELECT f.fingerprint, f.command FROM failed f WHERE NOT EXISTS (
                   SELECT 1 FROM observer_session_commands c JOIN observer_sessions s ON s.id = c.session_id
                   WHERE c.command = f.command AND c.runs > c.failures AND coalesce(s.started_at, '') >= f.at)
                 ORDER BY f.fingerprint, f.command"""
        return self._connection.rows(sql, (sessions,))

    def sessions_with(self, signal: str, key: str) -> SeenCount:
        """Return the number of sessions that showed a signal under a key, and when."""
        sql = """SELECT count(*), min(coalesce(g.at, s.started_at)), max(coalesce(g.at, s.started_at))
                 FROM observer_signals g JOIN observer_sessions s ON s.id = g.session_id
                 WHERE g.type = ? AND g.key = ?"""
        return self._counted(sql, signal, key)

    def signals(self, signal: str, key: str, limit: int = KEPT) -> list[ShownRow]:
        """Return a signal of the newest sessions, oldest first."""
        sql = """SELECT g.session_id, coalesce(g.at, s.started_at), g.paths, g.detail FROM observer_signals g
                 JOIN observer_sessions s ON s.id = g.session_id WHERE g.type = ? AND g.key = ?
                 ORDER BY 2 DESC, 1 LIMIT ?"""
        rows = self._connection.rows(sql, (signal, key, limit))[::-1]
        found = []
        for session, at, paths, more in rows:
            detail = json.loads(more)
            taint = detail.pop(TAINT, None)
            found.append(
                ShownRow(session, at, tuple(json.loads(paths)), detail, Taint(*taint) if taint else None)
            )
        return found

    def errors(self, fingerprint: str, limit: int = KEPT) -> list[ErrorMet]:
        """Return an error as the newest sessions met it, oldest first."""
        sql = """SELECT session_id, at, tool, command, message, times, resolved, resolved_how, detail
                 FROM observer_session_errors WHERE fingerprint = ? ORDER BY at DESC, session_id LIMIT ?"""
        found = []
        for session, at, tool, command, message, times, resolved, how, detail in self._connection.rows(
            sql, (fingerprint, limit)
        ):
            more = json.loads(detail)
            taint = Taint(**more["taint"]) if more.get("taint") else None
            steps, paths = tuple(more.get("steps", ())), tuple(more.get("resolved_paths", ()))
            error = ErrorSeen(
                *(fingerprint, tool, command, message, times, steps, bool(resolved), how, paths, taint),
                *(more.get("worked", ""), tuple(more.get("helped", ()))),
            )
            found.append(ErrorMet(session, at, error))
        return found[::-1]

    def totals(self) -> SeenCount:
        """Return the number of occasions with learned sessions, and the first and last time."""
        sql = f"""SELECT {_OCCASIONS}, min(s.started_at), max(coalesce(s.ended_at, s.started_at))
                  FROM observer_sessions s"""
        return self._counted(sql)

    def edits(self, path: str) -> SeenCount:
        """Return the number of occasions on which a file was edited, and when."""
        sql = f"""SELECT {_TIMES} FROM observer_session_files f
                  JOIN observer_sessions s ON s.id = f.session_id WHERE f.path = ? AND f.edits > 0"""
        return self._counted(sql, path)

    def _counted(self, sql: str, *values: str) -> SeenCount:
        return SeenCount(*self._connection.rows(sql, values)[0])

    def co_edits(self, path: str) -> dict[str, SeenCount]:
        """Return the files edited in the same sessions, the number of occasions, and when."""
        sql = f"""SELECT o.path, {_TIMES}
                  FROM observer_session_files f JOIN observer_sessions s ON s.id = f.session_id
                  JOIN observer_session_files o ON o.session_id = f.session_id AND o.path <> f.path
                  WHERE f.path = ? AND f.edits > 0 AND o.edits > 0 GROUP BY o.path ORDER BY o.path"""
        return {other: SeenCount(*counts) for other, *counts in self._connection.rows(sql, (path,))}

    def like(self, terms: Sequence[str], limit: int) -> list[tuple[str, float]]:
        """Return (session id, bm25) of sessions whose prompts match the terms, best first, ties newest."""
        if not (match := any_of(terms)):
            return []
        sql = """SELECT s.id, -bm25(observer_sessions_fts) AS score FROM observer_sessions_fts
                 CROSS JOIN observer_sessions s ON s.seq = observer_sessions_fts.rowid
                 WHERE observer_sessions_fts MATCH ? ORDER BY score DESC, s.started_at DESC, s.id LIMIT ?"""
        return self._connection.rows(sql, (match, limit))

    def newest_edits(self, limit: int) -> list[tuple[str, ...]]:
        """Return the files edited by each of the newest sessions that edited any, last to end first."""
        sql = """SELECT (
                   SELECT json_group_array(f.path ORDER BY f.path) FROM observer_session_files f
                   WHERE f.session_id = s.id AND f.edits > 0) AS edited
                 FROM observer_sessions s
                 WHERE edited <> '[]' AND s.started_at IS NOT NULL AND s.ended_at IS NOT NULL
                 ORDER BY s.ended_at DESC, s.id LIMIT ?"""
        return [tuple(json.loads(edited)) for (edited,) in self._connection.rows(sql, (limit,))]

    def files(self, session_ids: Collection[str], *, edited: bool = False) -> dict[str, list[str]]:
        """Return the files that each of some sessions read or edited; with `edited`, the edited ones only."""
        sql = """SELECT f.session_id, f.path FROM json_each(?) j
                 CROSS JOIN observer_session_files f ON f.session_id = j.value AND f.edits >= ?
                 ORDER BY 1, 2"""
        found: dict[str, list[str]] = {}
        for session, path in self._connection.rows(sql, (session_ids, int(edited))):
            found.setdefault(session, []).append(path)
        return found

    def working_in(self, folder: str, limit: int) -> list[str]:
        """Return the newest sessions that edited files below a folder, the last first."""
        # "0" is the sign behind "/": a range of the index instead of a look at every path.
        sql = """SELECT DISTINCT s.id, s.started_at FROM observer_session_files f
                 JOIN observer_sessions s ON s.id = f.session_id
                 WHERE f.path >= ? AND f.path < ? AND f.edits > 0
                 ORDER BY s.started_at DESC, s.id LIMIT ?"""
        return [i for i, _ in self._connection.rows(sql, (f"{folder}/", f"{folder}0", limit))]

    def sessions(self, limit: int = 100) -> list[SessionRow]:
        """Return the learned sessions, newest first."""
        sql = f"{_SESSION} ORDER BY s.started_at DESC, s.id LIMIT ?"
        return [SessionRow._make(r) for r in self._connection.rows(sql, (limit,))]

    def named(self, name: str, limit: int) -> list[str]:
        """Return the ids ("host:session") of sessions with a name, else of those with it as a prefix."""
        own = "substr(id, instr(id, ':') + 1)"
        if not name:
            return []
        begins = f"substr({own}, 1, length(?1)) = ?1 OR substr(id, 1, length(?1)) = ?1"
        for where in (f"id = ?1 OR {own} = ?1", begins):
            sql = f"SELECT id FROM observer_sessions WHERE {where} ORDER BY id LIMIT ?2"
            if found := self._connection.column(sql, (name, limit)):
                return found
        return []

    def changed_after(self, at: str) -> list[SessionRow]:
        """Return the sessions that changed files and ended after a time, newest first."""
        sql = f"""{_SESSION} WHERE s.ended_at > ? AND EXISTS (
                   SELECT 1 FROM observer_session_files f WHERE f.session_id = s.id AND f.edits > 0)
                 ORDER BY s.ended_at DESC, s.id"""
        return [SessionRow._make(r) for r in self._connection.rows(sql, (at,))]

    def rows(self, session_ids: Collection[str]) -> list[SessionRow]:
        """Return some sessions; unknown ids are left out."""
        sql = f"{_SESSION} WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY s.id"
        return [SessionRow._make(r) for r in self._connection.rows(sql, (session_ids,))]

    def commands(self, sessions: int) -> list[Ran]:
        """Return the commands of the newest sessions with commands, newest session first."""
        sql = """WITH newest AS (
                   SELECT s.id, s.started_at, coalesce((SELECT max(f.last_step) FROM observer_session_files f
                     WHERE f.session_id = s.id AND f.edits > 0), 1 << 62) AS edited
                   FROM observer_sessions s WHERE EXISTS (
                     SELECT 1 FROM observer_session_commands c WHERE c.session_id = s.id)
                   ORDER BY s.started_at DESC, s.id LIMIT ?)
                 SELECT n.id, c.command, c.runs, c.failures, c.last_step >= n.edited
                 FROM newest n CROSS JOIN observer_session_commands c ON c.session_id = n.id
                 WHERE c.purpose <> 'look'
                 ORDER BY n.started_at DESC, n.id, c.last_step DESC, c.command"""
        rows = self._connection.rows(sql, (sessions,))
        return [Ran._make((*row, bool(last))) for *row, last in rows]

    # What was learned

    def note_learned(self, run: int, rows: Sequence[LearnedRow]) -> None:
        """Record the memories a run added or changed; for one changed twice, its later state."""
        self._connection.execute_many(
            "INSERT OR REPLACE INTO learned(run, memory_id, action, why, text, at) VALUES (?, ?, ?, ?, ?, ?)",
            [(run, *row) for row in rows],
        )

    def last_learned(self, memory_id: str) -> LearnedRow | None:
        """Return the last change of a memory by learning; None if it was never learned."""
        sql = """SELECT memory_id, action, why, text, at FROM learned WHERE memory_id = ?
                 ORDER BY run DESC LIMIT 1"""
        row = self._connection.row(sql, (memory_id,))
        return LearnedRow._make(row) if row else None

    def last_run(self) -> int:
        """Return the number of the last run that learned a memory; 0 before the first."""
        return int(self._connection.value("SELECT max(run) FROM learned") or 0)

    def learned(self, run: int | None) -> list[LearnedRow]:
        """Return the changes of a run, or the last change per memory of all runs, in order of time."""
        sql = """SELECT memory_id, action, why, text, at FROM learned l
                 WHERE run = coalesce(?, (SELECT max(run) FROM learned WHERE memory_id = l.memory_id))
                 ORDER BY at, memory_id"""
        return [LearnedRow._make(r) for r in self._connection.rows(sql, (run,))]
