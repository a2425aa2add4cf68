"""A fake of `StoredSymbols`: the symbols of a project from outlines, without a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from remora.core.code import Definition, Outline, Symbol
from remora.graph.go_interfaces import embedded


class MemorySymbols:
    """`Symbols` from outlines; built once, in one pass over the definitions.

    Args:
        outlines: the outline of each file by path, None for a file without names (prose, data). It is not
            copied and must not change afterwards.
    """

    def __init__(self, outlines: Mapping[str, Outline | None]) -> None:
        self._outlines = outlines
        self._folders: dict[str, list[str]] = {}
        self._basenames: dict[str, list[str]] = {}
        self._packages: dict[str, list[str]] = {}
        self._prefixes: dict[str, frozenset[str]] = {}  # by sign: every package, and those around it
        self._names: dict[str, list[tuple[str, Definition]]] = {}
        self._promised: dict[str, list[Symbol]] = {}
        self._embedding: dict[str, list[Symbol]] = {}
        for path in sorted(outlines):
            folder, _, basename = path.rpartition("/")
            self._folders.setdefault(folder, []).append(path)
            self._basenames.setdefault(basename, []).append(path)
            outline = outlines[path]
            if outline is None:
                continue
            if outline.package:
                self._packages.setdefault(outline.package, []).append(path)
            promises: set[str] = set()
            for definition in outline.definitions:
                if not definition.sentence:
                    self._names.setdefault(definition.name, []).append((path, definition))
                if definition.kind == "interface" and not definition.parent:
                    promises.add(definition.qualname)
                    for name in embedded(outline, definition):
                        self._embedding.setdefault(name, []).append(Symbol(path, definition))
                elif definition.kind == "method" and definition.parent in promises:
                    self._promised.setdefault(definition.name, []).append(Symbol(path, definition))

    def exists(self, path: str) -> bool:
        """Return whether the project has an indexed file at a path."""
        return path in self._outlines

    def in_folder(self, folder: str) -> Sequence[str]:
        """Return the indexed files directly in a folder ("" is the root), in order."""
        return self._folders.get(folder, ())

    def ending(self, suffix: str) -> Sequence[str]:
        """Return the indexed files whose path is `suffix` or ends in "/" + `suffix`, in order."""
        found = self._basenames.get(suffix.rpartition("/")[2], ())
        if "/" not in suffix:
            return found
        tail = "/" + suffix
        return [path for path in found if path == suffix or path.endswith(tail)]

    def outline(self, path: str) -> Outline | None:
        """Return a file's outline, None for an unknown file."""
        return self._outlines.get(path)

    def package(self, name: str) -> Sequence[str]:
        """Return the files that declare a package or namespace, in order."""
        return self._packages.get(name, ())

    def packages_in(self, name: str, sign: str) -> bool:
        """Return whether a package or a subpackage of it is declared; `sign` separates package names."""
        if sign not in self._prefixes:
            self._prefixes[sign] = frozenset(
                package[:end] for package in self._packages for end in _ends(package, sign)
            )
        return name in self._prefixes[sign]

    def named(self, name: str, limit: int = 10) -> Sequence[Symbol]:
        """Return the definitions with a name anywhere in the project, by path; at most `limit`."""
        return [Symbol(path, definition) for path, definition in self._names.get(name, ())[:limit]]

    def promised(self, name: str) -> Sequence[Symbol]:
        """Return the methods of a name that top-level interfaces declare, by path."""
        return self._promised.get(name, ())

    def embedding(self, name: str) -> Sequence[Symbol]:
        """Return the top-level Go interfaces that embed a type of a name, by path."""
        return self._embedding.get(name, ())


def _ends(package: str, sign: str) -> Iterator[int]:
    """Yield the end of each enclosing package's name, and of the package's own."""
    end = package.find(sign, 1)
    while end >= 0:
        yield end
        end = package.find(sign, end + 1)
    yield len(package)
