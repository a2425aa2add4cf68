"""Open databases of hosts for reading, without writing to them or locking them.

A database that a host has open is read from a copy. The sessions of a project are read one after another, so
a copy is kept until its database changes, or until `let_go` at the end of a run.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from remora.core.errors import NotFound, SourceError, StoreError
from remora.sources.transcripts.lines import Counts
from remora.store.foreign import Foreign, State, is_sqlite, state_of

MAX_DATABASE = 2_000_000_000  # bytes: a copy may be needed
_KEPT: dict[Path, tuple[State, Foreign]] = {}


def has(database: Foreign, table: str, *columns: str) -> bool:
    """Return whether there is a table with these columns."""
    return set(columns) <= set(database.columns(table))


def rows(
    database: Foreign,
    table: str,
    columns: Sequence[str],
    where: tuple[str, str] | None = None,
    *,
    beginning: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield rows as `Foreign.rows` does; a column missing in this version of the host is None."""
    there = [name for name in columns if has(database, table, name)]
    for row in database.rows(table, there, where, beginning=beginning):
        yield dict.fromkeys(columns) | row


@contextmanager
def opened(path: Path, *, keep: bool = True) -> Iterator[Foreign]:
    """Open a database.

    Args:
        path: its file.
        keep: whether it will be opened again in this run.

    Raises:
        SourceError: it cannot be opened or read, is too large, or the block asks for a table that it lacks.
    """
    try:
        state = state_of(path)
        if sum(one[0] for one in state if one is not None) > MAX_DATABASE:
            raise SourceError(f"{path} is too large: it has more than {MAX_DATABASE:,} bytes")
        kept = _KEPT.pop(path, None)
        if kept is not None and kept[0] != state:
            kept[1].close()
            kept = None
        foreign = kept[1] if kept is not None else Foreign(path)
        try:
            yield foreign
        finally:
            if keep and path not in _KEPT:
                _KEPT[path] = (state, foreign)
            else:
                foreign.close()
    except (StoreError, NotFound) as error:
        raise SourceError(str(error), hint=error.hint) from error


@atexit.register
def let_go() -> None:
    """Close the databases that were kept open, and delete their copies."""
    while _KEPT:
        _KEPT.popitem()[1][1].close()


def is_database(path: Path, beginning: str) -> bool:
    """Return whether a file is a database whose name has a prefix."""
    return path.suffix == ".db" and path.name.startswith(beginning) and is_sqlite(path)


def sound(found: Iterable[dict[str, Any]], path: Path, counts: Counts) -> Iterator[dict[str, Any]]:
    """Yield rows up to the damaged part of a file, which is counted."""
    try:
        yield from found
    except (StoreError, NotFound) as error:
        counts.refuse(path, 0, str(error))
