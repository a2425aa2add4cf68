"""Memories, messages and databases for the tests of the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from remora.core.values import MemoryRecord, Message
from remora.store.database import Database
from remora.store.items import Items
from remora.store.memories import Memories

Given = ParamSpec("Given")
Made = TypeVar("Made")
PAGE = 4_096
AT = "2026-01-01T00:00:00.000Z"


def record(memory_id: str, content: str = "Tokens expire after 24 h", **changes: Any) -> MemoryRecord:
    """Return a plain memory; `changes` are fields of `MemoryRecord`."""
    plain = MemoryRecord(
        id=memory_id,
        type="gotcha",
        content=content,
        confidence=0.8,
        tags=(),
        related_files=(),
        related_modules=(),
        created_at=AT,
        updated_at=AT,
        last_accessed_at=AT,
        access_count=0,
        scope="global",
        source="agent_explicit",
        project_id="p1",
    )
    return plain._replace(**changes)


def add(memories: Memories, *records: MemoryRecord) -> None:
    """Insert memories as `lifecycle.intake` does, in one transaction."""
    with memories._connection.transaction(durable=False):
        for one in records:
            memories.insert(one)


def save(
    db: Database | Items, write: Callable[Given, Made], *given: Given.args, **named: Given.kwargs
) -> Made:
    """Write something in a transaction of its own, and return what the write returns."""
    with db.connection.transaction(durable=False):
        return write(*given, **named)


def there(found: Made | None) -> Made:
    """Return what was found; nothing is a failure."""
    assert found is not None
    return found


@contextmanager
def database(path: Path, **how: Any) -> Iterator[Database]:
    """Open the database of a project for a block."""
    with closing(Database(path, **{"realm": "project", "project_id": "p1", **how})) as opened:
        yield opened


def message(seq: int, content: str, role: str = "user", **changes: Any) -> Message:
    """Return a message of a log."""
    return Message(seq, role, content, **changes)


def at_once(action: Callable[[], object], times: int = 4) -> None:
    """Run an action in several threads that begin together; an error of any is raised."""
    barrier = threading.Barrier(times)

    def run() -> None:
        barrier.wait()
        action()

    with ThreadPoolExecutor(times) as pool:
        for done in [pool.submit(run) for _ in range(times)]:
            done.result()


def unit(values: Sequence[float]) -> NDArray[np.float32]:
    """Return a vector of length 1."""
    vector = np.asarray(values, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def sql(path: Path, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements on a file as another program would; return the rows of the last."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        return [list(connection.execute(statement)) for statement in statements][-1]


def damage(path: Path, page: int) -> None:
    """Write garbage over a page of a database, counted from 0."""
    with path.open("r+b") as file:
        file.seek(page * PAGE)
        file.write(b"\x5a" * PAGE)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the content of every file in a folder, by name."""
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}
