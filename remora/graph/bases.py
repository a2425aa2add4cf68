"""Find class members: base class order, and classes extended in several files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import LIKELY
from remora.graph.exports import Exports
from remora.graph.tables import CLASSES, Table, Value

if TYPE_CHECKING:
    from remora.core.code import Definition, Symbols
    from remora.graph.roots import Roots

# Bases that add no members of their own to look for.
_PLAIN_BASES = frozenset(
    """object Object Generic Protocol ABC type Exception NamedTuple TypedDict BaseModel Enum typing.Generic
    typing.Protocol abc.ABC typing.NamedTuple""".split()
)

_OFFERED = ("exports.", "module.exports.")  # how a definition begins that is made as an export


class Line(NamedTuple):
    """A class with its bases in lookup order."""

    classes: tuple[tuple[str, Definition], ...]
    whole: bool  # every base was found


class Bases(Exports):
    """The classes of one project with their bases."""

    def __init__(self, symbols: Symbols, roots: Roots) -> None:
        super().__init__(symbols, roots)
        self._lines: dict[tuple[str, str], Line] = {}

    def line(self, path: str, definition: Definition) -> Line:
        """Return a class and all its bases, nearest first."""
        key = ("line", path, definition.qualname)
        alone = Line(((path, definition),), False)
        return self.once(key, self._lines, alone, lambda: self._line(path, definition))

    def _line(self, path: str, definition: Definition) -> Line:
        table = self.table(path)
        above: list[list[tuple[str, Definition]]] = []
        whole = True
        for text in definition.bases:
            base = self.base(table, definition, text) if table else None
            if base is None or base.definition is None or base.kind != "definition":
                whole = whole and (text in _PLAIN_BASES)
                continue
            line = self.line(base.path, base.definition)
            whole = whole and line.whole
            above.append(list(line.classes))
        # The last mixin comes first, the base class after all of them.
        mixed = [row for row in reversed(above) if row[0][1].kind == "module"]
        above = [*mixed, *(row for row in above if row not in mixed)]
        return Line(((path, definition), *_merged(above)), whole)

    def base(self, table: Table, definition: Definition, text: str) -> Value | None:
        """Return the class that a written base refers to."""
        found = self.dotted(table, definition.parent, text)
        if found is not None and found.definition is definition:  # class Foo(Foo): the one before it
            entries = table.entries.get("", {}).get(text)
            return self.imported(table, entries) if entries else self.starred(table, "", text)
        return found

    def class_member(
        self, path: str, definition: Definition, name: str, *, above: bool = False
    ) -> Value | None:
        """Return a member of a class or its bases; `above` leaves out the class itself."""
        classes = self.line(path, definition).classes
        for place, (where, owner) in enumerate(classes):
            if above and not place:
                continue
            table = self.table(where)
            found = table.children.get(owner.qualname, {}).get(name) if table else None
            value = Value("definition", where, found) if found else self.reopened(table, owner, name)
            if value is not None:
                return value.less_sure(LIKELY) if place else value
        return None

    def added(self, value: Value, name: str) -> Value | None:
        """Return a member assigned to a function, or to the class or object that its file exports as a whole.

        It is certain if the file states it, as in `module.exports.name = …`. Any other definition of the file
        is likely, because `A.name = name` is not parsed, unless an unknown base may have the name.
        """
        table, definition = self.table(value.path), value.definition
        if table is None or definition is None or not table.family.whole:
            return None
        own = table.children.get(definition.qualname, {}).get(name)
        if own is not None and own.kind == "method" and definition.kind == "function":
            return Value("definition", value.path, own)
        whole = self.export(value.path, table.family.whole)
        if whole is None or whole.definition is None or (whole.kind, whole.path) != (value.kind, value.path):
            return None
        if whole.definition.qualname != definition.qualname:
            return None
        if _says(table, name):
            return self.export(value.path, name)
        own = table.children.get("", {}).get(name)
        if own is None or value.kind != "definition" or name in table.family.common:
            return None
        if definition.kind in CLASSES and not self.line(value.path, definition).whole:
            return None
        return Value("definition", value.path, own, LIKELY)

    def reopened(self, table: Table | None, owner: Definition, name: str) -> Value | None:
        """Return a member that another file adds to a class."""
        reopened = table.family.reopened if table else None
        if table is None or reopened is None:
            return None
        qualname = owner.qualname.partition("#")[0]
        for path, other in self.symbols.named(name, 100):
            if other.parent == qualname and path != table.path and reopened(table.path, path):
                return Value("definition", path, other)
        return None


def _says(table: Table, name: str) -> bool:
    """Return whether a file declares a name as exported."""
    own = table.children.get("", {}).get(name)
    if own is not None and own.signature.startswith(_OFFERED):
        return True
    offers = (item for item in table.outline.imports if item.kind == "export")
    return any(local == name for item in offers for _, local in item.names)


def _merged(above: list[list[tuple[str, Definition]]]) -> list[tuple[str, Definition]]:
    """Return the bases in an order that keeps each class before its own bases.

    This is Python's rule (C3) if it has an answer; otherwise the order of reading.
    """
    rows = [list(row) for row in above] + [[row[0] for row in above]]
    result: list[tuple[str, Definition]] = []
    while any(rows):
        rows = [row for row in rows if row]
        tails = {_key(item) for row in rows for item in row[1:]}
        head = next((row[0] for row in rows if _key(row[0]) not in tails), None)
        if head is None:
            flat = [item for row in above for item in row]
            return list({_key(item): item for item in flat}.values())
        result.append(head)
        rows = [row[1:] if _key(row[0]) == _key(head) else row for row in rows]
    return result


def _key(item: tuple[str, Definition]) -> tuple[str, str]:
    return item[0], item[1].qualname
