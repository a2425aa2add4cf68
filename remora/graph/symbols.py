"""The symbols of a project, read from the database on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from remora.core.code import Outline, Symbol
from remora.graph.packed import kept_outline
from remora.graph.tables import Table, table_of

if TYPE_CHECKING:
    from remora.store.graph import Graph

_Found = TypeVar("_Found")
KEPT = 2_000  # outlines held at a time


class StoredSymbols:
    """A `core.code.Symbols` over the database; it sees the data of its creation time or later."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._outlines: dict[str, Outline | None] = {}
        self._answers: dict[tuple[object, ...], Any] = {}

    def _once(self, question: tuple[object, ...], find: Callable[[], _Found]) -> _Found:
        """Answer a question from the database at its first time, later from memory."""
        if question not in self._answers:
            self._answers[question] = find()
        found: _Found = self._answers[question]
        return found

    def exists(self, path: str) -> bool:
        """Return whether the project has an indexed file at a path."""
        folder = path.rpartition("/")[0]
        return path in self._once(("exists", folder), lambda: frozenset(self.in_folder(folder)))

    def in_folder(self, folder: str) -> Sequence[str]:
        """Return the indexed files directly in a folder ("" is the root), in order."""
        return self._once(("in_folder", folder), lambda: self._graph.in_folder(folder))

    def ending(self, suffix: str) -> Sequence[str]:
        """Return the indexed files whose path is `suffix` or ends in "/" + `suffix`, in order."""
        return self._once(("ending", suffix), lambda: self._graph.ending(suffix))

    def outline(self, path: str) -> Outline | None:
        """Return a file's outline, None for an unknown file."""
        if path not in self._outlines:
            if len(self._outlines) >= KEPT:
                self._outlines.clear()
            packed = self._graph.facts(path)[0]
            self._outlines[path] = kept_outline(packed) if packed else None
        return self._outlines[path]

    def package(self, name: str) -> Sequence[str]:
        """Return the files that declare a package or namespace, in order."""
        return self._once(("package", name), lambda: self._graph.in_package(name)) if name else ()

    def named(self, name: str, limit: int = 10) -> Sequence[Symbol]:
        """Return the definitions with a name anywhere in the project, by path; at most `limit`."""
        return self._once(("named", name, limit), lambda: self._named(name, limit))

    def _named(self, name: str, limit: int) -> list[Symbol]:
        found: list[Symbol] = []
        for path in dict.fromkeys(path for path, _ in self._graph.places(name, limit=limit)):
            if table := self._once(("table", path), partial(self._table, path)):
                found += [Symbol(path, one) for one in table.called(name)]
        return found[:limit]

    def _table(self, path: str) -> Table | None:
        return table_of(path, self.outline(path))
