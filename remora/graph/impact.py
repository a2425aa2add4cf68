"""What may break when something changes: what depends on it, nearest first, with the way that leads there.

A file is answered from the closure (depth 1 and 2), and from there by walking the edges between files.
A symbol is answered by walking: who calls it, inherits from it, implements or tests it, and so on
outward; a class changes with everything defined in it. Both walks stop when `limit` things are found,
since what a thousand files depend on is answered by "everything" and not by a list; the answer says so.

The confidence of a result is the product of its edges'. Where a call could not be resolved for certain
it is a guess and is marked as one; and where a file that imports the target uses the symbol's name in
a way that was not resolved at all, it is named at depth 1 as possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import Impact
from remora.core.errors import Conflict, InvalidInput, NotFound

if TYPE_CHECKING:
    from remora.store.graph import Edge, Graph, Node
    from remora.store.space import Space

KINDS = ("calls", "inherits", "implements", "tests", "imports")
BETWEEN_SYMBOLS = ("calls", "inherits", "implements", "tests")
POSSIBLE = 0.3  # confidence of a use that was not resolved
MAX_DEPTH = 10
LIMIT = 200
NAMED = 20  # definitions looked at for a name


class Found(NamedTuple):
    """An impact before memories are looked up.

    Attributes:
        target: what was asked about.
        impacts: nearest first, then surest, then by path and symbol.
        notes: what to know about the answer.
        cut: there is more than `limit`.
    """

    target: Node
    impacts: list[Impact]
    notes: tuple[str, ...]
    cut: bool


def find(graph: Graph, target: str) -> Node:
    """Return the node that a target names: "path", "path:Class.method", or a symbol's (qualified) name.

    Raises:
        InvalidInput: the target is empty.
        NotFound: nothing in the graph is called so.
        Conflict: several definitions are.
    """
    if not target.strip():
        raise InvalidInput("impact needs a target", hint="Give a path, path:symbol, or a symbol's name.")
    name = target.strip().removeprefix("./")
    if (node := graph.node(name)) is not None:
        return node
    path, _, symbol = name.rpartition(":")
    if path.endswith(":"):  # Rust and C++ write a::b
        path, symbol = "", name
    wanted = symbol.replace("::", ".").removesuffix("()")
    last = wanted.rpartition(".")[2]
    found = [
        node
        for node in graph.labelled(last, NAMED)
        if (node.symbol == wanted or f".{node.symbol}".endswith(f".{wanted}"))
        and (not path or node.path == path or node.path.endswith("/" + path))
    ]
    if not found and not path:
        found = [node for p in graph.ending(name) if (node := graph.node(p)) is not None]
    if not found:
        raise NotFound(
            f"nothing in the code graph is called {target!r}",
            hint="Give a path from the root, path:symbol, or a symbol; `remora index` reads what is new.",
        )
    if len(found) > 1:
        names = ", ".join(node.key for node in found[:6]) + (", …" if len(found) > 6 else "")
        raise Conflict(f"{target!r} may be {names}", hint="Ask for one of them by its full name.")
    return found[0]


def impact(space: Space, target: str, depth: int = 3, limit: int = LIMIT) -> Found:
    """Return what depends on a target to a depth.

    Raises:
        InvalidInput, NotFound, Conflict: see `find`; or the depth is not from 1 to MAX_DEPTH.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise InvalidInput(f"depth must be from 1 to {MAX_DEPTH}")
    node = find(space.graph, target)
    walk = _Walk(space, node, depth, limit)
    impacts = walk.file() if node.symbol is None else walk.symbol()
    impacts.sort(key=lambda i: (i.depth, -i.confidence, i.path, i.symbol or ""))
    return Found(node, impacts[:limit], walk.notes(impacts), walk.cut or len(impacts) > limit)


class _Step(NamedTuple):
    """How a node was reached."""

    depth: int
    confidence: float
    via: tuple[str, ...]
    source: str


class _Walk:
    """One search outward from a node."""

    def __init__(self, space: Space, node: Node, depth: int, limit: int) -> None:
        self._space = space
        self._graph = space.graph
        self._node = node
        self._depth = depth
        self._limit = limit
        self._tests: set[str] = set()
        self.cut = False

    def file(self) -> list[Impact]:
        """Return what depends on a file: files, to the depth of the closure from its rows."""
        rows = self._space.closure.dependents(self._node.id, min(self._depth, 2))
        reached: dict[int, _Step] = {self._node.id: _Step(0, 1.0, (), "")}
        keys = {self._node.id: self._node.key}
        for row in rows[: self._limit + 1]:
            first, _, last = row.kinds.partition(" > ")
            if row.depth == 1:
                via: tuple[str, ...] = (_arrow(self._node.key, first, row.key),)
            else:
                via = (_arrow(self._node.key, first, row.via), _arrow(row.via, last, row.key))
            reached[row.id] = _Step(row.depth, 1.0, via, "ast")
            keys[row.id] = row.key
        self.cut = len(rows) > self._limit
        frontier = [i for i, step in reached.items() if step.depth == 2]
        if self._depth > 2 and not self.cut:
            self._outward(reached, keys, frontier, 3, KINDS, files=True)
        del reached[self._node.id]
        return self._impacts(reached)

    def symbol(self) -> list[Impact]:
        """Return what depends on a definition: definitions, and files for their top-level code."""
        start = [self._node, *self._graph.inside(self._node)]
        reached = {node.id: _Step(0, 1.0, (), "") for node in start}
        keys = {node.id: node.key for node in start}
        self._outward(reached, keys, list(reached), 1, BETWEEN_SYMBOLS, files=False)
        found = self._impacts({i: step for i, step in reached.items() if step.depth})
        known = {impact.path for impact in found} | {self._node.path}
        return [*found, *self._possible(known)]

    def _outward(
        self,
        reached: dict[int, _Step],
        keys: dict[int, str],
        frontier: list[int],
        depth: int,
        kinds: Sequence[str],
        *,
        files: bool,
    ) -> None:
        """Walk on from a frontier level by level, until the depth or the limit is reached."""
        while frontier and depth <= self._depth:
            edges = [e for e in self._graph.users(frontier, kinds) if e.from_id not in reached]
            new: dict[int, Edge] = {}
            for edge in edges:
                best = new.get(edge.from_id)
                if best is None or self._worth(reached, edge) > self._worth(reached, best):
                    new[edge.from_id] = edge
            nodes = self._graph.nodes(new)
            for i, edge in new.items():
                if files and nodes[i].symbol is not None:
                    continue
                before = reached[edge.to_id]
                step = _arrow(keys[edge.to_id], edge.type, nodes[i].key)
                reached[i] = _Step(
                    depth, before.confidence * edge.confidence, (*before.via, step), edge.source
                )
                keys[i] = nodes[i].key
            frontier = [i for i in new if i in reached]
            depth += 1
            if len(reached) > self._limit:
                self.cut = bool(frontier) and depth <= self._depth
                return

    @staticmethod
    def _worth(reached: dict[int, _Step], edge: Edge) -> tuple[float, float, int]:
        return reached[edge.to_id].confidence * edge.confidence, edge.weight, -edge.to_id

    def _impacts(self, reached: dict[int, _Step]) -> list[Impact]:
        nodes = self._graph.nodes(reached)
        self._tests |= self._graph.tests({node.path for node in nodes.values()})
        return [self._impact(nodes[i], step) for i, step in reached.items() if i in nodes]

    def _impact(self, node: Node, step: _Step) -> Impact:
        test = node.type == "test" or node.path in self._tests
        return Impact(
            node.path, node.symbol, step.depth, step.via, step.confidence, node.type, test, step.source
        )

    def _possible(self, known: Iterable[str]) -> list[Impact]:
        """Return the files that import the target's and use its name in a way that was not resolved."""
        file = self._graph.node(self._node.path)
        if file is None:
            return []
        importers = {row.key for row in self._space.closure.dependents(file.id, 1)}
        using = importers & set(self._graph.using([self._node.label]))
        paths = sorted(using - set(known))
        self._tests |= self._graph.tests(paths)
        how = f"imports {self._node.path} and uses the name {self._node.label}"
        return [
            Impact(path, None, 1, (_arrow(self._node.key, how, path),), POSSIBLE, "file", path in self._tests)
            for path in paths
        ]

    def notes(self, impacts: Sequence[Impact]) -> tuple[str, ...]:
        """Return what to know about the answer."""
        notes = []
        guesses = sum(1 for i in impacts if i.guess)
        if guesses:
            what = "result rests on a call" if guesses == 1 else "results rest on calls"
            notes.append(f"{guesses} {what} that could not be resolved for certain")
        if self.cut:
            notes.append(f"there is more than the {self._limit} that are listed")
        return tuple(notes)


def _arrow(to: str, kind: str, by: str) -> str:
    return f"{to} <-{kind}- {by}"
