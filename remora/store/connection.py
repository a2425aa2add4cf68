"""Open the file, set its pragmas, manage transactions, and translate SQLite errors.

Many short processes and a few long ones share one file in WAL mode. A writer takes the lock at the
start (`BEGIN IMMEDIATE`), so it never upgrades a read lock and never meets the error that a busy timeout
cannot wait out. Acknowledged writes are committed with `synchronous=FULL`; derived rows that can be
rebuilt use `NORMAL`.

Several threads may use one connection: every use takes one lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from remora.core import paths
from remora.core.errors import (
    InvalidInput,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from remora.disk.files import OUT_OF_ROOM
from remora.store import migrations

APPLICATION_ID = 0x52454D4F  # "REMO": tells our files from any other SQLite database
BUSY_TIMEOUT_MS = 15_000  # longer than any transaction of ours by two orders of magnitude
# Pages kept in memory, in KiB. The default of 2 MB makes FTS read the same pages again and again.
CACHE_KIB = 32_768
EARLIER = ".before-"  # and the version: the file as it was before its last migration
_PERMISSIONS = "Check that the folder exists and that you may write to it, or set REMORA_HOME."
LOG_PAGES = (
    3_000  # after which the log is folded back, 12 MB: with SQLite's 1,000 every tenth edit waits for it
)

_BINDABLE = (str, int, float, bytes, type(None))  # what SQLite stores as it is

Row = tuple[Any, ...]
Stamp = tuple[int, int, int]


class Form(NamedTuple):
    """A kind of SQLite file of Remora: its application id, newest schema version, and the SQL of a new file.

    Without SQL the migrations make the file.
    """

    application_id: int
    latest: int
    schema: str = ""


MEMORY = Form(APPLICATION_ID, migrations.latest())


class Connection:
    """An open SQLite file of Remora."""

    def __init__(
        self, connection: apsw.Connection, path: Path, *, read_only: bool, form: Form = MEMORY
    ) -> None:
        self._connection = connection
        self._form = form
        self._lock = threading.RLock()
        self._depth = 0
        self._durable = True
        self._commits = 0
        self._changes_at_start = connection.total_changes()
        self._seen: Stamp | None = None  # of a file that is read as if it could not change
        self.path = path
        self.read_only = read_only

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, form: Form = MEMORY) -> Connection:
        """Open a database; create or migrate it if it is writable.

        Args:
            path: the file. Its folder must exist.
            read_only: nothing is created, migrated or written; the file must exist.
            form: the kind of file.

        Raises:
            StoreCorrupt: the file is not an intact SQLite database of Remora.
            StoreTooNew: a newer version of Remora made it.
            StoreReadOnly: it cannot be written and `read_only` is not set.
            StoreBusy: another process held it for too long.
            StoreFull: there is no room for SQLite's auxiliary files.
        """
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        if read_only:
            flags = apsw.SQLITE_OPEN_READWRITE if _tidies_up(path) else apsw.SQLITE_OPEN_READONLY
        try:
            return cls(_opened(path, flags, form, read_only=read_only), path, read_only=read_only, form=form)
        except StoreFull:
            if not read_only or not os.access(path, os.W_OK):
                raise
            # An exclusive connection needs no shared-memory file. Other processes wait while it reads;
            # without room they could do no more.
            alone = _opened(path, apsw.SQLITE_OPEN_READWRITE, form, read_only=True, alone=True)
            return cls(alone, path, read_only=True, form=form)
        except StoreReadOnly:
            if not read_only or (seen := _stamp(path)) is None or os.access(path.parent, os.W_OK):
                raise
            # Without the files shared with writers SQLite reads only immutable files. There is no writer now,
            # and a change since is detected before each statement.
            unchanged = _opened(path, apsw.SQLITE_OPEN_READONLY, form, read_only=True, still=True)
            still = cls(unchanged, path, read_only=True, form=form)
            still._seen = seen
            return still

    @staticmethod
    def copy(path: Path, target: Path) -> None:
        """Copy a database to a new file, even while other processes write to it.

        Raises:
            StoreError: it cannot be read, or the copy cannot be written.
        """
        keep_private(target)
        with contextlib.ExitStack() as closing, errors(path):
            source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            closing.callback(source.close)
            source.set_busy_timeout(BUSY_TIMEOUT_MS)
            copy = apsw.Connection(str(target))
            closing.callback(copy.close)
            with copy.backup("main", source, "main") as going:
                while not going.done:
                    going.step(4_000)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            self._connection.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a query, each a tuple.

        Here and below, a value that is a list or another collection is bound as JSON, for `json_each`.
        """
        with self._statement():
            return list(self._connection.execute(sql, tuple(map(_bound, values))))

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row of a query, None when there is none."""
        with self._statement():
            cursor = self._connection.execute(sql, tuple(map(_bound, values)))
            first = next(iter(cursor), None)
            cursor.close(True)
            return first

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first column of the first row, None when there is none."""
        first = self.row(sql, values)
        return first[0] if first else None

    def column(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the first column of all rows."""
        return [first for first, *_ in self.rows(sql, values)]

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement inside a transaction and return how many rows it changed."""
        with self._statement():
            self._connection.execute(sql, tuple(map(_bound, values)))
            return self._connection.changes()

    def was_written(self) -> bool:
        """Return whether this connection has changed any row since it was opened; False once it is closed."""
        with self._lock, contextlib.suppress(apsw.ConnectionClosedError):
            return self._connection.total_changes() > self._changes_at_start
        return False

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once per row of values, inside a transaction."""
        with self._statement():
            self._connection.executemany(sql, rows)

    @contextlib.contextmanager
    def _statement(self) -> Iterator[None]:
        with self._lock:
            if self._seen is not None and _stamp(self.path) != self._seen:
                raise StoreBusy(f"{self.path} was changed by another process", hint="Open it again.")
            try:
                yield
            except apsw.Error as error:
                raise translate(error, self.path, self._connection) from error
            except (UnicodeEncodeError, OverflowError) as error:
                raise InvalidInput(
                    f"{self.path} cannot hold this value ({error})",
                    hint="Text must be valid Unicode, and integers must fit into 64 bits.",
                ) from error

    def last_row_id(self) -> int:
        """Return the row id of the last insert on this connection."""
        return self._connection.last_insert_rowid()

    @contextlib.contextmanager
    def transaction(
        self, *, durable: bool = True, wait: float | None = None, undo: bool = False
    ) -> Iterator[None]:
        """Run a block as one transaction; nested blocks join the outer one.

        A nested block that fails is rolled back alone, so a caller that catches its error can continue.

        Args:
            durable: wait for the disk. False is for rows that can be rebuilt.
            wait: seconds to wait for another writer; None for the usual busy timeout.
            undo: roll back at the end of the block, as for a dry run.

        Raises:
            StoreBusy, StoreFull, StoreReadOnly: the block was rolled back.
            StoreError: a durable block inside a non-durable one.
        """
        with self._lock:
            if self._depth:
                with self._nested(durable=durable, undo=undo):
                    yield
                return
            self._durable = durable
            with self._errors():
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._begin(wait)
            self._depth = 1
            try:
                with self._errors():
                    # Others may have migrated it.
                    migrations.require_known(self._connection, self.path, self._form.latest)
                    yield
                    self._connection.execute("ROLLBACK" if undo else "COMMIT")
                self._commits += not undo
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0

    def _errors(self) -> contextlib.AbstractContextManager[None]:
        return errors(self.path, self._connection)

    def _begin(self, wait: float | None) -> None:
        if wait is None:
            self._connection.execute("BEGIN IMMEDIATE")
            return
        self._connection.set_busy_timeout(min(int(wait * 1000), BUSY_TIMEOUT_MS))
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    @contextlib.contextmanager
    def _nested(self, *, durable: bool, undo: bool) -> Iterator[None]:
        if durable and not self._durable:
            raise StoreError("a durable transaction cannot join a non-durable one")
        name = f"nested_{self._depth}"
        with self._errors():
            self._connection.execute(f"SAVEPOINT {name}")
        self._depth += 1
        try:
            with self._errors():
                yield
                if undo:
                    self._connection.execute(f"ROLLBACK TO {name}")
                self._connection.execute(f"RELEASE {name}")
        except BaseException:
            if self._connection.in_transaction:  # SQLite ends it by itself when the disk is full
                self._connection.execute(f"ROLLBACK TO {name}")
                self._connection.execute(f"RELEASE {name}")
            raise
        finally:
            self._depth -= 1

    def writing(self) -> bool:
        """Return whether this thread is inside a transaction, so that its reads may yet be rolled back."""
        with self._lock:
            return self._depth > 0

    def version(self) -> tuple[int, int]:
        """Return a value that changes with every commit of any connection, including this one."""
        return int(self.value("PRAGMA data_version")), self._commits

    def schema(self) -> int:
        """Return the number of the last migration of this file."""
        return int(self.value("PRAGMA user_version"))

    def scrub(self) -> bool:
        """Overwrite the bytes of deleted rows in the file and its log; call outside of a transaction.

        Rows deleted from now on are overwritten at once. Earlier deletions may remain in free pages, in the
        log and in old segments of full-text indexes, which are merged. The file is rewritten: a second or two
        for 100 MB.

        Returns:
            False if another process holds the file: deleted rows are gone from every table, and the next call
            overwrites their bytes.
        """
        with self._lock:
            try:
                with self._errors():
                    for (table,) in self.rows(_FTS_TABLES):
                        self._connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")
                    self._connection.execute("VACUUM")
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                for earlier in earlier_files(self.path):
                    earlier.unlink(missing_ok=True)
            except (StoreBusy, StoreFull):
                return False
            self._commits += 1
            return not _wal(self.path).exists() or not _wal(self.path).stat().st_size

    def check(self) -> list[str]:
        """Return the problems found by SQLite's own checks and in the FTS tables; empty if there are none."""
        try:
            problems = [str(r[0]) for r in self.rows("PRAGMA integrity_check(20)") if r[0] != "ok"]
            problems += [f"foreign key broken in {r[0]}" for r in self.rows("PRAGMA foreign_key_check")]
            if self._form != MEMORY:
                return problems
            if unread := self.value(_UNREAD_CHANGES):
                problems.append(f"unreadable changes of memories: {unread}")
            for fts, (table, rows) in _FTS_ROWS.items():
                entries = _FTS_TEXT.get(fts, f"SELECT id FROM {fts}_docsize")
                differing = self.value(
                    f"""SELECT count(DISTINCT id) FROM (
                          SELECT * FROM ({entries} EXCEPT {rows}) UNION ALL
                          SELECT * FROM ({rows} EXCEPT {entries}))"""
                )
                if differing:
                    problems.append(f"{fts} and {table} differ in {differing} rows")
        except StoreCorrupt as error:
            return [str(error)]
        return problems


class Tables:
    """Some tables of a database, read and written by one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


def _bound(value: Any) -> Any:
    return value if isinstance(value, _BINDABLE) else json.dumps(list(value))


def _opened(
    path: Path, flags: int, form: Form, *, read_only: bool, alone: bool = False, still: bool = False
) -> apsw.Connection:
    name = f"{path.absolute().as_uri()}?immutable=1" if still else str(path)
    if flags & apsw.SQLITE_OPEN_CREATE:
        keep_private(path)
    with errors(path):
        connection = apsw.Connection(name, flags=flags | (apsw.SQLITE_OPEN_URI if still else 0))
    try:
        with errors(path, connection):
            if alone:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            _configure(connection, path, form, read_only=read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_earlier(connection: apsw.Connection, path: Path, version: int) -> None:
    """Keep a copy of the file before a migration, until the next migration or a permanent deletion."""
    kept = path.with_name(f"{path.name}{EARLIER}{version:04}")
    if kept.exists():
        return  # another process is at it, or was
    part = kept.with_name(f"{kept.name}.{os.getpid()}-{threading.get_ident()}.part")
    keep_private(part)
    try:
        connection.execute("VACUUM INTO ?", (str(part),))
        for older in earlier_files(path):
            older.unlink(missing_ok=True)
        part.replace(kept)
    except (apsw.Error, OSError):
        part.unlink(missing_ok=True)  # no room for a copy is no reason to do without the memory


def earlier_files(path: Path) -> list[Path]:
    """Return the copies of a database kept before its last migration."""
    return sorted(path.parent.glob(f"{path.name}{EARLIER}[0-9][0-9][0-9][0-9]"))


def keep_private(path: Path) -> None:
    """Make the file private to its owner, whatever the umask; SQLite copies the mode to its other files."""
    with contextlib.suppress(OSError):  # opening the file reports the problem
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        elif os.name != "nt" and path.stat().st_mode & 0o077 and path.stat().st_uid == os.geteuid():
            path.chmod(0o600)


def _tidies_up(path: Path) -> bool:
    """Return whether a reader should open a file like a writer, with writes forbidden.

    SQLite keeps two files beside a database in use, and only a connection that may write removes them. If
    they already exist, other processes use the database, or a crash left data that a reader must not
    recover.
    """
    return (
        not _wal(path).exists()
        and path.exists()
        and os.access(path, os.W_OK)
        and os.access(path.parent, os.W_OK)
    )


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _stamp(path: Path) -> Stamp | None:
    """Return an identification of the file's state; None during a write or if it cannot be read.

    The log beside the file holds writes that are not yet checkpointed.
    """
    with contextlib.suppress(OSError):
        if _wal(path).stat().st_size:
            return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


_UNREAD_CHANGES = """SELECT count(*) FROM memory_revisions
                     WHERE NOT (json_valid(fields) AND json_valid(parents))"""
_FTS_TABLES = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5(%'"
# For each FTS table: the table of its rows, and the query of its content (ids, unless in _FTS_TEXT).
_FTS_ROWS = {
    "git_commits_fts": ("git_commits", "SELECT id FROM git_commits"),
    "turns_fts": ("turns", "SELECT id FROM turns"),
    "turn_windows_fts": (
        "turns",
        """SELECT id FROM turns
           WHERE session_id IN (SELECT session_id FROM turns GROUP BY session_id HAVING count(*) > 1)""",
    ),
    "notes_fts": ("notes", "SELECT id FROM notes"),
    "observer_sessions_fts": ("observer_sessions", "SELECT seq FROM observer_sessions"),
    "code_chunks_fts": ("code_chunks", "SELECT id FROM code_chunks"),
    "memories_fts": (
        "memories",
        "SELECT seq, id, content, tags, related_files, search_terms FROM memories",
    ),
}
_FTS_TEXT = {"memories_fts": "SELECT id, c0, c1, c2, c3, c4 FROM memories_fts_content"}  # has a copy


def _configure(connection: apsw.Connection, path: Path, form: Form, *, read_only: bool) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    # A log beside a file that turns out not to be ours, or too new, is not folded back when we close.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(_wal(path).exists()))
    # In this order: a process that makes the file sets both in one transaction.
    tables = next(connection.execute("SELECT count(*) FROM sqlite_master"))[0]
    found = next(connection.execute("PRAGMA application_id"))[0]
    if found != form.application_id and (tables or found or read_only):
        raise StoreCorrupt(
            f"{path} is a SQLite database, but not Remora's file of this name",
            hint="Move it away, or set REMORA_HOME to another folder.",
        )
    migrations.require_known(connection, path, form.latest)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    connection.create_scalar_function("glob_names", _glob_names, 2, deterministic=True)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    # Nothing that a file brings along (a trigger, a view) may call a function with a side effect, and no
    # statement may write to its schema or to the tables behind an index.
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("PRAGMA temp_store = MEMORY")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
        migrations.require_current(connection, path, form.latest)
        return
    if connection.readonly("main"):
        raise StoreReadOnly(f"{path} cannot be written", hint=_PERMISSIONS)
    migrations.set_wal(connection)
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    before = migrations.version(connection)
    if 0 < before < form.latest:
        _keep_earlier(connection, path, before)
    if form.schema:
        migrations.land(connection, form.latest, form.latest, form.schema, form.application_id)
    else:
        migrations.run(connection, path, form.application_id)


def _glob_names(*values: Any) -> bool:
    glob, path = values
    return paths.matches(str(glob), str(path))


@contextlib.contextmanager
def errors(path: Path, connection: apsw.Connection | None = None) -> Iterator[None]:
    """Translate SQLite exceptions inside the block."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path, connection) from error


def translate(error: apsw.Error, path: Path, connection: apsw.Connection | None = None) -> StoreError:
    """Translate one SQLite exception; the connection knows what the system said."""
    text = str(error)
    match error:
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
            return StoreBusy(
                f"{path} is locked by another process ({text})", hint="Try again; nothing was written."
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return StoreCorrupt(
                f"{path} is damaged or not a database ({text})",
                hint="Move the file away and run `remora init` and `remora reindex`: memories from rule "
                "files, git and session logs are rebuilt. Keep the damaged file for recovery.",
            )
        case apsw.FullError():
            return _full(path, text)
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError():
            return StoreReadOnly(
                f"{path} cannot be opened or written ({text})",
                hint=_PERMISSIONS,
            )
        case apsw.IOError() if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
            return _full(path, text)  # the file of shared memory beside it has no room
        case apsw.IOError() if connection is not None and connection.system_errno in OUT_OF_ROOM:
            return _full(path, text)  # a quota or a limit: SQLite reports both like a broken disk
        case apsw.IOError():
            return StoreError(f"reading or writing {path} failed ({text})", hint="Check the disk.")
    return StoreError(f"{path}: {text}")


def _full(path: Path, text: str) -> StoreFull:
    hint = "Free some disk space (or raise the limit); nothing stored before is lost."
    return StoreFull(f"cannot write {path}: no space left ({text})", hint=hint)
