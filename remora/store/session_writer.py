"""SQL that records an agent session: its own rows, and the sums it adds to.

`record` replaces a session's rows and recomputes the affected sums, so learning a session again changes only
what is new. Call inside a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from remora.core.events import CommandRun, ErrorSeen, Observation, Signal
from remora.core.paths import module_of
from remora.core.text import index_terms
from remora.store.connection import Connection

MOST_FILES = 2_000  # maximum of stored files per session; more come from a tool, not from an agent
PRIOR = 2.0  # sessions added below a co-access weight, so that one common session proves little
TAINT = "taint"  # in the detail of a signal
NEXT_PROMPT = "\n\f"  # separates a person's prompts; a prompt can contain newlines


class Pair(NamedTuple):
    """Two files that a session used close together, and how often."""

    file_a: str
    file_b: str
    times: int


class SessionWriter:
    """Writes the data of one project's sessions."""

    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def record(
        self,
        observation: Observation,
        pairs: Sequence[Pair],
        seen: str,
        at: str,
        more: Sequence[Signal] = (),
    ) -> str:
        """Store an observed session in place of its earlier rows; returns its id.

        Args:
            observation: the session.
            pairs: files it used close together, each pair in both directions.
            seen: the state of its files.
            at: now.
            more: signals beyond its own, to be counted with them.
        """
        o = observation
        session = f"{o.host}:{o.session_id}"
        self.remove(session)
        prompt, why = NEXT_PROMPT.join(o.prompts), f"{o.kind_why}; {o.outcome_why}"
        self._connection.execute(
            """INSERT INTO observer_sessions(id, host, seen, started_at, ended_at, kind, outcome, why, branch,
                 steps, planned, tokens, events, prompt, summary, learned_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                *(session, o.host, seen, o.started, o.ended, o.kind, o.outcome, why, o.branch, o.steps),
                *(o.planned, o.tokens, o.events, prompt, o.summary, at),
            ),
        )
        self._connection.execute(
            "INSERT INTO observer_sessions_fts(rowid, prompt, summary, terms) VALUES (?, ?, ?, ?)",
            (self._connection.last_row_id(), prompt, o.summary, index_terms(f"{prompt} {o.summary}")),
        )
        self._connection.execute_many(
            """INSERT OR IGNORE INTO observer_signals(type, key, session_id, step, at, paths, detail)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            [
                (s.type, s.key, session, s.step, s.at, _json(s.paths), _json(_detail_of(s)))
                for s in (*o.signals, *more)
            ],
        )
        files = sorted(o.files, key=lambda f: (-f.edits, -f.reads, f.path))[:MOST_FILES]
        self._connection.execute_many(
            "INSERT OR IGNORE INTO observer_session_files VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(session, f.path, f.reads, f.edits, f.first_step, f.last_step, f.last_at) for f in files],
        )
        self._connection.execute_many(
            "INSERT OR IGNORE INTO observer_session_pairs VALUES (?, ?, ?, ?, NULL)",
            [(session, *pair) for pair in pairs],
        )
        self._connection.execute_many(
            "INSERT OR IGNORE INTO observer_session_errors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(session, e.fingerprint, e.tool, e.command, e.message, e.count),
                    *(int(e.resolved), e.resolved_how, o.ended or at, _json(_more_of(e))),
                )
                for e in o.errors
            ],
        )
        self._connection.execute_many(
            "INSERT OR IGNORE INTO observer_session_commands VALUES (?, ?, ?, ?, ?, ?)",
            [(session, c.as_run, c.purpose, c.runs, c.failures, c.last_step) for c in self._own(o.commands)],
        )
        self._count_modules({f.path for f in files if f.edits}, 1)
        self._sum_files({f.path for f in files})
        self._sum_pairs({(p.file_a, p.file_b) for p in pairs} | self._edges_of({f.path for f in files}))
        return session

    def _own(self, commands: Sequence[CommandRun]) -> list[CommandRun]:
        """Return the commands without those that external text may have prompted.

        A command that a session ran only after reading such text is stored, and so suggested, only if an
        earlier learned session has it: the first one stored always ran it of its own accord.
        """
        late = [c.as_run for c in commands if c.tainted]
        sql = """SELECT DISTINCT c.command FROM json_each(?) j
                 CROSS JOIN observer_session_commands c ON c.command = j.value"""
        known = set(self._connection.column(sql, (late,))) if late else set()
        return [c for c in commands if not c.tainted or c.as_run in known]

    def remove(self, session: str) -> None:
        """Delete the data of a session, "host:session"; call inside a transaction."""
        sql = "SELECT path, edits FROM observer_session_files WHERE session_id = ?"
        edits: dict[str, int] = dict(self._connection.rows(sql, (session,)))
        files = edits.keys()
        sql = "SELECT file_a, file_b FROM observer_session_pairs WHERE session_id = ?"
        pairs = {(a, b) for a, b in self._connection.rows(sql, (session,))}
        # A sum that earlier versions kept, with messages of the session.
        sql = "SELECT fingerprint FROM observer_session_errors WHERE session_id = ?"
        self._connection.execute(f"DELETE FROM observer_error_patterns WHERE id IN ({sql})", (session,))
        if not self._connection.execute("DELETE FROM observer_sessions WHERE id = ?", (session,)):
            return
        self._sum_files(files)
        self._sum_pairs(pairs | self._edges_of(files))
        self._count_modules({path for path, number in edits.items() if number}, -1)

    # Sums

    def _count_modules(self, changed: Collection[str], step: int) -> None:
        """Count a session once for each module it changed; `step` -1 subtracts it."""
        modules = [(module, self._project_id, step) for module in sorted({module_of(p) for p in changed})]
        self._connection.execute_many(
            """INSERT INTO observer_module_session_counts(module, project_id, count) VALUES (?, ?, max(?, 0))
               ON CONFLICT DO UPDATE SET count = count + ?3""",
            modules,
        )
        self._connection.execute("DELETE FROM observer_module_session_counts WHERE count <= 0")

    def _sum_files(self, paths: Collection[str]) -> None:
        self._connection.execute(
            "DELETE FROM observer_file_nodes WHERE file_path IN (SELECT value FROM json_each(?))", (paths,)
        )
        self._connection.execute(
            """INSERT INTO observer_file_nodes(file_path, project_id, access_count, last_accessed_at,
                 session_count)
               SELECT f.path, ?2, sum(f.reads + f.edits), coalesce(max(f.last_at), ''), count(*)
               FROM json_each(?1) j CROSS JOIN observer_session_files f ON f.path = j.value
               GROUP BY f.path""",
            (paths, self._project_id),
        )

    def _edges_of(self, paths: Collection[str]) -> set[tuple[str, str]]:
        """Return the edges whose weight depends on the number of sessions that used some files."""
        sql = """SELECT e.file_a, e.file_b FROM json_each(?) j
                 CROSS JOIN observer_co_access_edges e ON e.file_a = j.value"""
        return {(a, b) for a, b in self._connection.rows(sql, (sorted(paths),))}

    def _sum_pairs(self, pairs: Collection[tuple[str, str]]) -> None:
        """Recompute the co-access edges of pairs; a weight is the share of a's sessions that used b."""
        self._connection.execute(
            """DELETE FROM observer_co_access_edges WHERE rowid IN (
                 SELECT e.rowid FROM json_each(?) j CROSS JOIN observer_co_access_edges e
                 ON e.file_a = j.value ->> 0 AND e.file_b = j.value ->> 1)""",
            (pairs,),
        )
        self._connection.execute(
            """INSERT INTO observer_co_access_edges(file_a, file_b, project_id, weight, raw_count,
                 session_count, directional, last_observed_at)
               SELECT p.file_a, p.file_b, ?2,
                 count(*) / (?3 + (SELECT count(*) FROM observer_session_files f WHERE f.path = p.file_a)),
                 sum(p.times), count(*), 1,
                 coalesce(max((SELECT s.ended_at FROM observer_sessions s WHERE s.id = p.session_id)), '')
               FROM json_each(?1) j CROSS JOIN observer_session_pairs p
               ON p.file_a = j.value ->> 0 AND p.file_b = j.value ->> 1 GROUP BY p.file_a, p.file_b""",
            (pairs, self._project_id, PRIOR),
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _detail_of(signal: Signal) -> dict[str, Any]:
    """Return the detail of a signal, with the external text that preceded it."""
    return {**signal.detail, TAINT: signal.taint} if signal.taint is not None else dict(signal.detail)


def _more_of(error: ErrorSeen) -> dict[str, Any]:
    """Return the fields of an error that have no column."""
    taint = error.taint._asdict() if error.taint is not None else None
    more = {name: value for name in ("worked", "helped") if (value := getattr(error, name))}
    return {"steps": error.steps, "resolved_paths": error.resolved_paths, "taint": taint, **more}
