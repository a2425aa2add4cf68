"""All edges out of one file: imports, bases, calls, tests.

`Resolver` serves a whole project and caches the data of each file. Only the targets of a file's names are
read, so that one edited file costs a few outlines.

Edges between files summarize those between definitions: `calls`, `inherits` and `implements` with their count
and their highest confidence. `imports` edges follow the statements (see each module of `graph.languages`); in
languages that see names without a statement, using a definition of another file counts as importing it. A
test has `tests` edges to the definitions that it calls outside of tests; its file to the file that it is
named after, and to those that it imports and calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.code import EXACT, GUESS_BELOW, LIKELY, FileFacts, Link
from remora.core.skip import FAILED, sparing
from remora.graph.calls import FileNames, calls
from remora.graph.lookup import Look
from remora.graph.tables import CLASSES
from remora.graph.test_files import file_under_test, is_test_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from remora.core.code import Definition, Reference, Symbols
    from remora.core.values import Skipped
    from remora.graph.roots import Roots
    from remora.graph.tables import Table, Value


class Resolver:
    """Resolves the files of one project; valid until its symbols change."""

    def __init__(self, symbols: Symbols, roots: Roots) -> None:
        self._look = Look(symbols, roots)
        self.skipped: list[Skipped] = []  # files of which some edges are missing, and why

    def links(self, path: str, facts: FileFacts) -> list[Link]:
        """Return every edge out of one file, in order, each once."""
        edges = _Edges(path)
        table = self._look.table(path, facts.outline)
        if table is not None:
            with sparing(path, self.skipped, f"{FAILED} be followed whole: "):
                _File(self._look, table, facts, edges).find()
        return edges.links()


class _Edges:
    """Edges under construction: the highest confidence, the first line and the count of each."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: dict[tuple[str, str, str], tuple[float, int, int]] = {}

    def add(self, source: str, target: str, kind: str, sure: float, line: int) -> None:
        """Add an edge and count it; one from a node to itself is kept only as a call (recursion)."""
        if source == target and kind != "calls":
            return
        key = (source, target, kind)
        before, first, count = self._found.get(key, (sure, line, 0))
        self._found[key] = (max(sure, before), min(line, first), count + 1)

    def once(self, source: str, target: str, kind: str, sure: float, line: int) -> None:
        """Add an edge without a count."""
        if source == target:
            return
        if (source, target, kind) not in self._found or self._found[source, target, kind][0] < sure:
            self._found[source, target, kind] = (sure, line, 1)

    def imported(self) -> set[str]:
        """Return the files that the file imports."""
        return {end for start, end, kind in self._found if kind == "imports" and start == self.path}

    def links(self) -> list[Link]:
        """Return the edges, ordered by source, target and kind."""
        return [Link(*key, *self._found[key]) for key in sorted(self._found)]


class _File:
    """The edges of one file that require names to be followed."""

    def __init__(self, look: Look, table: Table, facts: FileFacts, edges: _Edges) -> None:
        self.look = look
        self.table = table
        self.facts = facts
        self.edges = edges
        self.path = table.path
        self.names = FileNames(look, table, facts.uses)
        self.test = is_test_path(table.path)

    def find(self) -> None:
        """Find all of them."""
        self._imports()
        self._inherits()
        if self.table.family.by_use:
            self._by_use()
        called = self._calls()
        self._tests(called)

    def _imports(self) -> None:
        for item in self.facts.outline.imports:
            for target in dict.fromkeys(self.table.family.edges(self.look.places, self.path, item)):
                if target not in ("", self.path):
                    self.edges.add(self.path, target, "imports", EXACT, item.line)

    def _inherits(self) -> None:
        for definition in self.facts.outline.definitions:
            for text in definition.bases:
                base = self.look.base(self.table, definition, text)
                if base is None or base.kind != "definition" or base.definition is None:
                    continue
                target = base.definition
                if target.kind not in (*CLASSES, "module", "test"):
                    continue
                promised = target.kind in ("interface", "module")  # a module is mixed in
                kind = "implements" if promised and definition.kind != target.kind else "inherits"
                key = f"{self.path}:{definition.qualname}"
                self.edges.add(key, f"{base.path}:{target.qualname}", kind, base.sure, definition.line)
                if base.path != self.path:
                    self.edges.add(self.path, base.path, kind, base.sure, definition.line)
                    if self.table.family.by_use:
                        self.edges.once(self.path, base.path, "imports", EXACT, definition.line)

    def _by_use(self) -> None:
        """Count the use of a name from another file as an import of it."""
        seen: dict[str, int] = {}
        for reference in self.facts.uses.references:
            for path in self._defining(reference):
                seen.setdefault(path, reference.line)
        for binding in self.facts.uses.bindings:
            value = self.look.dotted(self.table, binding.scope, binding.type.removesuffix("()"))
            if value is not None and value.kind == "definition" and value.path != self.path:
                seen.setdefault(value.path, binding.line)
        for path, line in seen.items():
            self.edges.once(self.path, path, "imports", EXACT, line)

    def _defining(self, reference: Reference) -> Iterator[str]:
        """Yield the other file whose name a reference begins with, if its language needs no import."""
        receiver = reference.receiver
        if receiver.startswith("?"):
            return
        first = receiver or reference.name
        if "()" in first:
            first = first.split("()")[0].rpartition(".")[0]
        if not first:
            return
        self.names.stand(reference)
        value = self.names.value(first, reference.scope)
        if value is not None and value.kind == "module" and receiver and "()" not in receiver:
            value = self.look.export(value.path, reference.name)
        if value is None or value.definition is None or value.path == self.path or value.kind != "definition":
            return
        if self.table.family.name in ("php", "ruby") and value.definition.kind == "function" and not receiver:
            return  # a function of the whole program belongs to no import
        if not value.definition.parent or value.definition.kind in CLASSES:
            yield value.path

    def _calls(self) -> dict[str, float]:
        """Add the edges of calls; return the called files with the confidence."""
        called: dict[str, float] = {}
        for reference, target in calls(self.names, self.facts.uses):
            definition = target.definition
            if definition is None:
                continue
            scope = reference.scope
            caller = f"{self.path}:{scope}" if scope else self.path
            key = f"{target.path}:{definition.qualname}"
            self.edges.add(caller, key, "calls", target.sure, reference.line)
            if target.path != self.path:
                self.edges.add(self.path, target.path, "calls", target.sure, reference.line)
                called[target.path] = max(called.get(target.path, 0.0), target.sure)
            self._test_call(scope, target, definition, reference.line)
        return called

    def _test_call(self, scope: str, target: Value, definition: Definition, line: int) -> None:
        if definition.kind == "test" or is_test_path(target.path):
            return
        test = self._test_around(scope)
        if test:
            key = f"{target.path}:{definition.qualname}"
            self.edges.add(f"{self.path}:{test}", key, "tests", target.sure, line)

    def _test_around(self, scope: str) -> str:
        """Return the test around a scope; in a test class each of its methods is one."""
        while scope:
            definition = self.table.by_qualname.get(scope)
            if definition is not None and definition.kind == "test":
                return scope
            scope = self.table.around(scope)
        return ""

    def _tests(self, called: dict[str, float]) -> None:
        if not self.test:
            return
        imported = self.edges.imported()
        by_name = file_under_test(self.path, self.look.symbols)
        if by_name and by_name != self.path:
            sure = EXACT if by_name in imported else LIKELY
            self.edges.once(self.path, by_name, "tests", sure, 0)
        for path in sorted(called):
            if called[path] >= GUESS_BELOW and not is_test_path(path):
                sure = EXACT if path in imported else min(LIKELY, called[path])
                self.edges.once(self.path, path, "tests", sure, 0)
