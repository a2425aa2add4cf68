"""Run the numbered SQL files of `schema/` once each, in order, each in its own transaction.

A new file gets `schema.sql` instead, which holds what all of them make and is generated from them.
`PRAGMA user_version` holds the number of the last one. If two processes open an old file at the same
moment, `BEGIN IMMEDIATE` serializes them; the second finds nothing to do. A file that has landed is never
edited: the next change is a new file.
"""

from __future__ import annotations

import functools
import json
import time
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import apsw

from remora.core.errors import StoreTooNew
from remora.core.text import content_hash, index_terms
from remora.core.times import instant_of
from remora.store.float16 import half

_SOME_VECTORS = "SELECT id, embedding FROM embeddings WHERE id > ? ORDER BY id LIMIT ?"
_AT_A_TIME = 5_000  # rows
_TRIES = 50  # to switch a file to WAL, 20 ms apart


def scripts() -> list[tuple[int, str]]:
    """Return (number, SQL) of every migration, in order.

    >>> [number for number, _ in scripts()] == list(range(1, len(scripts()) + 1))
    True
    """
    return [(number, file.read_text("utf-8")) for number, file in _files()]


def _files() -> list[tuple[int, Traversable]]:
    folder = resources.files("remora.store") / "schema"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [(int(f.name.partition("_")[0]), f) for f in files]


@functools.cache
def latest() -> int:
    """Return the schema version that this version of Remora writes."""
    return _files()[-1][0]


def version(connection: apsw.Connection) -> int:
    """Return the schema version of an open file, 0 for a new one."""
    return int(next(connection.execute("PRAGMA user_version"))[0])


def require_known(connection: apsw.Connection, path: Path, known: int) -> None:
    """Reject a file whose schema is newer than the one we know, before any change to it.

    Raises:
        StoreTooNew: its schema is newer than ours.
    """
    if (found := version(connection)) > known:
        raise StoreTooNew(
            f"{path} has schema {found}; this version of Remora knows {known}",
            hint="Update Remora (`pip install -U remora`). The file was not touched.",
        )


def require_current(connection: apsw.Connection, path: Path, known: int) -> None:
    """Reject a file that cannot be opened read-only as it is.

    Raises:
        StoreTooNew: its schema is newer than ours, or older and must be migrated by a writer first.
    """
    require_known(connection, path, known)
    if (found := version(connection)) < known:
        raise StoreTooNew(
            f"{path} has schema {found}, this version of Remora needs {known}",
            hint="Open it once for writing (any `remora` command that stores) to bring it up to date.",
        )


def run(connection: apsw.Connection, path: Path, application_id: int, upto: int | None = None) -> None:
    """Migrate a file to the newest schema (or to `upto`, for tests of older files).

    Raises:
        StoreTooNew: the file's schema is newer than the newest migration here.
    """
    require_known(connection, path, latest())
    known = latest() if upto is None else upto
    found = version(connection)
    if found == known:
        return
    if not found and upto is None:
        whole = (resources.files("remora.store") / "schema.sql").read_text("utf-8")
        land(connection, 1, known, whole, application_id)
        if version(connection) == known:
            return
    for number, sql in scripts():
        if number <= known:
            land(connection, number, number, sql, application_id)


def land(connection: apsw.Connection, below: int, number: int, sql: str, application_id: int) -> None:
    """Bring a file whose version is below one to a version, in one transaction."""
    if version(connection) >= below:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = version(connection)
        if before < below:
            connection.execute(sql)
            for step, fill in _FILLED.items():
                if before < step <= number:
                    fill(connection)
            connection.execute(f"PRAGMA application_id = {application_id}")
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _describe(connection: apsw.Connection) -> None:
    """Fill the columns of migration 2 that SQL cannot compute, for older memories."""
    rows = list(connection.execute("SELECT id, content, related_files, tags, context_prefix FROM memories"))
    for memory_id, content, files, tags, prefix in rows:
        said = (content, prefix or "", *json.loads(files), *json.loads(tags))
        terms = f"{prefix or ''} {index_terms(' '.join(map(str, said)))}".strip()
        connection.execute(
            "UPDATE memories SET content_hash = ?, search_terms = ? WHERE id = ?",
            (content_hash(content), terms, memory_id),
        )


def _date(connection: apsw.Connection) -> None:
    """Fill the column of migration 25: the instants of turns whose times are words or ISO 8601."""
    times = [time for (time,) in connection.execute("SELECT DISTINCT time FROM turns WHERE time IS NOT NULL")]
    connection.executemany(
        "UPDATE turns SET at = ? WHERE time = ?", [(instant_of(time), time) for time in times]
    )


def _halve(connection: apsw.Connection) -> None:
    """Convert the vectors of migration 26, some at a time."""
    last = 0
    while rows := list(connection.execute(_SOME_VECTORS, (last, _AT_A_TIME))):
        last = rows[-1][0]
        connection.executemany(
            "UPDATE embeddings SET embedding = ? WHERE id = ?",
            [(half(blob), number) for number, blob in rows],
        )


def set_wal(connection: apsw.Connection) -> None:
    """Switch a file to WAL; SQLite does not wait for this lock, so this does."""
    if next(connection.execute("PRAGMA journal_mode"))[0] == "wal":
        return
    for attempt in range(_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if attempt == _TRIES - 1:
                raise
            time.sleep(0.02)


_FILLED = {2: _describe, 25: _date, 26: _halve}  # the migrations that need Python's help
