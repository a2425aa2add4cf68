"""Resolve the pytest fixture requested by name, and its value.

The search covers the classes around the test and their bases, its file, and the `conftest.py` of its folder
and of each folder above; in each file also its imports. A fixture that requests its own name gets the next
one outwards. A fixture that is not found is built in or comes from a plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import LIKELY
from remora.graph.tables import CLASSES, Table, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from remora.graph.lookup import Look

CONFTEST = "conftest.py"
_HOLDERS = frozenset((*CLASSES, "test"))


class Fixtures(NamedTuple):
    """The fixtures visible in one test file, given the names of its project."""

    look: Look
    table: Table

    def find(self, scope: str, name: str) -> Value | None:
        """Return the fixture that a definition requests by a name, None if the project has none."""
        for value in self._candidates(self.table.class_of(scope), name):
            own = value.path == self.table.path and value.definition is not None
            if not (own and value.definition is self.table.by_qualname.get(scope)):
                return value
        return None

    def given(self, scope: str, name: str) -> Value | None:
        """Return the value of a fixture that a definition requests, None if unknown."""
        fixture = self.find(scope, name)
        definition = fixture.definition if fixture is not None else None
        table = self.look.table(fixture.path) if fixture is not None else None
        if definition is None or table is None or not definition.gives:
            return None
        value = self.look.dotted(table, definition.qualname, definition.gives)
        return value.less_sure(LIKELY) if value and value.kind == "object" else self.look.instance(value)

    def _candidates(self, inside: str, name: str) -> Iterator[Value]:
        """Yield the fixtures with a name, nearest first."""
        while inside:
            owner = self.table.by_qualname.get(inside)
            if owner is not None and owner.kind in _HOLDERS:
                for path, base in self.look.line(self.table.path, owner).classes:
                    yield from self._inside(path, base.qualname, name)
            inside = self.table.class_of(self.table.around(inside))
        yield from self._file(self.table.path, name)
        folder = self.table.path.rpartition("/")[0]
        while True:
            path = f"{folder}/{CONFTEST}" if folder else CONFTEST
            if path != self.table.path and self.look.symbols.exists(path):
                yield from self._file(path, name)
            if not folder:
                break
            folder = folder.rpartition("/")[0]

    def _inside(self, path: str, parent: str, name: str) -> Iterator[Value]:
        table = self.look.table(path)
        found = table.fixtures.get((parent, name)) if table is not None else None
        if found is not None:
            yield Value("definition", path, found)

    def _file(self, path: str, name: str) -> Iterator[Value]:
        own = list(self._inside(path, "", name))
        yield from own
        value = None if own else self.look.export(path, name)
        if value is not None and value.definition is not None and value.definition.fixture == name:
            yield value
