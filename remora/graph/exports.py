"""Resolve a module's exports, through any number of re-exports.

A chain of re-exports or bases may be a cycle. Open questions are recorded; meeting one again ends that
branch. An answer found with a cut branch depends on the entry point into the cycle, so it is not reused for
other questions: results never depend on the order of questions.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from remora.graph.languages import FAMILIES, Places
from remora.graph.languages.naming import INSIDE, PACKAGE
from remora.graph.tables import FOREIGN, OPAQUE, Table, Value, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from remora.core.code import Outline, Symbols
    from remora.graph.languages import Entry
    from remora.graph.roots import Roots

MAX_DEPTH = 24  # re-exports or bases in a row
_Kept = TypeVar("_Kept")


class Exports(ABC):
    """The exports of one project's modules, valid until its symbols change."""

    def __init__(self, symbols: Symbols, roots: Roots) -> None:
        self.symbols = symbols
        self.places = Places(symbols, roots)
        self._tables: dict[str, Table | None] = {}
        self._exports: dict[tuple[str, str], Value | None] = {}
        self._modules: dict[tuple[str, str, int, str, str], str] = {}
        self._first_asked: dict[tuple[str, ...], object] = {}
        self.open: set[tuple[str, ...]] = set()
        self._cuts = 0

    @abstractmethod
    def member(self, value: Value, part: str) -> Value | None:
        """Return the value of a name after a dot."""

    @abstractmethod
    def dotted(self, table: Table, scope: str, text: str) -> Value | None:
        """Return the value of a chain of names at a place."""

    def table(self, path: str, outline: Outline | None = None) -> Table | None:
        """Return a file's table, from a given outline or from the project."""
        if path not in self._tables:
            self._tables[path] = table_of(path, outline or self.symbols.outline(path))
        return self._tables[path]

    def once(
        self, key: tuple[str, ...], kept: dict[tuple[str, str], _Kept], cut: _Kept, find: Callable[[], _Kept]
    ) -> _Kept:
        """Answer a question that may be recursive."""
        short = (key[1], key[2])
        if short in kept:
            return kept[short]
        if not self.open and key in self._first_asked:
            return self._first_asked[key]  # type: ignore[return-value]
        if key in self.open or len(self.open) >= MAX_DEPTH:
            self._cuts += 1
            return cut
        before = self._cuts
        found = self._entering(key, find)
        if self._cuts == before:
            kept[short] = found
        elif not self.open:
            self._first_asked[key] = found
        return found

    def unless_open(self, key: tuple[str, ...], find: Callable[[], Value | None]) -> Value | None:
        """Answer a question that is rarely recursive; None if it is open already."""
        return None if key in self.open else self._entering(key, find)

    def _entering(self, key: tuple[str, ...], find: Callable[[], _Kept]) -> _Kept:
        """Answer a question, which is open meanwhile."""
        self.open.add(key)
        try:
            return find()
        finally:
            self.open.discard(key)

    def module(self, table: Table, entry: Entry) -> Value | None:
        """Return the module named by an import, None if it is outside the project."""
        item = entry.item
        memo = (table.path, entry.module, item.level, item.kind, item.scope)
        if memo not in self._modules:
            self._modules[memo] = table.family.module(self.places, table.path, entry)
        if found := self._modules[memo]:
            path, *inner = found.split(INSIDE)
            value: Value | None = Value("module", path)
            for name in inner:
                value = self.member(value, name) if value else None
            return value
        before, _, last = re.sub(r"::|\\", ".", entry.module).rpartition(".")
        if not before or table.family.name in ("python", "javascript", "go"):
            return None
        # The part before the last name may be a class or an enumeration.
        sign = next((sign for sign in ("::", "\\", ".") if sign in entry.module), ".")
        outer = self.module(table, entry._replace(module=entry.module.rpartition(sign)[0]))
        return self.member(outer, last) if outer else None

    def imported(self, table: Table, entries: Sequence[Entry]) -> Value:
        """Return the value of an imported name; of several imports the first one in the project."""
        best = FOREIGN
        for entry in entries:
            module = self.module(table, entry)
            if module is None:
                continue
            if not entry.name:
                return module
            found = self.member(module, entry.name)
            unseen = found is None or found.kind == "opaque"
            if entry.name == "default" and unseen and entry.item.kind != "require":
                found = self._default(module, entry.local)
            if found is not None and found.kind not in ("foreign", "opaque"):
                return found
            if best is FOREIGN:
                best = found or OPAQUE
        return best

    def _default(self, module: Value, local: str) -> Value | None:
        table = self.table(module.path)
        name = next(iter(table.family.default(table.outline, local)), "") if table else ""
        return self.export(module.path, name) if name else None

    def export(self, key: str, name: str) -> Value | None:
        """Return the value that a module exports under a name, None if there is no such name."""
        return self.once(("export", key, name), self._exports, None, lambda: self._export(key, name))

    def _export(self, key: str, name: str) -> Value | None:
        if key.startswith(PACKAGE):
            return self._in_package(key, name)
        table = self.table(key)
        if table is None:
            return None
        found = self._own(table, name)
        return found if _tells(found) else self.starred(table, "", name) or found

    def _own(self, table: Table, name: str) -> Value | None:
        """Return a module's export under a name, without its wildcard re-exports."""
        own = table.children.get("", {}).get(name)
        if own is not None:
            return Value("definition", table.path, own)
        entries = table.entries.get("", {}).get(name)
        found = self.imported(table, entries) if entries else None
        if _tells(found):
            return found
        inner = table.family.submodule(self.places, table.path, name)
        return Value("module", inner) if inner else found

    def starred(self, table: Table, scope: str, name: str) -> Value | None:
        """Return a name from the wildcard imports of a scope."""
        python = table.family.name == "python"
        for entry in table.stars.get(scope, ()):
            module = self.module(table, entry)
            if module is None:
                continue
            if python:
                other = self.table(module.path)
                exports = other.outline.exports if other else ()
                if name not in exports and (exports or name.startswith("_")):
                    continue
            found = self.member(module, name)
            if _tells(found):
                return found
        return None

    def _in_package(self, key: str, name: str) -> Value | None:
        written = key.split(":", 2)[1]
        family = FAMILIES["go" if written == "gotest" else written]
        for symbol in family.package(self.places, key, name)[:1]:
            return Value("definition", symbol.path, symbol.definition, family.package_sure)
        inner = family.submodule(self.places, key, name)
        return Value("module", inner) if inner else None


def _tells(found: Value | None) -> TypeGuard[Value]:
    """Return whether a value is a definition or a module of the project."""
    return found is not None and found.kind not in ("foreign", "opaque")
