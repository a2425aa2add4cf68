"""Read SQLite files of other programs without changing them.

Opening a database can write to its folder: in WAL mode SQLite creates `-wal` and `-shm` files even for a
reader, and the next process that opens a file after a crash recovers its journal. This module does
neither. It opens databases in two ways:

- A database with a rollback journal and no journal beside it is opened in place, read-only. That writes
  nothing, and the reader's shared lock keeps it consistent while others use it.
- Any other database (WAL mode, or a `-wal` or `-journal` beside it) is copied with its journals to a
  private folder, and the copy is opened there. SQLite recovers the copy, so commits in the log are
  visible. The sizes and times of the files are compared before and after; if another process wrote
  during the copy, it is repeated.

The schema is not trusted: it may not call functions with side effects, nothing can be attached, and every
requested table and column is looked up first. Text is read as bytes and decoded here, so one damaged row
does not stop the reading.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import apsw

from remora.core.errors import NotFound, StoreBusy, StoreCorrupt
from remora.disk.files import error_of
from remora.store.connection import APPLICATION_ID, translate

MAGIC = b"SQLite format 3\x00"
State = list[tuple[int, int] | None]  # of a database and the files beside it: size and time
BUSY_MS = 5_000
COPIES = 3  # tries to copy a database that others write to
_HEADER = 100
_WRITE_VERSION = 18  # offset in the header; 2 there means WAL mode
_BESIDE = ("-wal", "-journal")  # not "-shm": it holds no data, and SQLite makes it again


class Foreign:
    """A SQLite database of another program, open for reading. Use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        """Open a database.

        Raises:
            NotFound: there is no such file.
            StoreCorrupt: it is not a SQLite database.
            StoreBusy: other processes write to it continuously.
            StoreReadOnly: reading is not permitted.
            StoreFull: there is no room for a copy.
        """
        self.path = path
        with ExitStack() as closing, _errors(path):
            opened = path
            if not _may_stay(path):
                folder = tempfile.TemporaryDirectory(prefix="remora-", ignore_cleanup_errors=True)
                opened = self._copied(Path(closing.enter_context(folder)))
            # A copy may be written, because SQLite must recover it.
            flags = apsw.SQLITE_OPEN_READONLY if opened == path else apsw.SQLITE_OPEN_READWRITE
            self._connection = apsw.Connection(str(opened), flags=flags)
            closing.callback(self._connection.close)
            _configure(self._connection)
            self._encoding = _ENCODINGS.get(str(self._value("PRAGMA encoding")), "utf-8")
            self._closing = closing.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it and delete the copy, if there was one; a second call does nothing."""
        self._closing.close()

    def is_ours(self) -> bool:
        """Return whether it is a database of Remora."""
        return bool(self._value("PRAGMA application_id") == APPLICATION_ID)

    def schema(self) -> int:
        """Return its schema version, as numbered by its program; 0 if unset."""
        return int(self._value("PRAGMA user_version"))

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables, without SQLite's own."""
        sql = r"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'"
        return tuple(sorted(str(row[0]) for row in self._rows(sql)))

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the names of a table's columns; empty if there is no such table."""
        return tuple(str(row[0]) for row in self._rows("SELECT name FROM pragma_table_info(?)", (table,)))

    def count(self, table: str) -> int:
        """Return the number of rows of a table."""
        return int(self._value(f"SELECT count(*) FROM {self._known(table)}"))

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        where: tuple[str, str] | None = None,
        *,
        beginning: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table, in file order.

        Text that is invalid in the file's encoding contains U+FFFD. Rows are read lazily, so the size of the
        table does not matter.

        Args:
            table: its name.
            columns: their names.
            where: a column and the value that it has in the rows.
            beginning: the value is only how the column's text begins; an index of the column is used.

        Raises:
            NotFound: there is no such table or column.
            StoreCorrupt: the file is damaged here; the rows before it were yielded.
        """
        name, there = self._known(table), self.columns(table)
        asked = (*columns, where[0]) if where else columns
        if missing := [one for one in asked if one not in there]:
            raise NotFound(f"{self.path} has no column {missing[0]} in {table}")
        only, values = "", tuple(where[1:]) if where else ()
        if where:
            only = f" WHERE {_quoted(where[0])} {'BETWEEN ? AND ?' if beginning else '= ?'}"
            values += (f"{where[1]}\U0010ffff",) if beginning else ()
        parts = [f"typeof({_quoted(c)}), {_AS_BYTES.format(_quoted(c))}" for c in columns]
        for row in self._rows(f"SELECT {', '.join(parts)} FROM {name}{only}", values):
            told = (self._text(kind, value) for kind, value in zip(row[::2], row[1::2], strict=True))
            yield dict(zip(columns, told, strict=True))

    def _text(self, kind: str, value: Any) -> Any:
        return bytes(value).decode(self._encoding, "replace") if kind == "text" else value

    def _known(self, table: str) -> str:
        if table not in self.tables():
            raise NotFound(f"{self.path} has no table {table}")
        return _quoted(table)

    def _value(self, sql: str) -> Any:
        return next(self._rows(sql))[0]

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        with _errors(self.path):
            yield from self._connection.execute(sql, values)

    def _copied(self, folder: Path) -> Path:
        """Return a consistent copy of the database and its journals, in a folder."""
        copy = folder / "copy.db"
        for _ in range(COPIES):
            before = state_of(self.path)
            try:
                shutil.copyfile(self.path, copy)
                for suffix in _BESIDE:
                    _beside(copy, suffix).unlink(missing_ok=True)
                    with suppress(FileNotFoundError):
                        shutil.copyfile(_beside(self.path, suffix), _beside(copy, suffix))
            except OSError as error:
                raise error_of(error, self.path, "copy") from error
            if state_of(self.path) == before:
                return copy
        raise StoreBusy(
            f"{self.path} changed during every attempt to copy it",
            hint="Close the program that writes to it and try again.",
        )


_ENCODINGS = {"UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}
_AS_BYTES = "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE {0} END"


def is_sqlite(path: Path) -> bool:
    """Return whether a file starts with the header of a SQLite database."""
    try:
        return path.is_file() and _header(path).startswith(MAGIC)
    except OSError:
        return False


def _header(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEADER)


def _may_stay(path: Path) -> bool:
    """Return whether a database can be opened in place without writing."""
    try:
        header = _header(path)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}") from None
    except OSError as error:
        raise error_of(error, path, "copy") from error
    if not header.startswith(MAGIC) or len(header) < _HEADER:
        raise StoreCorrupt(f"{path} is not a SQLite database")
    return header[_WRITE_VERSION] != 2 and not any(_beside(path, suffix).exists() for suffix in _BESIDE)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def state_of(path: Path) -> State:
    """Return the sizes and times of a database's files, which change with every write."""
    state: State = []
    for one in (path, *(_beside(path, suffix) for suffix in _BESIDE)):
        try:
            status = one.stat()
            state.append((status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            state.append(None)
        except OSError as error:
            raise error_of(error, path, "copy") from error
    return state


def _configure(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(BUSY_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("query_only = ON", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Translate SQLite exceptions; the hints for Remora's own files do not apply to others."""
    try:
        yield
    except apsw.Error as error:
        found = translate(error, path)
        found.hint = "The file was not changed. Check it with the program that owns it."
        raise found from error
    except UnicodeDecodeError as error:
        raise StoreCorrupt(f"{path} has table or column names that are not valid text") from error
