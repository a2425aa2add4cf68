"""Read-only access to a project's database for hook processes.

A hook lives for some hundredths of a second, so this module imports only the database driver and JSON,
opens the file read-only, never migrates, never waits long, and returns nothing on any error. It runs few
statements, each one walk over an index. All other code uses `Database`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from math import log2
from typing import NamedTuple

import apsw

from remora.core.triggers import Trigger

APPLICATION_ID = 0x52454D4F  # as `connection` writes it
OLDEST = 24  # schema from which on every table here exists
BUSY_MS = 100  # a reader waits only while a crashed writer's log is read again
SALT, AT_ONCE = "trial.salt", "trial.at_once"  # meta keys: see `store.trials`
ROOT = "root"  # meta key: the folder that the project was opened in last
MOST = 40  # memories read for one query
MOST_PARTNERS = 8  # files that change with one
_CLOCK = "history.clock"  # in `meta`: how many commits were learned; as `history` writes it
_STALE_DAYS = 200  # between a file's last change and that of a pair that no longer counts
MOST_TRIGGERED = 400  # the same before the further words of their triggers are checked

_NOTE = """m.id, m.type, m.content,
           m.confidence * iif(EXISTS (SELECT 1 FROM memory_disputes d WHERE d.memory_id = m.id), 0.8, 1),
           coalesce(m.decay_half_life_days, 0), m.last_accessed_at,
           m.taint IS NOT NULL, m.pinned, m.user_verified, m.related_files, coalesce(m.branch, ''),
           m.source, m.stale_at IS NOT NULL, m.project_id = 'user',
           coalesce(json_extract(m.payload, '$.sessions'), 0),
           coalesce(json_extract(m.origins, '$[0].path'), ''), m.tags,
           iif(json_type(m.payload, '$.taken_out') = 'array', json_extract(m.payload, '$.taken_out'), '[]'),
           coalesce(m.context_prefix, '')"""
# Memories derived from a superseded or forgotten one have a review reason and are excluded.
_LIVE = """m.deprecated = 0 AND m.silent = 0 AND m.stale_at IS NULL
    AND (m.needs_review = 0 OR m.review_reason IS NULL)"""
# Given patterns say at which actions a memory is shown; its files alone do not.
_NOT_GIVEN = "m.triggers IS NULL"
_ORDER = "ORDER BY m.pinned DESC, m.confidence DESC, m.created_at DESC, m.id"


class Note(NamedTuple):
    """The fields of a memory that advice needs.

    Attributes:
        half_life: days; 0 never decays.
        used: when it was last read, ISO 8601.
        everywhere: it is in the user's own database and applies to every project.
        tainted: it rests on external or third-party text.
        sessions: number of sessions that showed it, 0 if not counted.
        path: of the file it was read from; empty if none.
        tags: for a rule they include the kind of its file.
        taken_out: the words that a revert removed from its files.
        context: the headings above it in its file, outermost first, with " > " between; empty if its content
            has them.
        trigger: the trigger that matched; None if it was found otherwise.
        unconfirmed: shown with a mark although not yet confirmed.
    """

    id: str
    type: str
    content: str
    confidence: float
    half_life: float
    used: str
    tainted: bool
    pinned: bool
    verified: bool
    files: tuple[str, ...]
    branch: str
    source: str
    stale: bool
    everywhere: bool = False
    sessions: int = 0
    path: str = ""
    tags: tuple[str, ...] = ()
    taken_out: tuple[str, ...] = ()
    context: str = ""
    trigger: Trigger | None = None
    unconfirmed: bool = False


class Partner(NamedTuple):
    """A file that changes together with another one, according to the commits.

    Attributes:
        together: number of commits that changed both; `own`: those of the given file, `theirs`: of this one.
        total: number of known commits.
        last: when both were last changed, ISO 8601.
    """

    path: str
    together: int
    own: int
    theirs: int
    total: int
    last: str


class HookReader:
    """A project's database, and the user's if there is one, open for reading.

    Every answer lists the project's memories first.
    """

    def __init__(self, *connections: apsw.Connection) -> None:
        self._connections = connections

    def close(self) -> None:
        """Close the files."""
        for connection in self._connections:
            connection.close()

    def threshold(self) -> float:
        """Return the confidence required by the trust level of the project."""
        from remora.core.trust import (  # most events find no memory
            EARLIER,
            FIRST,
            STATE,
            THRESHOLDS,
            UPGRADED,
        )

        sql = "SELECT key, value FROM meta WHERE key IN (?, ?)"
        known = {
            key: json.loads(value) for key, value in self._connections[0].execute(sql, (STATE, UPGRADED))
        }
        state = known.get(STATE)
        first = EARLIER if UPGRADED in known else FIRST
        return THRESHOLDS[state["level"] if isinstance(state, dict) else first]

    def counts(self) -> tuple[int, int]:
        """Return how many live memories the project has, and how many wait for review."""
        sql = "SELECT count(*), coalesce(sum(needs_review), 0) FROM memories WHERE deprecated = 0"
        memories, waiting = next(self._connections[0].execute(sql))
        return int(memories), int(waiting)

    def trial(self) -> tuple[str, int]:
        """Return the salt of the trial, and how many memories a moment gets; 0 while that is open."""
        sql = "SELECT key, value FROM meta WHERE key IN (?, ?)"
        known = {key: json.loads(value) for key, value in self._connections[0].execute(sql, (SALT, AT_ONCE))}
        return str(known.get(SALT, "")), int(known.get(AT_ONCE, 0))

    def spoke(self, times: int) -> int:
        """Return the number of advice texts in ended sessions, at most `times`."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM injections LIMIT ?)"
        return int(next(self._connections[0].execute(sql, (times,)))[0])

    def held_last(self, memory_ids: Collection[str]) -> bool:
        """Return whether one of some memories was held back when it was due last."""
        sql = """SELECT 1 FROM json_each(?) j WHERE (
                   SELECT u.arm FROM trial_memories t JOIN trial_units u ON u.unit = t.unit
                   WHERE t.memory_id = j.value ORDER BY u.at DESC LIMIT 1) = 'held'"""
        return bool(self._rows(sql, (json.dumps(list(memory_ids)),)))

    def effects(self, trigger: str) -> dict[str, float]:
        """Return how much memories help at a trigger, by id, where that is known."""
        return dict(self._rows("SELECT memory_id, factor FROM memory_effects WHERE trigger = ?", (trigger,)))

    def root(self) -> str:
        """Return the folder that the project was opened in last; empty where none was noted."""
        sql = "SELECT value FROM meta WHERE key = ?"
        return next((json.loads(value) for (value,) in self._connections[0].execute(sql, (ROOT,))), "")

    def about(self, paths: Collection[str], types: Iterable[str]) -> list[Note]:
        """Return memories of some types about one of some files, best first."""
        sql = f"""SELECT {_NOTE} FROM json_each(?1) j
                  CROSS JOIN memory_files f ON f.file_path = j.value
                  CROSS JOIN memories m ON m.id = f.memory_id
                  WHERE {_LIVE} AND {_NOT_GIVEN} AND m.type IN (SELECT value FROM json_each(?2))
                  GROUP BY m.id {_ORDER} LIMIT {MOST}"""
        return [_note(row) for row in self._rows(sql, (json.dumps(list(paths)), json.dumps(list(types))))]

    def patterns(self, types: Iterable[str]) -> list[str]:
        """Return the file patterns of memories of some types, each once."""
        sql = f"""SELECT DISTINCT f.file_path FROM memory_files f CROSS JOIN memories m ON m.id = f.memory_id
                  WHERE instr(f.file_path, '*') > 0 AND {_LIVE} AND {_NOT_GIVEN}
                    AND m.type IN (SELECT value FROM json_each(?))"""
        return [row[0] for row in self._rows(sql, (json.dumps(list(types)),))]

    def triggered(self, keys: Collection[tuple[str, str]]) -> list[Note]:
        """Return the memories with a trigger of some kinds and keys, heaviest first."""
        sql = f"""SELECT {_NOTE}, t.kind, t.key, t.needs, t.weight, t.unless FROM json_each(?1) j
                  CROSS JOIN memory_triggers t ON t.kind = j.value ->> 0 AND t.key = j.value ->> 1
                  CROSS JOIN memories m ON m.id = t.memory_id WHERE {_LIVE}
                  ORDER BY t.weight DESC, m.created_at DESC, m.id LIMIT {MOST_TRIGGERED}"""
        return [_triggered(row) for row in self._rows(sql, (json.dumps(list(keys)),))]

    def partners(self, path: str, together: int, share: float, tied: float) -> list[Partner]:
        """Return the present files that change with one, the likeliest first.

        Args:
            path: the file, from the root of the project.
            together: minimum number of commits that changed both.
            share: minimum share of the file's own commits, plus one, that changed both.
            tied: minimum share of this pair in the weight of all the file's pairs. A commit of many files
                adds little to each pair (`remora/core/cochange.py`).
        """
        sql = f"""SELECT p.other, p.commits, f.commits, o.commits,
                    (SELECT value FROM meta WHERE key = '{_CLOCK}'), p.last_date
                  FROM git_files f CROSS JOIN git_pairs p ON p.path = f.path
                  CROSS JOIN git_files o ON o.path = p.other AND o.present = 1 AND o.stem <> f.stem
                  WHERE f.path = ?1 AND p.commits >= ?2 AND p.commits >= ?3 * (f.commits + 1)
                    AND p.bond >= f.reach + ?4
                    AND julianday(f.last_date) - julianday(p.last_date) <= {_STALE_DAYS}
                  ORDER BY p.commits DESC, p.other LIMIT {MOST_PARTNERS}"""
        rows = self._rows(sql, (path, together, share, log2(tied)))
        return [Partner._make([*row[:4], int(row[4] or 0), row[5]]) for row in rows]

    def saying(self, phrase: str, most: int) -> list[Note]:
        """Return the memories with two words in a row, or more words anywhere; none if more than `most`."""
        words = [f'"{word}"' for word in phrase.split()]
        match = f'"{phrase}"' if len(words) < 3 else f"({' AND '.join(words)})"
        sql = f"""SELECT {_NOTE} FROM memories_fts CROSS JOIN memories m ON m.seq = memories_fts.rowid
                  WHERE memories_fts MATCH ?1 AND {_LIVE} ORDER BY m.id LIMIT ?2"""
        found = [_note(row) for row in self._rows(sql, (f"content : {match}", most + 1))]
        return found if len(found) <= most else []

    def _rows(self, sql: str, values: tuple[object, ...]) -> list[tuple]:  # type: ignore[type-arg]
        return [row for connection in self._connections for row in connection.execute(sql, values)]


def look(path: str, user: str = "") -> HookReader | None:
    """Open a project's database for reading; None if it cannot be read as it is, for any reason.

    Args:
        path: of the project's database.
        user: of the user's database; if it cannot be read, only the project's is used.
    """
    own = _opened(path)
    if own is None:
        return None
    beside = _opened(user) if user and os.path.exists(user) else None  # noqa: PTH110
    return HookReader(own) if beside is None else HookReader(own, beside)


def _opened(path: str) -> apsw.Connection | None:
    if not os.path.isfile(path):  # noqa: PTH113  opening a pipe would wait
        return None
    try:
        tidy = not os.path.exists(f"{path}-wal") and os.access(path, os.W_OK)  # noqa: PTH110
        flags = apsw.SQLITE_OPEN_READWRITE if tidy else apsw.SQLITE_OPEN_READONLY
        connection = apsw.Connection(path, flags=flags)
    except apsw.Error:
        return None
    try:
        connection.set_busy_timeout(BUSY_MS)
        connection.execute("PRAGMA query_only = ON")
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        found = next(connection.execute("PRAGMA application_id"))[0]
        version = next(connection.execute("PRAGMA user_version"))[0]
        if found == APPLICATION_ID and version >= OLDEST:
            return connection
    except (apsw.Error, StopIteration):
        pass
    connection.close()
    return None


def _note(row: tuple) -> Note:  # type: ignore[type-arg]
    values: list[object] = list(row)
    values[6:9] = [bool(flag) for flag in values[6:9]]
    values[9] = tuple(json.loads(row[9]))
    values[12:14] = [bool(flag) for flag in values[12:14]]
    values[14] = row[14] if isinstance(row[14], int) else 0  # payloads are whatever somebody put there
    values[16:18] = [tuple(json.loads(texts)) for texts in row[16:18]]
    return Note._make([*values, None, False])


def _triggered(row: tuple) -> Note:  # type: ignore[type-arg]
    kind, key, needs, weight, unless = row[-5:]
    note = _note(row[:-5])
    found = Trigger(kind, key, note.id, tuple(json.loads(needs)), weight, tuple(json.loads(unless)))
    return note._replace(trigger=found)
