"""Small made-up code graphs for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remora.core.code import EXACT, Definition, Link
from remora.store.database import Database
from remora.store.graph import NewFile
from remora.store.layers import UpperEdge


def definition(qualname: str, start: int = 1, end: int = 1, kind: str = "function") -> Definition:
    """Return a definition of a name on some lines."""
    parent, _, name = qualname.rpartition(".")
    return Definition(qualname, name.partition("#")[0], kind, start, end, start, parent)


def file(path: str, **changes: object) -> NewFile:
    """Return a read Python file; `changes` are fields of `NewFile`."""
    module = path.rpartition("/")[0]
    plain = NewFile(path, "code", "python", "", module, "test" in path, 10, 20, "h", 30, 0)
    return plain._replace(**changes)  # type: ignore[arg-type]


def add_file(
    db: Database, path: str, definitions: Sequence[Definition] = (), names: Iterable[str] = ()
) -> int:
    """Write a file with what it defines and the names it uses; returns its node's id."""
    with db.connection.transaction(durable=False):
        row = db.graph.put_file(file(path), 1)
        db.graph.put_nodes(file(path), definitions, 1)
        db.graph.set_names(row, dict.fromkeys(names, 0))
    return db.graph.keys([path])[path]


def add_links(db: Database, path: str, *links: Link, source: str = "ast") -> None:
    """Write all edges that start in a file, as the indexer does, and bring the closure up to date."""
    with db.connection.transaction(durable=False):
        db.graph.put_links(path, links, source, 1)
        db.other_sources.prefer_precise(path)
        db.graph.linked(path, 1)
        db.closure.update(db.graph.keys([path]).values())


def knowledge(db: Database) -> tuple[set[tuple[str, str, str, float]], set[UpperEdge]]:
    """Return the nodes and edges of layer 3."""
    nodes = db.connection.rows("SELECT key, type, label, confidence FROM graph_nodes WHERE layer = 3")
    edges = db.connection.rows(
        """SELECT a.key, b.key, e.type, e.weight, e.confidence FROM graph_edges e
           JOIN graph_nodes a ON a.id = e.from_id JOIN graph_nodes b ON b.id = e.to_id WHERE e.layer = 3"""
    )
    return set(nodes), {UpperEdge(*row) for row in edges}


def link(start: str, end: str, kind: str = "calls", confidence: float = EXACT, count: int = 1) -> Link:
    """Return a link between two keys."""
    return Link(start, end, kind, confidence, 1, count)
