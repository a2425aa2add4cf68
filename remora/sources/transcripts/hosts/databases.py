"""Databases of hosts, opened to be read and never written to or locked.

One that a host has open is read from a copy. A project's sessions are read one after another, so the copy
stays until the database changes or another one is opened.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from remora.core.errors import NotFound, SourceError, StoreError
from remora.sources.transcripts.lines import Counts
from remora.store.foreign import Foreign, is_sqlite

_Looks = list[tuple[int, int] | None]
_KEPT: list[tuple[_Looks, Foreign]] = []  # at most one


class Database:
    """A host's database; made by `opened`."""

    def __init__(self, foreign: Foreign) -> None:
        self._foreign = foreign

    def has(self, table: str, *columns: str) -> bool:
        """Return whether there is a table with these columns."""
        return set(columns) <= set(self._foreign.columns(table))

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        where: tuple[str, str] | None = None,
        *,
        beginning: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table; a column that this version of the host does not have is None.

        Args:
            table, columns: their names.
            where: a column and its value, or with `beginning` how its text begins.
            beginning: see `where`.

        Raises:
            SourceError: the file is damaged here, or has no such table.
        """
        try:
            there = [name for name in columns if self.has(table, name)]
            for row in self._foreign.rows(table, there, where, beginning=beginning):
                yield dict.fromkeys(columns) | row
        except (StoreError, NotFound) as error:
            raise SourceError(str(error), hint=error.hint) from error


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a database.

    Raises:
        SourceError: it cannot be read.
    """
    looks = _looks(path)
    kept = _KEPT.pop() if _KEPT else None
    if kept is not None and (kept[1].path != path or kept[0] != looks):
        kept[1].close()
        kept = None
    try:
        foreign = kept[1] if kept is not None else Foreign(path)
    except (StoreError, NotFound) as error:
        raise SourceError(str(error), hint=error.hint) from error
    try:
        yield Database(foreign)
    finally:
        _let_go()
        _KEPT.append((looks, foreign))


@atexit.register
def _let_go() -> None:
    while _KEPT:
        _KEPT.pop()[1].close()


def is_database(path: Path, beginning: str) -> bool:
    """Return whether a file is a database whose name begins so."""
    return path.suffix == ".db" and path.name.startswith(beginning) and is_sqlite(path)


def sound(rows: Iterable[dict[str, Any]], path: Path, counts: Counts) -> Iterator[dict[str, Any]]:
    """Yield rows up to the place where the file is damaged, which is counted."""
    try:
        yield from rows
    except SourceError as error:
        counts.refuse(path, 0, str(error))


def _looks(path: Path) -> _Looks:
    looks: _Looks = []
    for name in (path.name, f"{path.name}-wal", f"{path.name}-journal"):
        looks.append(None)
        with suppress(OSError):
            status = path.with_name(name).stat()
            looks[-1] = (status.st_size, status.st_mtime_ns)
    return looks
