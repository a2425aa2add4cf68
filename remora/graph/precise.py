"""Take edges from a SCIP index beside the code: a compiler's word in place of our reading.

An index speaks of the files as they were when it was made, so a file that changed since keeps what we
read ourselves; how many of its files were newer than the index is told. Between two of the others the calls
and bases that we resolved give way to the index's; those that lead to a file of which it says nothing stay,
and so do imports, since an index has none of its own. The same index is read once: what it says of each file
is kept with the content that it speaks of, and holds again when an edit is taken back.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import Definition, Import, Link, Outline
from remora.core.errors import SourceError
from remora.graph import indexer
from remora.graph.packed import pack_links, unpack_outline
from remora.graph.scip import clean, find_index, precise_links, read_index, symbol_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from remora.graph.scip import ScipDocument
    from remora.store.database import Database

STAMP = "scip.stamp"  # meta key: what tells the index that was read last from another one
NEWER = "scip.newer"  # meta key: how many of that index's files were newer than it
SCIP = "scip"
FORMAT = 1  # of what is kept of an index: a change makes it be read again


class Taken(NamedTuple):
    """What the graph has of an index.

    Attributes:
        edges: how many of its edges the graph holds.
        path: of the index, from the root; "" where there is none.
        newer: how many of its files changed after it was made, so that nothing of it holds for them.
    """

    edges: int
    path: str = ""
    newer: int = 0


class _Found(NamedTuple):
    """What an index shows: its edges by the file they start in, the content of its files, those newer."""

    links: dict[str, list[Link]]
    covered: dict[str, str]
    newer: int


def take(db: Database, root: Path, now: int) -> Taken:
    """Read the project's SCIP index if it is new, or the graph was made anew since.

    Raises:
        SourceError: the index cannot be read; what was there before is kept.
    """
    path = find_index(root)
    if path is None:
        if db.meta.get(STAMP):
            _drop(db)
        return Taken(0)
    name = path.relative_to(root).as_posix()
    try:
        status = path.stat()
        stamp = [name, status.st_size, status.st_mtime_ns, indexer.VERSION, FORMAT]
        if db.meta.get(STAMP) == stamp:
            return Taken(db.other_sources.count_from(SCIP), name, db.meta.get(NEWER) or 0)
        with path.open("rb") as file:
            found = _links(db, read_index(file), status.st_mtime_ns)
            file.seek(0)
            names = symbol_keys(read_index(file), lambda of: _definitions(db, of))
    except OSError as error:
        raise SourceError(
            f"cannot read {path.name}: {error.strerror or error}", hint="Check its permissions."
        ) from None
    _drop(db)
    with db.connection.transaction(durable=False):
        db.other_sources.cover(
            {
                path: (hashed, pack_links(found.links[path]) if path in found.links else None)
                for path, hashed in found.covered.items()
            }
        )
        for start in sorted(found.links):
            db.graph.put_links(start, found.links[start], SCIP, now)
            db.other_sources.prefer_precise(start)
        db.other_sources.put_symbols(names)
        db.meta.set(STAMP, stamp)
        db.meta.set(NEWER, found.newer)
        db.closure.rebuild()
    return Taken(db.other_sources.count_from(SCIP), name, found.newer)


def _links(db: Database, documents: Iterable[ScipDocument], made_ns: int) -> _Found:
    """Return what an index shows of the files that are not newer than it."""
    read = [f for f in db.graph.files().values() if not f.skipped and not f.stale]
    usable = {file.path: file.hash for file in read if file.mtime_ns <= made_ns}
    fresh = {file.path for file in read} - usable.keys()
    newer: set[str] = set()
    covered: dict[str, str] = {}

    def seen() -> Iterator[ScipDocument]:
        for document in documents:
            path = clean(document.relative_path)
            if path in fresh:
                newer.add(path)
            elif path in usable:
                covered[path] = usable[path]
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


def _definitions(db: Database, path: str) -> Sequence[Definition]:
    packed = db.graph.facts(path)[0]
    return unpack_outline(packed).definitions if packed else ()


def _drop(db: Database) -> None:
    """Forget the edges of an earlier index; the files it spoke of are resolved again by the next run."""
    with db.connection.transaction(durable=False):
        db.graph.unlink({*db.other_sources.drop_from(SCIP), *db.other_sources.covered()})
        db.other_sources.cover({})
        db.meta.set(STAMP, None)
