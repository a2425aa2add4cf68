"""Import edges from a SCIP index: a compiler's resolution in place of ours.

An index describes the files of its own time, so a file changed since keeps our own edges; the number of newer
files is reported. Between two of the other files the index's calls and bases replace ours; those into a file
that the index does not cover stay, and so do imports, since an index has none of its own. An index is read
once; a file that changes afterwards has only our own edges until there is a new index.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import Definition, Import, Link, Outline
from remora.core.errors import SourceError
from remora.graph import indexer
from remora.graph.packed import unpack_outline
from remora.graph.scip import clean, precise_links
from remora.graph.scip_index import find_index, read_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from remora.graph.scip_index import ScipDocument
    from remora.store.database import Database

STAMP = "scip.stamp"  # meta key: what tells the index that was read last from another one
NEWER = "scip.newer"  # meta key: how many of that index's files were newer than it
SCIP = "scip"


class Taken(NamedTuple):
    """The state of the graph's SCIP index.

    Attributes:
        edges: number of its edges in the graph.
        path: of the index, from the root; "" if there is none.
        newer: number of its files that changed after it was made, for which it is not valid.
    """

    edges: int
    path: str = ""
    newer: int = 0


class _Found(NamedTuple):
    """The content of an index: its edges by source file, the files it covers, the number of newer files."""

    links: dict[str, list[Link]]
    covered: set[str]
    newer: int


def take(db: Database, root: Path, now: int) -> Taken:
    """Read the project's SCIP index if it is new, or if the graph was rebuilt since.

    Raises:
        SourceError: the index cannot be read; the former edges are kept.
    """
    path = find_index(root)
    if path is None:
        if db.meta.get(STAMP):
            _drop(db)
        return Taken(0)
    name = path.relative_to(root).as_posix()
    try:
        status = path.stat()
        stamp = [name, status.st_size, status.st_mtime_ns, indexer.VERSION]
        if db.meta.get(STAMP) == stamp:
            return Taken(db.other_sources.count_from(SCIP), name, db.meta.get(NEWER) or 0)
        with path.open("rb") as file:
            found = _links(db, read_index(file), status.st_mtime_ns)
    except OSError as error:
        raise SourceError(
            f"cannot read {path.name}: {error.strerror or error}", hint="Check its permissions."
        ) from None
    _drop(db)
    with db.connection.transaction(durable=False):
        db.other_sources.cover(found.covered)
        for start in sorted(found.links):
            db.graph.put_links(start, found.links[start], SCIP, now)
            db.other_sources.prefer_precise(start)
        db.meta.set(STAMP, stamp)
        db.meta.set(NEWER, found.newer)
        db.closure.rebuild()
    return Taken(db.other_sources.count_from(SCIP), name, found.newer)


def _links(db: Database, documents: Iterable[ScipDocument], made_ns: int) -> _Found:
    """Return the edges of an index for the files that are not newer than it."""
    read = [f for f in db.graph.files().values() if not f.skipped and not f.stale]
    usable = {file.path for file in read if file.mtime_ns <= made_ns}
    fresh = {file.path for file in read} - usable
    newer: set[str] = set()
    covered: set[str] = set()

    def seen() -> Iterator[ScipDocument]:
        for document in documents:
            path = clean(document.relative_path)
            if path in fresh:
                newer.add(path)
            elif path in usable:
                covered.add(path)
            yield document

    @lru_cache(maxsize=1000)
    def outline(of: str) -> Outline | None:
        packed = db.graph.facts(of)[0] if of in usable else None
        return unpack_outline(packed) if packed else None

    def definitions(of: str) -> Sequence[Definition]:
        found = outline(of)
        return found.definitions if found else ()

    def imports(of: str) -> Sequence[Import]:
        found = outline(of)
        return found.imports if found else ()

    by_file: dict[str, list[Link]] = {}
    for link in precise_links(seen(), definitions, imports):
        start = link.from_key if link.from_key in usable else link.from_key.rpartition(":")[0]
        if start in usable:
            by_file.setdefault(start, []).append(link)
    return _Found(by_file, covered, len(newer))


def _drop(db: Database) -> None:
    """Delete the edges of an earlier index; the next run resolves its files again."""
    with db.connection.transaction(durable=False):
        db.graph.unlink({*db.other_sources.drop_from(SCIP), *db.other_sources.covered()})
        db.other_sources.cover(())
        db.meta.set(STAMP, None)
