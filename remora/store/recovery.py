"""Copy the readable rows of a damaged database into a new one.

Only rows that cannot be rebuilt are copied: memories, what was read of rules and commits, the advice log,
trials, session data and quotes (with the pieces of written files beside them), and facts about the store. A
memory whose row is lost is rebuilt from its revisions. Turns, the code graph, git history and vectors come
from files, and are read again by `init`, `index` and `reindex`; the shared log by joining it again.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import apsw

from remora.core.errors import StoreError
from remora.core.values import MemoryRecord
from remora.store.connection import Connection, errors
from remora.store.memories import Memories
from remora.store.revisions import Revisions

# Referenced tables come first.
TABLES = (
    "memories",
    "memory_revisions",
    "memory_heads",
    "memory_use",
    "memory_triggers",
    "memory_effects",
    "source_items",
    "note_files",
    "notes",
    "injections",
    "injected_memories",
    "learned",
    "observer_sessions",
    "observer_session_files",
    "observer_session_pairs",
    "observer_session_errors",
    "observer_session_commands",
    "observer_session_sequences",
    "observer_module_session_counts",
    "observer_signals",
    "observer_file_nodes",
    "observer_co_access_edges",
    "observer_synthesis_log",
    "trial_units",
    "trial_memories",
    "spent",
)
# Meta keys that begin so say how far files were read, whose rows are not copied.
REBUILT = (
    "embedding.", "graph.", "history.", "index.", "log:", "scip.", "semantic.", "share", "transcript:"
)  # fmt: skip
MOST_PADDED = 2**34  # bytes; a header with more is damaged itself


class Recovered(NamedTuple):
    """The result for one table.

    Attributes:
        rows: number of rows in the new file.
        refused: number of readable rows that did not fit (a duplicate id, an invalid value).
        whole: whether the table was readable to its end.
    """

    table: str
    rows: int
    refused: int
    whole: bool


def recover(damaged: Path, fresh: Path) -> list[Recovered]:
    """Copy the readable rows; `fresh` must not exist. The damaged file is only read.

    Raises:
        StoreError: the new file cannot be written.
    """
    with closing(Connection.open(fresh)) as new, TemporaryDirectory(prefix="remora-recover-") as folder:
        copy = Path(folder) / damaged.name
        for suffix in ("", "-wal"):  # what is acknowledged may stand in the log alone
            beside = damaged.with_name(damaged.name + suffix)
            if beside.exists():
                shutil.copyfile(beside, copy.with_name(copy.name + suffix))
        _pad(copy)
        with errors(fresh), closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as old:
            found = [_table(old, new, table) for table in TABLES]
            whole = all(one.whole for one in found if one.table in ("memories", "memory_revisions"))
            with new.transaction():
                _facts(old, new)
                again = _from_revisions(new)
                if not whole:  # `init` reads again what lost memories were made from
                    of_lost = "memory_id NOT IN (SELECT id FROM memories)"
                    new.execute(f"DELETE FROM source_items WHERE {of_lost}")
        first = found[0]
        return [first._replace(rows=first.rows + again), *found[1:]]


def _pad(copy: Path) -> None:
    """Extend a truncated file to the size in its header: SQLite reads nothing of a shorter one."""
    with copy.open("r+b") as file:
        header = file.read(32)
        size = int.from_bytes(header[16:18], "big")
        whole = (65_536 if size == 1 else size) * int.from_bytes(header[28:32], "big")
        if copy.stat().st_size < whole <= MOST_PADDED:
            file.truncate(whole)


def _table(old: apsw.Connection, new: Connection, table: str) -> Recovered:
    wanted = [row[1] for row in new.rows(f"PRAGMA table_info({table})")]
    try:
        there = {row[1] for row in old.execute(f"PRAGMA table_info({table})")}
    except apsw.Error:
        return Recovered(table, 0, 0, whole=False)
    columns = [name for name in wanted if name in there]
    if not columns:
        return Recovered(table, 0, 0, whole=not there)
    rows, whole = _rows(old, table, columns)
    marks = ", ".join("?" * len(columns))
    refused = 0
    with new.transaction():
        for row in rows:
            try:
                with new.transaction():
                    new.execute(f"INSERT INTO {table}({', '.join(columns)}) VALUES ({marks})", row)
            except Exception:  # noqa: BLE001  a row that does not fit takes no other with it
                refused += 1
    return Recovered(table, len(rows) - refused, refused, whole=whole)


def _rows(old: apsw.Connection, table: str, columns: list[str]) -> tuple[list[Any], bool]:
    """Return the readable rows, and whether they are complete.

    A table is read forwards to the damage, and backwards from its end.
    """
    found: dict[Any, Any] = {}
    try:
        next(old.execute(f"SELECT rowid FROM {table} LIMIT 1"), None)
        key, order = "rowid", "rowid"
    except apsw.Error:
        key, order = "NULL", columns[0]
    sql = f"SELECT {key}, {', '.join(columns)} FROM {table} ORDER BY {order}"
    whole = _walk(old, sql, found)
    if not whole:
        _walk(old, f"{sql} DESC", found)
    return [found[key] for key in sorted(found, key=str)], whole


def _walk(old: apsw.Connection, sql: str, found: dict[Any, Any]) -> bool:
    """Add rows, by number or else by all their values, until one cannot be read; return if all were read."""
    try:
        for place, *values in old.execute(sql):
            found.setdefault(tuple(values) if place is None else place, values)
    except (apsw.Error, UnicodeDecodeError, MemoryError):
        return False
    return True


def _facts(old: apsw.Connection, new: Connection) -> None:
    """Keep the facts about the store: what was erased or switched off, its identity, trust and marks."""
    rows, _ = _rows(old, "meta", ["key", "value"])
    read = [(key, value) for key, value in rows if isinstance(key, str) and isinstance(value, str)]
    kept = [row for row in read if not row[0].startswith(REBUILT)]
    new.execute_many("INSERT OR REPLACE INTO meta(key, value) SELECT ?1, ?2 WHERE json_valid(?2)", kept)


def _from_revisions(new: Connection) -> int:
    """Rebuild memories with lost rows from their revisions; returns how many."""
    sql = """SELECT DISTINCT memory_id FROM memory_revisions r
             WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = r.memory_id)"""
    new.execute("DELETE FROM memory_revisions WHERE NOT (json_valid(fields) AND json_valid(parents))")
    revisions, memories, made = Revisions(new), Memories(new, "project"), 0
    for (memory_id,) in new.rows(sql):
        fields = revisions.replayed(memory_id)
        if not fields.get("content"):
            continue  # erased, or its first revision is lost
        try:
            with new.transaction():
                fields |= {"last_accessed_at": fields["updated_at"], "access_count": 0}
                memories.insert(MemoryRecord(**memories.values_of(fields)), change=None)
        except (StoreError, KeyError, TypeError, ValueError):
            continue  # its parts do not add up
        made += 1
    return made
