"""The project's symbols, read from the database on demand: enough for one edited file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.code import Outline, Symbol
from remora.graph.go_names import embedded, of_type
from remora.graph.packed import kept_outline
from remora.graph.tables import table_of

if TYPE_CHECKING:
    from remora.store.graph import Graph

KEPT = 2_000  # outlines held; a run that needs more than that asks for all of them anyway


class StoredSymbols:
    """A `core.code.Symbols` over the database; it sees the data of its creation time or later."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._outlines: dict[str, Outline | None] = {}
        self._folders: dict[str, list[str]] = {}
        self._inside: dict[str, frozenset[str]] = {}
        self._ending: dict[str, list[str]] = {}
        self._packages: dict[str, list[str]] = {}
        self._prefixes: dict[tuple[str, str], bool] = {}
        self._named: dict[tuple[str, int], list[Symbol]] = {}
        self._promised: dict[str, list[Symbol]] = {}
        self._embedding: dict[str, list[Symbol]] = {}

    def exists(self, path: str) -> bool:
        """Return whether the project has an indexed file at a path."""
        folder = path.rpartition("/")[0]
        if folder not in self._inside:
            self._inside[folder] = frozenset(self.in_folder(folder))
        return path in self._inside[folder]

    def in_folder(self, folder: str) -> Sequence[str]:
        """Return the indexed files directly in a folder ("" is the root), in order."""
        if folder not in self._folders:
            self._folders[folder] = self._graph.in_folder(folder)
        return self._folders[folder]

    def ending(self, suffix: str) -> Sequence[str]:
        """Return the indexed files whose path is `suffix` or ends in "/" + `suffix`, in order."""
        if suffix not in self._ending:
            self._ending[suffix] = self._graph.ending(suffix)
        return self._ending[suffix]

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
        if name not in self._packages:
            self._packages[name] = self._graph.in_package(name) if name else []
        return self._packages[name]

    def packages_in(self, name: str, sign: str) -> bool:
        """Return whether a package or a subpackage of it is declared; `sign` separates package names."""
        if (name, sign) not in self._prefixes:
            self._prefixes[name, sign] = bool(name) and self._graph.packages_in(name, sign)
        return self._prefixes[name, sign]

    def named(self, name: str, limit: int = 10) -> Sequence[Symbol]:
        """Return the definitions with a name anywhere in the project, by path; at most `limit`."""
        if (name, limit) not in self._named:
            paths = dict.fromkeys(path for path, _ in self._graph.places(name, limit=limit))
            tables = ((path, table_of(path, self.outline(path))) for path in paths)
            found = [Symbol(path, one) for path, table in tables if table for one in table.called(name)]
            self._named[name, limit] = found[:limit]
        return self._named[name, limit]

    def promised(self, name: str) -> Sequence[Symbol]:
        """Return the methods of a name that top-level interfaces declare, by path."""
        if name not in self._promised:
            tables = ((path, table_of(path, self.outline(path))) for path in self._graph.promising(name))
            found = [Symbol(path, one) for path, table in tables if table for one in table.promised(name)]
            self._promised[name] = found
        return self._promised[name]

    def embedding(self, name: str) -> Sequence[Symbol]:
        """Return the top-level Go interfaces that embed a type of a name, by path."""
        if name not in self._embedding:
            outlines = ((path, self.outline(path)) for path in self._graph.using([of_type(name)]))
            self._embedding[name] = [
                Symbol(path, one)
                for path, outline in outlines
                for one in (outline.definitions if outline else ())
                if one.kind == "interface" and not one.parent and outline and name in embedded(outline, one)
            ]
        return self._embedding[name]
