r"""Follow names through scopes, modules and base classes of a whole project.

lexical   a name as seen by code at some place: inner scopes first, then the file, its imports,
          modules around it, `import *`
export    a module's name as seen by other files, through any number of re-exports
member    a name after a dot: in a module, a class and its bases, an object
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.code import LIKELY, Import
from remora.graph.exports import Exports
from remora.graph.languages import Entry
from remora.graph.languages.naming import package_key
from remora.graph.tables import CLASSES, FOREIGN, OPAQUE, Table, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from remora.core.code import Definition, Symbols
    from remora.graph.roots import Roots

    Local = Callable[[str, str], Value | None]
    Line = tuple[tuple[str, Definition], ...]  # a class with its bases in lookup order

_SIGN = re.compile(r"\.|->|::(?!super\b)|\\")  # Rust's `super::super` is one step up more


def split(text: str) -> list[str]:
    r"""Return the parts of a chain of names.

    >>> split("a.b()::c->d"), split("\\A\\B")
    (['a', 'b()', 'c', 'd'], ['', 'A', 'B'])
    """
    return _SIGN.split(text)


class Look(Exports):
    """The names of one project, valid until its symbols change."""

    def __init__(self, symbols: Symbols, roots: Roots) -> None:
        super().__init__(symbols, roots)
        self._lines: dict[tuple[str, str], Line] = {}
        self._inside: dict[tuple[str, str], Value | None] = {}

    def lexical(self, table: Table, scope: str, name: str, local: Local | None = None) -> Value | None:
        """Return the value of a name at a place.

        Args:
            table: the file.
            scope: qualname of the innermost definition, "" for the top level.
            name: one name.
            local: returns a scope's variables; only known for the file being resolved.
        """
        at, family = scope, table.family
        while at:
            found = self._in_scope(table, at, name, local, inner=at == scope)
            if found is not None:
                return found
            at = table.around(at)
        own = table.children.get("", {}).get(name)
        if own is not None:
            return Value("definition", table.path, own)
        entries = table.entries.get("", {}).get(name)
        if entries:
            return self.imported(table, entries)
        found = local("", name) if local else None
        if found is not None:
            return found
        found = self._around(table, name) or self.starred(table, "", name)
        if found is not None:
            return found
        if name in family.builtins:
            return FOREIGN
        if family.name == "rust":  # the first part of a path: `crate`, `super`, or a crate of the workspace
            return self.module(table, Entry(name, name, "", Import(name, kind="use", scope=scope)))
        return None

    def _in_scope(
        self, table: Table, at: str, name: str, local: Local | None, *, inner: bool
    ) -> Value | None:
        definition = table.by_qualname.get(at)
        module = definition is not None and definition.kind == "module"
        family = table.family
        own = table.children.get(at, {}).get(name)
        if not module and table.hides(at):
            if not inner and not family.implicit_self:
                return None
            if own is not None:
                return Value("definition", table.path, own)
            if family.implicit_self:
                owner = self.owner(table, at)
                if owner and owner.definition:
                    found = self.class_member(owner.path, owner.definition, name)
                    if found is not None:
                        return found
        elif own is not None:
            return Value("definition", table.path, own)
        entries = table.entries.get(at, {}).get(name)
        if entries:
            return self.imported(table, entries)
        if at in table.stars and (found := self.starred(table, at, name)):
            return found
        found = local(at, name) if local else None
        if found is None and table.is_parameter(at, name):
            return OPAQUE
        if found is None and module and definition is not None:
            return self.reopened(table, definition, name)
        return found

    def owner(self, table: Table, qualname: str) -> Value | None:
        """Return the class that a scope continues, wherever it is defined."""
        definition = table.by_qualname.get(qualname)
        if definition is not None:
            return Value("definition", table.path, definition)
        before, _, last = qualname.rpartition(".")
        key = ("owner", table.path, qualname)
        found = self.unless_open(key, lambda: self.lexical(table, before, last))
        return found if found is not None and found.definition is not None else None

    def _around(self, table: Table, name: str) -> Value | None:
        around = table.family.around(self.places, table.path, table.outline)
        return next(filter(None, (self.export(key, name) for key in around)), None)

    def first(self, table: Table, scope: str, name: str, local: Local | None = None) -> Value | None:
        """Return the value of the first name of a chain at a place; it may end in "()"."""
        if name.endswith("()"):
            return self.returned(self.lexical(table, scope, name[:-2], local))
        return self.lexical(table, scope, name, local)

    def full_name(self, table: Table, parts: list[str]) -> tuple[Value | None, list[str]]:
        """Return the package that a full name begins with, and the parts of the name after it."""
        for count in range(len(parts), 0, -1):
            name = table.family.package_sign.join(parts[:count])
            if table.family.package_sign and self.symbols.package(name):
                return Value("module", package_key(table.family.name, name)), parts[count:]
        return None, []

    def dotted(self, table: Table, scope: str, text: str, local: Local | None = None) -> Value | None:
        """Return the value of a chain of names at a place, None if it cannot be followed."""
        parts = split(text)
        if not parts[0] and len(parts) > 1:  # an absolute name
            parts = parts[1:]
            value = self.export(package_key(table.family.name, ""), parts[0])
        else:
            value = self.first(table, scope, parts[0], local)
        rest = parts[1:]
        if value is None:
            value, rest = self.full_name(table, parts)
        for part in rest:
            if value is None:
                return None
            value = self.member(value, part)
        return value

    def member(self, value: Value, part: str) -> Value | None:
        """Return the value of a name after a dot; `part` may end in "()"."""
        if part.endswith("()"):
            name = part[:-2]
            called = value.kind == "definition" and name == self._constructor(value)
            return self.returned(value if called else self.member(value, name), value)
        if value.kind in ("foreign", "opaque"):
            return FOREIGN if value.kind == "foreign" else None
        if value.kind == "module":
            return self.export(value.path, part) or OPAQUE
        definition = value.definition
        if definition is None:
            return None
        if value.kind == "super":
            found = self.class_member(value.path, definition, part, above=True)
        elif definition.kind == "module":
            found = self._in_module(value.path, definition, part)
        elif definition.kind in CLASSES or definition.kind == "test":
            found = self.class_member(value.path, definition, part)
        elif definition.kind == "method" and value.kind == "definition":  # a property, read
            inner = self.returned(value)
            return self.member(inner, part) if inner and inner.kind == "object" else None
        else:
            found = None
        return found.less_sure(value.sure) if found else None

    def _in_module(self, path: str, module: Definition, name: str) -> Value | None:
        """Return the value that a module or namespace inside a file offers under a name."""
        key = ("inside", f"{path}:{module.qualname}", name)
        return self.once(key, self._inside, None, lambda: self._find_in_module(path, module, name))

    def _find_in_module(self, path: str, module: Definition, name: str) -> Value | None:
        table = self.table(path)
        own = table.children.get(module.qualname, {}).get(name) if table else None
        found = Value("definition", path, own) if own else self.reopened(table, module, name)
        if found is None and table is not None:
            if entries := table.entries.get(module.qualname, {}).get(name):
                return self.imported(table, entries)
            return self.starred(table, module.qualname, name)
        return found

    def returned(self, value: Value | None, receiver: Value | None = None) -> Value | None:
        """Return the result of calling a value."""
        if value is None or value.kind == "foreign":
            return value
        definition = value.definition
        if value.kind != "definition" or definition is None:
            return None
        if definition.kind in CLASSES:
            return value._replace(kind="object")
        table = self.table(value.path)
        if table is None or not definition.returns:
            return None
        if definition.returns == "Self":
            if receiver is not None and receiver.definition is not None and receiver.kind != "module":
                return receiver._replace(kind="object", sure=min(receiver.sure, LIKELY))
            owner = table.by_qualname.get(definition.parent)
            return Value("object", value.path, owner, min(value.sure, LIKELY)) if owner else None
        # A return type may refer to itself, as in `def b(self) -> A.b.c`.
        key = ("returned", value.path, definition.qualname)
        found = self.unless_open(key, lambda: self.dotted(table, definition.parent, definition.returns))
        return self.instance(found, value.sure)

    def instance(self, value: Value | None, sure: float = LIKELY) -> Value | None:
        """Return an object of the class named by a written type."""
        if value is None or value.kind == "foreign":
            return value
        definition = value.definition
        if value.kind == "definition" and definition is not None and definition.kind in (*CLASSES, "test"):
            return Value("object", value.path, definition, min(value.sure, sure, LIKELY))
        return None

    def _constructor(self, value: Value) -> str:
        table = self.table(value.path) if value.definition is not None else None
        return (table.family.constructor if table else "") or "?"

    def line(self, path: str, definition: Definition) -> Line:
        """Return a class and all its bases, nearest first."""
        key = ("line", path, definition.qualname)
        alone: Line = ((path, definition),)
        return self.once(key, self._lines, alone, lambda: self._line(path, definition))

    def _line(self, path: str, definition: Definition) -> Line:
        table = self.table(path)
        above: list[Line] = []
        for text in definition.bases:
            base = self.base(table, definition, text) if table else None
            if base is not None and base.definition is not None and base.kind == "definition":
                above.append(self.line(base.path, base.definition))
        above.sort(key=lambda row: row[0][1].kind != "module")  # mixins come before the base class
        # The last one counts, so that a base of two bases comes after both, as in Python.
        after = {_key(item): item for row in reversed(above) for item in reversed(row)}
        return (path, definition), *reversed(after.values())

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
        classes = self.line(path, definition)
        for place, (where, owner) in enumerate(classes):
            if above and not place:
                continue
            table = self.table(where)
            found = table.children.get(owner.qualname, {}).get(name) if table else None
            value = Value("definition", where, found) if found else self.reopened(table, owner, name)
            if value is not None:
                return value.less_sure(LIKELY) if place else value
        return None

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


def _key(item: tuple[str, Definition]) -> tuple[str, str]:
    return item[0], item[1].qualname
