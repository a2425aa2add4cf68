"""SQL for the common data of the sessions on a module, and the log of syntheses."""

from __future__ import annotations

from typing import NamedTuple

from remora.store.connection import Connection
from remora.store.graph import DEPENDENCE

ROOT = "./"  # the folder of files that lie in no other


def _below(path: str) -> str:
    """Return a condition on a column: below the folder ?1."""
    return f"CASE WHEN ?1 = '{ROOT}' THEN instr({path}, '/') = 0 ELSE substr({path}, 1, length(?1)) = ?1 END"


class Common(NamedTuple):
    """A common item of several sessions on a module.

    Attributes:
        what: files, or the fingerprint of an error.
        sessions: number of sessions.
        told: the texts: an error's message, resolution and tool; empty for files.
        ids: the sessions, newest first.
    """

    what: tuple[str, ...]
    sessions: int
    told: tuple[str, ...]
    ids: tuple[str, ...]


class ModuleEvidence:
    """The data of one project's sessions, module by module."""

    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def counts(self) -> dict[str, int]:
        """Return how many sessions changed each module."""
        sql = "SELECT module, count FROM observer_module_session_counts ORDER BY count DESC, module"
        return dict(self._connection.rows(sql))

    def done(self, module: str) -> int:
        """Return the highest threshold at which a module was synthesized; 0 for never."""
        sql = "SELECT coalesce(max(trigger_count), 0) FROM observer_synthesis_log WHERE module = ?"
        return int(self._connection.value(sql, (module,)))

    def log(self, module: str, threshold: int, at: int, made: int) -> None:
        """Record a synthesis of a module: time (ms) and number of memories; call inside a transaction."""
        self._connection.execute(
            """INSERT OR IGNORE INTO observer_synthesis_log(module, project_id, trigger_count, synthesized_at,
                 memories_generated) VALUES (?, ?, ?, ?, ?)""",
            (module, self._project_id, threshold, at, made),
        )

    def files(self, folder: str, limit: int) -> list[Common]:
        """Return the files below a folder (see `pairs`) that most sessions used, with the sessions."""
        sql = f"""SELECT path, count(*), group_concat(session_id, char(10)) FROM observer_session_files
                  WHERE {_below("path")} GROUP BY path ORDER BY count(*) DESC, path LIMIT ?2"""
        rows = self._connection.rows(sql, (folder, limit))
        return [Common((path,), n, (), tuple(ids.split("\n"))) for path, n, ids in rows]

    def pairs(self, folder: str, least: int, lift: float, limit: int) -> list[Common]:
        """Return pairs of files that sessions use together more often than chance, one below the folder.

        Args:
            folder: ends in "/"; `ROOT` for files in none; empty for the whole project.
            least: sessions that used both.
            lift: how much more often than if they were independent.
            limit: pairs.
        """
        sql = f"""SELECT p.file_a, p.file_b, count(*) AS n, group_concat(p.session_id, char(10))
                 FROM observer_session_pairs p
                 WHERE p.file_a < p.file_b AND ({_below("p.file_a")} OR {_below("p.file_b")})
                 GROUP BY 1, 2 HAVING n >= ?2 AND n * (SELECT count(*) FROM observer_sessions) >= ?3
                   * (SELECT session_count FROM observer_file_nodes f WHERE f.file_path = p.file_a)
                   * (SELECT session_count FROM observer_file_nodes f WHERE f.file_path = p.file_b)
                 ORDER BY n DESC, 1, 2 LIMIT ?4"""
        rows = self._connection.rows(sql, (folder, least, lift, limit))
        return [Common((a, b), n, (), tuple(ids.split("\n"))) for a, b, n, ids in rows]

    def errors(self, sessions: tuple[str, ...], least: int, limit: int) -> list[Common]:
        """Return the errors that several of some sessions met, with message, resolution and tool."""
        marks = ", ".join("?" * len(sessions))
        sql = f"""SELECT fingerprint, count(*), max(message), max(resolved_how),
                    group_concat(session_id, char(10)), max(tool)
                  FROM observer_session_errors WHERE session_id IN ({marks})
                  GROUP BY fingerprint HAVING count(*) >= ? ORDER BY count(*) DESC, fingerprint LIMIT ?"""
        rows = self._connection.rows(sql, (*sessions, least, limit))
        return [Common((mark,), n, (m, how, tool), tuple(i.split("\n"))) for mark, n, m, how, i, tool in rows]

    def imports(self, a: str, b: str) -> bool:
        """Return whether the code of one of two files uses the other: it is visible then."""
        sql = f"""SELECT EXISTS (SELECT 1 FROM graph_nodes x JOIN graph_edges e ON e.from_id = x.id
                   JOIN graph_nodes y ON y.id = e.to_id
                 WHERE {DEPENDENCE} AND ((x.file_path = ?1 AND y.file_path = ?2)
                   OR (x.file_path = ?2 AND y.file_path = ?1)))"""
        return bool(self._connection.value(sql, (a, b)))

    def taints(self, sessions: tuple[str, ...]) -> str:
        """Return a source of text from outside that some sessions acted on; empty for none."""
        marks = ", ".join("?" * len(sessions))
        sql = f"""SELECT json_extract(detail, '$.taint.source') FROM observer_session_errors
                  WHERE session_id IN ({marks}) AND json_extract(detail, '$.taint.source') IS NOT NULL
                  ORDER BY session_id LIMIT 1"""
        return str(self._connection.value(sql, sessions) or "")
