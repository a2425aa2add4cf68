"""Edges between our own definitions from a SCIP index: a compiler's resolution in place of ours.

An index describes the files of its own time, so a file changed since keeps our own edges; the number of newer
files is reported. Between two of the other files the index's calls replace ours; those into a file that the
index does not cover stay, and so do bases and imports, which the source itself names. An index is read once;
a file that changes afterwards has only our own edges until there is a new index.

An index stores places, the graph stores definitions. A place where a name is defined maps to our definition
of that name at that line, and a place where it is used maps to the innermost definition around that line. A
type checker's result needs no guess, so these edges have confidence 1.

SCIP does not mark calls. A use of a function, a method or a class outside an import statement counts as
"calls" here: also a decorator, a callback argument, and a class in an annotation. All of them depend on the
named definition, which is the meaning of the edge. Uses of bases, variables, parameters and attributes make
no edges, and a definition has no edge to itself.

Few indexes mark import statements. So our own list of imports determines the use of an imported name that is
the statement: the first at or after its line.

A name with several definitions (overloads, a property and its setter) maps to the longest. Names of other
projects that the index does not define make no edges.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import Definition, Import, Link, Outline, Symbol
from remora.core.errors import SourceError
from remora.graph import indexer
from remora.graph.packed import unpack_outline
from remora.graph.scip_index import (
    DEFINITION,
    IMPORT,
    METHOD,
    PARAMETER,
    TYPE,
    ScipDocument,
    ScipName,
    ScipOccurrence,
    find_index,
    parse_name,
    read_index,
)

if TYPE_CHECKING:
    from remora.store.database import Database

STAMP = "scip.stamp"  # meta key: what tells the index that was read last from another one
NEWER = "scip.newer"  # meta key: how many of that index's files were newer than it
SCIP = "scip"

CERTAIN = 1.0
_CLASSES = frozenset(("class", "interface", "type", "test"))
_CONSTRUCTORS = frozenset(("<constructor>", "<init>", ".ctor", "__construct"))
_LINES_A_NAME = 3  # an import of n names ends within so many lines for each, and a few more
_MARGIN = 5
_NOTHING = Outline("")

_Uses = dict[tuple[str, str], tuple[int, int]]  # (from key, symbol): first line, count


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
            links, covered, newer = _links(db, read_index(file), status.st_mtime_ns)
    except OSError as error:
        raise SourceError(
            f"cannot read {path.name}: {error.strerror or error}", hint="Check its permissions."
        ) from None
    _drop(db)
    with db.connection.transaction(durable=False):
        db.other_sources.cover(covered)
        for start in sorted(links):
            db.graph.put_links(start, links[start], SCIP, now)
            db.other_sources.prefer_precise(start)
        db.meta.set(STAMP, stamp)
        db.meta.set(NEWER, newer)
        db.closure.rebuild()
    return Taken(db.other_sources.count_from(SCIP), name, newer)


def _links(
    db: Database, documents: Iterable[ScipDocument], made_ns: int
) -> tuple[dict[str, list[Link]], set[str], int]:
    """Return the edges of an index by source file, the files that it covers, and the number of newer ones."""
    read = [f for f in db.graph.files().values() if not f.skipped and not f.stale]
    usable = {file.path for file in read if file.mtime_ns <= made_ns}
    fresh = {file.path for file in read} - usable
    newer: set[str] = set()
    covered: set[str] = set()

    def seen() -> Iterator[ScipDocument]:
        for document in documents:
            path = _clean(document.relative_path)
            if path in fresh:
                newer.add(path)
            elif path in usable:
                covered.add(path)
            yield document

    @lru_cache(maxsize=1000)
    def outline(of: str) -> Outline | None:
        packed = db.graph.facts(of)[0] if of in usable else None
        return unpack_outline(packed) if packed else None

    by_file: dict[str, list[Link]] = {}
    for link in precise_links(seen(), outline):
        start = link.from_key if link.from_key in usable else link.from_key.rpartition(":")[0]
        if start in usable:
            by_file.setdefault(start, []).append(link)
    return by_file, covered, len(newer)


def _drop(db: Database) -> None:
    """Delete the edges of an earlier index; the next run resolves its files again."""
    with db.connection.transaction(durable=False):
        db.graph.unlink({*db.other_sources.drop_from(SCIP), *db.other_sources.covered()})
        db.other_sources.cover(())
        db.meta.set(STAMP, None)


def precise_links(documents: Iterable[ScipDocument], outline: Callable[[str], Outline | None]) -> list[Link]:
    """Return the edges of an index, each pair and type once, in order.

    Args:
        documents: of the index; read once, one at a time.
        outline: ours of a file, None for an unknown one; without its imports every use in an import
            statement counts as a call.
    """
    table = _Table()
    for document in documents:
        path = _clean(document.relative_path)
        if path:
            ours = outline(path) or _NOTHING
            _File(path, document, ours.definitions).read_into(table, ours.imports)
    return table.links()


def _clean(path: str) -> str:
    """Return a document's path relative to the root as in the graph, "" for one outside of it."""
    plain = posixpath.normpath(path.replace("\\", "/"))
    return "" if plain == "." or plain.startswith(("/", "../")) or plain == ".." else plain


class _Table:
    """The definitions and uses of all documents."""

    def __init__(self) -> None:
        self.defined: dict[str, Symbol] = {}
        self.uses: _Uses = {}

    def define(self, name: str, path: str, definition: Definition) -> None:
        """Store a name's definition, the longest if there are several."""
        known = self.defined.get(name)
        if known is None or _length(definition) > _length(known.definition):
            self.defined[name] = Symbol(path, definition)

    def use(self, key: str, name: str, line: int) -> None:
        """Count a use; its target is known only after the last document."""
        first, count = self.uses.get((key, name), (line, 0))
        self.uses[key, name] = (min(first, line), count + 1)

    def links(self) -> list[Link]:
        """Return the edges of all uses with a known target."""
        found: dict[tuple[str, str], tuple[int, int]] = {}
        for (key, name), (line, count) in self.uses.items():
            target = self.defined.get(name)
            if target is not None and target.key != key:
                first, before = found.get((key, target.key), (line, 0))
                found[key, target.key] = (min(first, line), before + count)
        return [Link(a, b, "calls", CERTAIN, *found[a, b]) for a, b in sorted(found)]


def _length(definition: Definition) -> int:
    return definition.end_line - definition.line


class _File:
    """One document mapped onto our definitions of its file."""

    def __init__(self, path: str, document: ScipDocument, definitions: Sequence[Definition]) -> None:
        self.path = path
        self.document = document
        self.definitions = definitions
        # Outer definitions first, so that the inner ones stay on top.
        self.owner: dict[int, Definition] = {}
        for definition in sorted(definitions, key=lambda d: (d.start_line, -d.end_line)):
            self.owner.update(
                dict.fromkeys(range(definition.start_line, definition.end_line + 1), definition)
            )

    def read_into(self, table: _Table, imports: Sequence[Import]) -> None:
        """Add the definitions and uses of this file."""
        self.define(table)
        uses = [
            (occurrence, name)
            for occurrence in sorted(self.document.occurrences, key=lambda o: (o.line, o.start))
            if not occurrence.roles & DEFINITION and (name := parse_name(occurrence.symbol)) is not None
        ]
        statements = _in_statements(uses, imports)
        for index, (occurrence, name) in enumerate(uses):
            if index not in statements and not occurrence.roles & IMPORT:
                self._use(table, occurrence, name)

    def define(self, table: _Table) -> None:
        """Add the names that this file defines: global ones by name and line, local ones by their place."""
        taken: set[str] = set()
        local: list[ScipOccurrence] = []
        for occurrence in self.document.occurrences:
            name = parse_name(occurrence.symbol) if occurrence.roles & DEFINITION else None
            if name is None:
                continue
            if name.local:
                local.append(occurrence)
            elif (definition := self._ours(name, occurrence.line)) is not None:
                taken.add(definition.qualname)
                table.define(occurrence.symbol, self.path, definition)
        for occurrence in sorted(local, key=lambda o: (o.line, o.start)):
            at = self.owner.get(occurrence.line)
            length = occurrence.end - occurrence.start
            if at and at.line == occurrence.line and at.qualname not in taken and length == len(at.name):
                taken.add(at.qualname)
                table.define(self._known_as(occurrence.symbol), self.path, at)

    def _known_as(self, symbol: str) -> str:
        """Return a symbol's name that is unique among all documents, unlike a local name."""
        return f"{self.path}\0{symbol}" if symbol.startswith("local ") else symbol

    def _ours(self, name: ScipName, line: int) -> Definition | None:
        """Return our definition of a name at a line, or the innermost definition of that name around it."""
        last = name.last
        if last is None or last.kind == PARAMETER:
            return None
        names = {last.name, last.name.removeprefix("<get>").removeprefix("<set>")}
        if last.name in _CONSTRUCTORS and len(name.descriptors) > 1:
            names |= {"constructor", name.descriptors[-2].name}
        exact = [d for d in self.definitions if d.line == line and d.name in names]
        if exact:
            return exact[-1]
        if last.kind not in (METHOD, TYPE):
            return None
        # A decorator or an attribute may stand between; a body may not, so only the head counts.
        around = self.owner.get(line)
        return around if around and around.name in names and line <= around.line else None

    def _use(self, table: _Table, occurrence: ScipOccurrence, name: ScipName) -> None:
        if name.last and name.last.kind == PARAMETER:
            return
        at = self.owner.get(occurrence.line)
        if at is None or not (at.kind in _CLASSES and _is_base(at, name)):
            key = f"{self.path}:{at.qualname}" if at else self.path
            table.use(key, self._known_as(occurrence.symbol), occurrence.line)


def _is_base(definition: Definition, name: ScipName) -> bool:
    """Return whether a name is among the bases of a class."""
    last = name.last
    if last is None or last.kind == METHOD:
        return False
    bases = (base.partition("[")[0].partition("<")[0].strip() for base in definition.bases)
    return any(base.replace("::", ".").replace("\\", ".").rpartition(".")[2] == last.name for base in bases)


def _in_statements(
    uses: Sequence[tuple[ScipOccurrence, ScipName]], imports: Sequence[Import]
) -> frozenset[int]:
    """Return the uses in import statements: of each imported name the first from its line on."""
    places: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for index, (occurrence, name) in enumerate(uses):
        if name.last:
            places[name.last.name].append((occurrence.line, occurrence.start, index))
    for found in places.values():
        found.sort()
    taken: set[int] = set()
    for statement in sorted(imports, key=lambda i: i.line):
        end = statement.line + _LINES_A_NAME * len(statement.names) + _MARGIN
        for name_there, local in statement.names:
            free = [p for p in places[name_there] if p[2] not in taken and statement.line <= p[0] <= end]
            taken.update(p[2] for p in free[:1])
            if local != name_there:  # `a as b` is written twice, on one line
                taken.update(p[2] for p in free[1:2] if p[0] == free[0][0])
    return frozenset(taken)
