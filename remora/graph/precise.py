"""Take edges from a SCIP index beside the code: a compiler's word in place of our reading.

An index speaks of the files as they were when it was made, so a file that changed since keeps what we
read ourselves. For the others the calls and bases that we resolved give way to the index's; imports
stay, since an index has none of its own. The same index is read once.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.code import Definition, Import, Link, Outline
from remora.core.errors import SourceError
from remora.graph import indexer
from remora.graph.packed import unpack_outline
from remora.graph.scip import find_index, precise_links, read_index, symbol_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from remora.graph.scip import ScipDocument
    from remora.store.space import Space

STAMP = "scip.stamp"  # meta key: what tells the index that was read last from another one
SCIP = "scip"


def take(space: Space, root: Path, now: int) -> int:
    """Read the project's SCIP index if it is new, or the graph was made anew since.

    Returns how many of its edges the graph holds.

    Raises:
        SourceError: the index cannot be read; what was there before is kept.
    """
    path = find_index(root)
    if path is None:
        if space.meta.get(STAMP):
            _drop(space)
        return 0
    try:
        status = path.stat()
        stamp = [str(path.relative_to(root)), status.st_size, status.st_mtime_ns, indexer.VERSION]
        if space.meta.get(STAMP) == stamp:
            return space.other_sources.count_from(SCIP)
        with path.open("rb") as file:
            by_file = _links(space, read_index(file), status.st_mtime_ns)
            file.seek(0)
            names = symbol_keys(read_index(file), lambda of: _definitions(space, of))
    except OSError as error:
        raise SourceError(
            f"cannot read {path.name}: {error.strerror or error}", hint="Check its permissions."
        ) from None
    _drop(space)
    with space.db.transaction(durable=False):
        for start in sorted(by_file):
            space.graph.put_links(start, by_file[start], SCIP, now)
            space.other_sources.prefer_precise(start)
        space.other_sources.put_symbols(names)
        space.meta.set(STAMP, stamp)
        space.closure.rebuild()
    return space.other_sources.count_from(SCIP)


def _links(space: Space, documents: Iterable[ScipDocument], made_ns: int) -> dict[str, list[Link]]:
    """Return the index's edges by the file they start in, of the files that are older than it."""
    usable = {
        file.path
        for file in space.graph.files().values()
        if not file.skipped and not file.stale and file.mtime_ns <= made_ns
    }

    @lru_cache(maxsize=1000)
    def outline(of: str) -> Outline | None:
        packed = space.graph.facts(of)[0] if of in usable else None
        return unpack_outline(packed) if packed else None

    def definitions(of: str) -> Sequence[Definition]:
        found = outline(of)
        return found.definitions if found else ()

    def imports(of: str) -> Sequence[Import]:
        found = outline(of)
        return found.imports if found else ()

    by_file: dict[str, list[Link]] = {}
    for link in precise_links(documents, definitions, imports):
        start = link.from_key if link.from_key in usable else link.from_key.rpartition(":")[0]
        if start in usable:
            by_file.setdefault(start, []).append(link)
    return by_file


def _definitions(space: Space, path: str) -> Sequence[Definition]:
    packed = space.graph.facts(path)[0]
    return unpack_outline(packed).definitions if packed else ()


def _drop(space: Space) -> None:
    """Forget the edges of an earlier index; the files it spoke of are resolved again by the next run."""
    with space.db.transaction(durable=False):
        space.graph.unlink(space.other_sources.drop_from(SCIP))
        space.meta.set(STAMP, None)
