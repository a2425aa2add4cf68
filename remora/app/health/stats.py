"""Count the stored data, without loading a model or reading a log."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from remora.store.history import COMMIT
from remora.store.memories import records_in

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject


HOTTEST = 10


class VectorCount(NamedTuple):
    """The number of owners of a kind (memory, turn, …) with a vector of a model, and its dimensions."""

    owner_kind: str
    model_id: str
    owners: int
    dims: int


class Stats(NamedTuple):
    """Counts of the data stored for a project.

    Attributes:
        memories: memories that a search can find; the counts below are subsets.
        records: number of records by kind: "commit", "session".
        by_type: number of memories by type; types without memories are absent.
        forgotten: memories out of search, not yet deleted.
        user_memories: the user's own memories, valid in every project.
        written: pieces of written files in the search index, by kind: "longterm", "note", …
        files, pairs: files in git history, and pairs of files that changed together.
        modules: number of files by module, the largest first.
        hottest: the files that change most; recent changes count more.
        commit: the last commit that was read, None before the first.
        database_bytes: size of the database file, write-ahead log and shared-memory file.
        uses: uses of memories, by kind: said, asked, cited, looked, helped, unhelpful, wrong, invented.
        corrections: share of pairs of a memory and a session in which it was used that ended in a correction;
            None without uses.
        notes: problems that kept data from being counted.
    """

    project_id: str
    project: str
    root: str
    home: str
    memories: int
    records: Mapping[str, int]
    by_type: Mapping[str, int]
    needs_review: int
    pinned: int
    verified: int
    tainted: int
    forgotten: int
    user_memories: int
    sessions: int
    turns: int
    written: Mapping[str, int]
    vectors: tuple[VectorCount, ...]
    files: int
    pairs: int
    modules: Mapping[str, int]
    hottest: tuple[str, ...]
    commits: int
    commit: str | None
    database_bytes: int
    log_bytes: int
    uses: Mapping[str, int] = MappingProxyType({})
    corrections: float | None = None
    notes: tuple[str, ...] = ()


def stats(project: OpenProject) -> Stats:
    """Return the counts of a project, and the number of the user's memories."""
    stores = project.stores()
    db = stores[0].db
    counts = db.memories.counts()
    files, pairs = db.history.counts()
    wrong, used = db.uses.corrections()
    return Stats(
        project_id=project.location.id,
        project=project.location.name,
        root=str(project.location.root),
        home=str(project.location.home),
        memories=counts["live"],
        records=records_in(counts),
        by_type={n.removeprefix("type:"): c for n, c in counts.items() if n.startswith("type:")},
        needs_review=counts["needs_review"],
        pinned=counts["pinned"],
        verified=counts["verified"],
        tainted=counts["tainted"],
        forgotten=counts["deprecated"],
        user_memories=sum(store.db.memories.counts()["live"] for store in stores[1:]),
        sessions=len(db.turns.sessions()),
        turns=db.turns.count(),
        written=db.notes.counts(),
        vectors=tuple(VectorCount(*key, *value) for key, value in db.vectors.models().items()),
        files=files,
        pairs=pairs,
        modules=db.history.modules(),
        hottest=tuple(db.history.hottest(HOTTEST)),
        commits=db.history.clock(),
        commit=db.meta.get(COMMIT),
        database_bytes=database_bytes(db.connection.path),
        log_bytes=size_of(project.sessions_folder, "*"),
        uses={kind: use.times for kind, use in db.uses.totals().items()},
        corrections=wrong / used if used else None,
        notes=(project.user_trouble,) if project.user_trouble else (),
    )


def database_bytes(path: Path) -> int:
    """Return the size of a database with its write-ahead log in bytes; 0 if it does not exist."""
    return sum(_size(path.with_name(path.name + end)) for end in ("", "-wal", "-shm"))


def size_of(folder: Path, pattern: str) -> int:
    """Return the size of the files in a folder that match a pattern, in bytes; 0 if there is no folder."""
    return sum(_size(path) for path in folder.glob(pattern)) if folder.is_dir() else 0


def _size(path: Path) -> int:
    try:
        found = path.stat()
    except OSError:  # it does not exist, or is gone meanwhile
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
