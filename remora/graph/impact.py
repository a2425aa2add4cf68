"""Impact analysis: the dependents of a target, nearest first, with the path to each.

For a file the walk follows the edges between files. For a symbol it follows its callers, subclasses,
implementations and tests, and so on outward; a class changes with all its definitions. Code at the top level
of a file, outside of any definition, counts as the file; dependents of the rest of that file do not follow
from it. A changed method affects its overrides; callers of a base method that it overrides may call it, which
is a guess. Both walks stop at `limit` results, because
a target with a thousand dependents is better described as affecting everything than by a list; the answer
says so.

The confidence of a result is the product of its edges'. A call that could not be resolved with certainty is
marked as a guess. A file that imports the target's file and uses the symbol's name unresolved is possible at
depth 1. Other references, such as reads of a property, are left to a search of the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from remora.core.code import GUESS, GUESS_BELOW, Impact
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.graph.components import COMPONENTS
from remora.graph.grammars import LANGUAGES
from remora.graph.knowledge import SAYS, said
from remora.store.graph import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from remora.store.database import Database
    from remora.store.graph import Edge, Graph

BETWEEN_SYMBOLS = ("calls", "inherits", "implements", "tests")
POSSIBLE = 0.3  # confidence of a use that was not resolved
MAX_DEPTH = 10
LIMIT = 200
NAMED = 6  # definitions listed where a name has several
FOLDER = "folder"  # type of a node that stands for the files in it; the graph holds none
STEP = 10  # nodes whose users are read at once
_INDEXES = frozenset({"__init__", "index", "mod", "lib"})  # files that speak for their folder
_LINE = re.compile(r"(?::\d{1,9}){1,2}$")  # and column
_OWN = ("crate.", "self.", "super.")


# Gives the edges that point at nodes: in the order of the nodes, the surest first, at most so many.
Users: TypeAlias = "Callable[[Sequence[int], int], Sequence[Edge]]"


class Found(NamedTuple):
    """An impact before memories are looked up.

    Attributes:
        target: the requested node.
        impacts: nearest first, then by confidence, then by path and symbol.
        notes: remarks on the answer, one if there are more than `limit` results.
    """

    target: Node
    impacts: list[Impact]
    notes: tuple[str, ...]


def find(graph: Graph, target: str) -> tuple[Node, str]:
    """Return the node of a target, and a note of other definitions with that bare name, or "".

    A target is "path", "path:Class.method", "path::Class::method" or a symbol's name, whole or its last
    parts, with ".", "::", "->" or a backslash between them; a path may be its last parts too, and a symbol
    may follow its module or namespace ("app.jobs.run"). A line ("path:14") stands for its file. Of several
    definitions of a name the outermost comes first, and definitions in tests are last. A folder
    represents the files in it.

    Raises:
        InvalidInput: the target is empty.
        NotFound: nothing in the graph has this name.
        Conflict: several definitions have it, and none comes first.
    """
    name = target.strip().removeprefix("./").removesuffix("()")
    if not name:
        raise InvalidInput("impact needs a target", hint="Give a path, path:symbol, or a symbol's name.")
    if name.endswith("/") and (folder := _folder(graph, name)) is not None:
        return folder
    if (node := graph.node(name)) is not None and node.path:  # what layers above the code hold has none
        return node, ""
    name = _LINE.sub("", name)
    head, colons, tail = name.partition("::")
    if colons and graph.ending(head):  # as test runners write it
        name = f"{head}:{tail}"
    path, _, wanted = name.replace("::", ".").rpartition(":")
    wanted = wanted.removeprefix("\\").replace("\\", ".").replace("->", ".")
    for prefix in _OWN:
        wanted = wanted.removeprefix(prefix)
    keys = _called(graph, wanted, path) or ([] if path else graph.ending(name))
    keys = keys or _called(graph, wanted, path, sentences=True)
    keys, others = _first(graph, keys)
    if len(keys) > 1:
        what = f"{target!r} is ambiguous: {_listed([*keys, *others])}"
        raise Conflict(what, hint="Use the full name of one of them.")
    node = graph.node(keys[0]) if keys else None
    if node is None and (folder := _folder(graph, name)) is not None:
        return folder
    if node is None and (row := graph.file(name)) is not None:
        raise NotFound(
            f"{name} is left out of the code graph: {row.skipped}",
            hint="`remora doctor` counts the files left out, by reason.",
        )
    if node is None:
        raise NotFound(
            f"{target!r} is not in the code graph",
            hint="Give a path from the project's root, path:symbol, or a symbol. "
            "`remora index` reads new files.",
        )
    return node, (f"{target!r} may also mean {_listed(others)}" if others else "")


def _folder(graph: Graph, name: str) -> tuple[Node, str] | None:
    """Return a folder as a node, None if it has no files; the whole project is none."""
    name = name.rstrip("/")
    if not (files := len(graph.below(name))):
        return None
    held = "the file" if files == 1 else f"the {files:,} files"
    note = f"{name}/ is a folder: these are the outside dependents of {held} in it"
    return Node(0, f"{name}/", FOLDER, name, f"{name}/"), note


def _called(graph: Graph, wanted: str, path: str, *, sentences: bool = False) -> list[str]:
    """Return the keys of the definitions with a name, in files whose path has an ending."""
    label = wanted.rpartition(".")[2].partition("#")[0]
    places = graph.places(label, path, sentences=sentences)
    found = [p for p in places if p[1] == wanted or p[1].endswith(f".{wanted}")]
    found = found or [p for p in places if _in_module(*p, wanted)] or _in_package(graph, places, wanted)
    return [f"{file}:{symbol}" for file, symbol in found]


def _first(graph: Graph, keys: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the definitions that come first among several, and the others."""
    if len(keys) < 2:
        return list(keys), []
    known = {node.key: node.test for node in graph.brief(graph.keys(keys).values()).values()}

    def rank(key: str) -> tuple[bool, int]:
        """Tests come last, and of the others those with most definitions around them."""
        _, colon, symbol = key.rpartition(":")
        return known.get(key, False), symbol.count(".") if colon else 0

    ranks = {key: rank(key) for key in keys}
    best = min(ranks.values())
    ordered = sorted(keys, key=lambda key: ranks[key])
    return [key for key in ordered if ranks[key] == best], [key for key in ordered if ranks[key] != best]


def _listed(keys: Sequence[str]) -> str:
    more = len(keys) - NAMED
    named = ", ".join(keys[:NAMED])
    if more <= 0:
        return named
    return f"{named} or 1 other" if more == 1 else f"{named} or {more} others"


def _in_module(path: str, symbol: str, wanted: str) -> bool:
    """Return whether a name is a module, by its path or its folder's, followed by a symbol in it."""
    module = wanted.removesuffix(f".{symbol}")
    if module == wanted:
        return False
    folder, _, base = path.rpartition("/")
    stem = base.partition(".")[0]
    places = (folder,) if stem in _INDEXES else (f"{folder}/{stem}", folder)
    return any(f"/{place}".endswith("/" + module.replace(".", "/")) for place in places)


def _in_package(graph: Graph, places: Sequence[tuple[str, str]], wanted: str) -> list[tuple[str, str]]:
    """Return the definitions whose file declares the package or namespace that stands before their name."""
    packages = {wanted.removesuffix(f".{symbol}") for _, symbol in places} - {wanted}
    written = [(package, package.replace(".", sign)) for package in packages for sign in (".", "\\")]
    declared = {(package, file) for package, name in written for file in graph.in_package(name)}
    return [p for p in places if (wanted.removesuffix(f".{p[1]}"), p[0]) in declared]


def impact(db: Database, target: str, depth: int = 3, limit: int = LIMIT) -> Found:
    """Return the dependents of a target to a depth.

    Raises:
        InvalidInput: the target is empty, the depth is not from 1 to MAX_DEPTH, or the limit is below 1.
        NotFound, Conflict: see `find`.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise InvalidInput(f"depth must be from 1 to {MAX_DEPTH}")
    if limit < 1:
        raise InvalidInput("limit must be at least 1")
    node, meant = find(db.graph, target)
    walk = _Walk(db, node, depth, max(limit, LIMIT))
    impacts = walk.folder() if node.type == FOLDER else walk.symbol() if node.symbol else walk.file()
    if not walk.cut and node.type != FOLDER:
        own = walk.own or [node.id, *db.graph.inside(node)]
        impacts += said(db, own, impacts)
    cut = walk.cut or len(impacts) > limit
    if len(impacts) > limit:
        # At equal distance tests are left out first.
        impacts.sort(key=lambda i: (i.depth, i.test, -i.confidence, i.path, i.symbol or ""))
        del impacts[limit:]
    impacts.sort(key=lambda i: (i.depth, -i.confidence, i.path, i.symbol or ""))
    said_first = [note for note in (meant, _unread(db.graph, node)) if note]
    more = [f"showing the first {limit} results; there are more"] if cut else walk.notes
    return Found(node, impacts, (*said_first, *_notes(impacts), *more))


def _unread(graph: Graph, node: Node) -> str:
    """Return a note if a file's users cannot be known because its language is not parsed."""
    row = graph.file(node.path) if node.type != FOLDER else None
    if row is None or row.kind != "code" or row.language in COMPONENTS:
        return ""
    if (known := LANGUAGES.get(row.language)) is None or known.queries:
        return ""
    return (
        f"{row.language} is read as text, not parsed: the users of {node.path} in code are unknown; "
        "only its co-changing files are known"
    )


class _Step(NamedTuple):
    """How a node was reached."""

    key: str
    depth: int
    confidence: float
    via: tuple[str, ...]


class _Walk:
    """One search outward from a node, over the edges that are not stale."""

    def __init__(self, db: Database, node: Node, depth: int, limit: int) -> None:
        self._graph = db.graph
        self._closure = db.closure
        self._node = node
        self._depth = depth
        self._limit = limit
        self._reached = {node.id: _Step(node.key, 0, 1.0, ())}
        self._found: list[Impact] = []
        self.cut = False
        self.notes: tuple[str, ...] = ()
        self.own: list[int] = []  # the target's nodes, where it is a symbol

    def file(self) -> list[Impact]:
        """Return the dependents of a file: files."""
        self._outward([self._node.id], self._closure.users)
        return self._found

    def folder(self) -> list[Impact]:
        """Return the dependents of a folder's files, without these files."""
        for i, path in self._graph.below(self._node.label).items():
            self._reached[i] = _Step(path, 0, 1.0, ())
        del self._reached[self._node.id]
        self._outward(list(self._reached), self._closure.users)
        return self._found

    def symbol(self) -> list[Impact]:
        """Return the dependents of a definition: definitions, and files for their top-level code."""
        for i, key in self._graph.inside(self._node).items():
            self._reached[i] = _Step(key, 0, 1.0, ())
        self.own = list(self._reached)
        if self._node.type == "method":
            bases = [edge.from_id for edge in self._graph.overriding(self._node.id, upwards=True)]
            for i, base in self._graph.brief(bases).items():
                self._reached[i] = _Step(base.key, 0, GUESS, ())
        self._outward(list(self._reached), self._users)
        if not self.cut:
            known = {impact.path for impact in self._found} | {self._node.path}
            self._possible(known)
            if not self._found and self._node.type != "test":
                self.notes = (
                    f"only calls, imports and bases are followed; search the text for {self._node.label}",
                )
        return self._found

    def _users(self, ids: Sequence[int], limit: int) -> list[Edge]:
        edges = self._graph.users(ids, BETWEEN_SYMBOLS, limit)
        if self._node.type == "method" and self._node.id in ids:
            edges += self._graph.overriding(self._node.id)
        return edges

    def _outward(self, frontier: Sequence[int], users: Users) -> None:
        """Walk on from a frontier level by level, until the depth or the limit is reached."""
        depth = 1
        while frontier and depth <= self._depth and not self.cut:
            best = self._level(frontier, users)
            nodes = self._graph.brief(best)
            further: list[int] = []
            for i, (edge, sure) in best.items():
                if (node := nodes.get(i)) is None:
                    continue
                before = self._reached[edge.to_id]
                via = (*before.via, _arrow(before.key, edge.type, node.key))
                self._reached[i] = _Step(node.key, depth, sure, via)
                further.append(i)
                self._found.append(
                    Impact(node.path, node.symbol, depth, via, sure, node.type, node.test, edge.source)
                )
            frontier, depth = further, depth + 1

    def _level(self, frontier: Sequence[int], users: Users) -> dict[int, tuple[Edge, float]]:
        """Return the most confident edge to each node one step further out, with the confidence of the path.

        The most confident first; at most one more than wanted.
        """
        room = self._limit - len(self._found)
        reached = self._reached
        best: dict[int, tuple[tuple[float, float, int], Edge]] = {}
        sure = {i: reached[i].confidence for i in frontier}
        order = sorted(frontier, key=lambda i: (-sure[i], i))
        for start in range(0, len(order), STEP):
            some = order[start : start + STEP]
            # A first look at a few edges is mostly enough: it is full where much is used by many.
            for most in (2 * self._limit, -1):
                edges = users(some, most)
                for edge in edges:
                    by, to, _, _, weight, confidence = edge
                    if by in reached:
                        continue
                    worth = (sure[to] * confidence, weight, -to)
                    if by not in best or best[by][0] < worth:
                        best[by] = (worth, edge)
                if len(best) > room or len(edges) < most:
                    break
            if len(best) > room:
                self.cut = True
                break
        ordered = sorted(best.items(), key=lambda item: (-item[1][0][0], -item[1][0][1], item[0]))
        return {i: (edge, worth[0]) for i, (worth, edge) in ordered[: room + 1]}

    def _possible(self, known: set[str]) -> None:
        """Add the files that import the target's file and use its name unresolved, except known ones."""
        file = self._graph.node(self._node.path)
        if file is None:
            return
        users = self._closure.using(file.id, self._node.label, self._limit)
        possible = {path: test for path, test in users if path not in known}
        how = f"imports {self._node.path} and uses the name {self._node.label}"
        for path, test in possible.items():
            via = (_arrow(self._node.key, how, path),)
            self._found.append(Impact(path, None, 1, via, POSSIBLE, test=test))


def _notes(impacts: Sequence[Impact]) -> list[str]:
    """Return the remarks on unsure results."""
    notes = []
    unsure = [i for i in impacts if i.confidence < GUESS_BELOW]
    told = sum(1 for i in unsure if i.source in SAYS)
    if (guesses := len(unsure) - told) == 1:
        notes.append("1 result depends on a call that could not be resolved with certainty")
    elif guesses:
        notes.append(f"{guesses} results depend on calls that could not be resolved with certainty")
    if told == 1:
        notes.append("1 result from statements of a language model or an agent, not from code")
    elif told:
        notes.append(f"{told} results from statements of a language model or an agent, not from code")
    return notes


def _arrow(to: str, kind: str, by: str) -> str:
    return f"{to} <-{kind}- {by}"
