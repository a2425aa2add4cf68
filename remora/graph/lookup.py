r"""Follow names through scopes, modules and base classes of a whole project.

    lexical   a name as code at some place sees it: inner scopes first, then the file, what it imports,
              modules around it, `import *`
    export    a name as other files see it in a module, through any number of re-exports
    member    a name behind a dot: in a module, a class and its bases, an object

A chain of re-exports or bases may be a circle. Each question that is being answered is remembered; meeting
it again ends that branch. An answer found while a branch was cut depends on where the circle was
entered, so it is kept only for when the same question is asked first again: results never depend on the
order of questions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from remora.core.code import LIKELY
from remora.graph.imports import Places
from remora.graph.imports.base import PACKAGE, package_key
from remora.graph.signatures import return_type
from remora.graph.tables import CLASSES, FOREIGN, OPAQUE, Table, Value, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from remora.core.code import Definition, Outline, Symbols
    from remora.graph.imports import Entry, Family
    from remora.graph.roots import Roots

    Local = Callable[[str, str], Value | None]

MAX_DEPTH = 24  # re-exports or bases in a row
_SIGN = re.compile(r"\.|->|::|\\")
# Bases that add no members of their own to look for.
_PLAIN_BASES = frozenset(
    """object Object Generic Protocol ABC type Exception NamedTuple TypedDict BaseModel Enum typing.Generic
    typing.Protocol abc.ABC typing.NamedTuple""".split()
)
_Kept = TypeVar("_Kept")


class Line(NamedTuple):
    """A class with its bases in the order in which members are looked for."""

    classes: tuple[tuple[str, Definition], ...]
    whole: bool  # every base was found


def split(text: str) -> list[str]:
    r"""Return the parts of a chain of names.

    >>> split("a.b()::c->d"), split("\\A\\B")
    (['a', 'b()', 'c', 'd'], ['', 'A', 'B'])
    """
    return _SIGN.split(text)


class Look:
    """Names of one project, as long as its symbols do not change."""

    def __init__(self, symbols: Symbols, roots: Roots) -> None:
        self.symbols = symbols
        self.places = Places(symbols, roots)
        self._tables: dict[str, Table | None] = {}
        self._exports: dict[tuple[str, str], Value | None] = {}
        self._lines: dict[tuple[str, str], Line] = {}
        self._modules: dict[tuple[str, str, int, str, str], str] = {}
        self._packages: dict[tuple[str, str], Value | None] = {}
        self._first_asked: dict[tuple[str, ...], object] = {}
        self._open: set[tuple[str, ...]] = set()
        self._cuts = 0

    def table(self, path: str, outline: Outline | None = None) -> Table | None:
        """Return a file's table; an outline given is taken, else the project is asked for it."""
        if path not in self._tables:
            self._tables[path] = table_of(path, outline or self.symbols.outline(path))
        return self._tables[path]

    def _once(
        self, key: tuple[str, ...], kept: dict[tuple[str, str], _Kept], cut: _Kept, find: Callable[[], _Kept]
    ) -> _Kept:
        """Answer a question that may lead back to itself."""
        short = (key[1], key[2])
        if short in kept:
            return kept[short]
        if not self._open and key in self._first_asked:
            return self._first_asked[key]  # type: ignore[return-value]
        if key in self._open or len(self._open) >= MAX_DEPTH:
            self._cuts += 1
            return cut
        before = self._cuts
        self._open.add(key)
        try:
            found = find()
        finally:
            self._open.discard(key)
        if self._cuts == before:
            kept[short] = found
        elif not self._open:
            self._first_asked[key] = found
        return found

    # Modules

    def module(self, table: Table, entry: Entry) -> Value | None:
        """Return the module that an import names, None when it is none of the project."""
        item = entry.item
        memo = (table.path, entry.module, item.level, item.kind, item.scope)
        if memo not in self._modules:
            self._modules[memo] = table.family.module(self.places, table.path, entry)
        key = self._modules[memo]
        if key:
            return Value("module", key)
        before, _, last = re.sub(r"::|\\", ".", entry.module).rpartition(".")
        if item.kind == "using" and table.family.name == "c":
            return self._namespace(table, entry)
        if not before or table.family.name in ("python", "javascript", "go"):
            return None
        # What stands before the name may itself be a class or an enumeration.
        sign = next((sign for sign in ("::", "\\", ".") if sign in entry.module), ".")
        outer = self.module(table, entry._replace(module=entry.module.rpartition(sign)[0]))
        return self.member(outer, last) if outer else None

    def _namespace(self, table: Table, entry: Entry) -> Value | None:
        """Return the namespace that a `using` of C++ names; it may be declared in any header."""
        key = ("using", table.path, entry.module)
        if key in self._open:
            return None
        self._open.add(key)
        try:
            return self.dotted(table, "", entry.module)
        finally:
            self._open.discard(key)

    def imported(self, table: Table, entries: Sequence[Entry]) -> Value:
        """Return what an imported name stands for; of several imports the first that is of the project."""
        for entry in entries:
            module = self.module(table, entry)
            if module is None:
                continue
            if not entry.name:
                return module
            name = entry.name
            found = self.member(module, name)
            if name == "default" and (found is None or found.kind == "opaque"):
                found = self._default(module, entry.local)
            return found or OPAQUE
        return FOREIGN

    def _default(self, module: Value, local: str) -> Value | None:
        table = self.table(module.path)
        for name in table.family.default(table.outline, local) if table else ():
            return self.export(module.path, name)
        return None

    def export(self, key: str, name: str) -> Value | None:
        """Return what a module offers under a name, None when it has no such name."""
        return self._once(("export", key, name), self._exports, None, lambda: self._export(key, name))

    def _export(self, key: str, name: str) -> Value | None:
        if key.startswith(PACKAGE):
            return self._in_package(key, name)
        table = self.table(key)
        if table is None:
            return None
        own = table.children.get("", {}).get(name)
        if own is not None:
            return Value("definition", key, own)
        family = table.family
        entries = table.entries.get("", {}).get(name)
        found = self.imported(table, entries) if entries else None
        if found is not None and found.kind not in ("foreign", "opaque"):
            return found
        inner = family.submodule(self.places, key, name)
        if inner:
            return Value("module", inner)
        return self._starred(table, "", name) or found

    def _starred(self, table: Table, scope: str, name: str) -> Value | None:
        """Return a name out of the modules that a scope imports everything from."""
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
            if found is not None and found.kind not in ("foreign", "opaque"):
                return found
        return None

    def _in_package(self, key: str, name: str) -> Value | None:
        family_name = key.split(":", 2)[1]
        family = _family(family_name)
        if family is None:
            return None
        memo = (key, name)
        if memo not in self._packages:
            value: Value | None = None
            for symbol in family.package(self.places, key, name)[:1]:
                value = Value("definition", symbol.path, symbol.definition, family.package_sure)
            if value is None and (inner := family.submodule(self.places, key, name)):
                value = Value("module", inner)
            self._packages[memo] = value
        return self._packages[memo]

    # Classes

    def line(self, path: str, definition: Definition) -> Line:
        """Return a class and everything that it inherits from, nearest first."""
        key = ("line", path, definition.qualname)
        alone = Line(((path, definition),), False)
        return self._once(key, self._lines, alone, lambda: self._line(path, definition))

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
        return Line(((path, definition), *_merged(above)), whole)

    def base(self, table: Table, definition: Definition, text: str) -> Value | None:
        """Return what a base class as written stands for."""
        found = self.dotted(table, definition.parent, text)
        if found is not None and found.definition is not None and found.path == table.path:
            if found.definition.qualname == definition.qualname:  # class Foo(Foo): the one before it
                entries = table.entries.get("", {}).get(text)
                return self.imported(table, entries) if entries else self._starred(table, "", text)
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
            value = Value("definition", where, found) if found else self._reopened(table, owner, name)
            if value is not None:
                return value.less_sure(LIKELY) if place else value
        return None

    def _reopened(self, table: Table | None, owner: Definition, name: str) -> Value | None:
        """Return a member that another file gives to a class."""
        if table is None or not table.family.open_classes:
            return None
        family = table.family
        qualname = owner.qualname.partition("#")[0]
        for symbol in self.symbols.named(name, 100):
            other = symbol.definition
            if (
                other.parent == qualname
                and symbol.path != table.path
                and family.reopened(table.path, symbol.path)
            ):
                return Value("definition", symbol.path, other)
        return None

    # Names

    def lexical(self, table: Table, scope: str, name: str, local: Local | None = None) -> Value | None:
        """Return what a name means at a place.

        Args:
            table: the file.
            scope: qualname of the innermost definition, "" for the top level.
            name: one name.
            local: tells a scope's variables; only known for the file that is being resolved.
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
        stars = (self._starred, self._around) if family.stars_first else (self._around, self._starred)
        for search in stars:
            found = search(table, "", name)
            if found is not None:
                return found
        if name in family.builtins:
            return FOREIGN
        if family.name == "rust" and (inner := self._rust_path(table, name)):
            return inner
        return None

    def _in_scope(
        self, table: Table, at: str, name: str, local: Local | None, *, inner: bool
    ) -> Value | None:
        definition = table.by_qualname.get(at)
        module = definition is not None and definition.kind == "module"
        family = table.family
        own = table.children.get(at, {}).get(name)
        if not module and table.is_class(at):
            if not inner and not family.implicit_self:
                return None
            if own is not None:
                return Value("definition", table.path, own)
            if family.implicit_self:
                owner = self.owner(table, at)
                found = (
                    self.class_member(owner.path, owner.definition, name)
                    if owner and owner.definition
                    else None
                )
                if found is not None:
                    return found
        elif own is not None:
            return Value("definition", table.path, own)
        entries = table.entries.get(at, {}).get(name)
        if entries:
            return self.imported(table, entries)
        if at in table.stars and (found := self._starred(table, at, name)):
            return found
        found = local(at, name) if local else None
        if found is None and table.is_parameter(at, name):
            return OPAQUE
        if found is None and module and definition is not None:
            return self._reopened(table, definition, name)
        return found

    def owner(self, table: Table, qualname: str) -> Value | None:
        """Return the class that a scope continues, wherever it is defined."""
        definition = table.by_qualname.get(qualname)
        if definition is not None:
            return Value("definition", table.path, definition)
        before, _, last = qualname.rpartition(".")
        key = ("owner", table.path, qualname)
        if key in self._open:
            return None
        self._open.add(key)
        try:
            found = self.lexical(table, before, last)
        finally:
            self._open.discard(key)
        return found if found is not None and found.definition is not None else None

    def _around(self, table: Table, _scope: str, name: str) -> Value | None:
        for key in table.family.around(self.places, table.path, table.outline):
            found = self.export(key, name)
            if found is not None:
                return found
        return None

    def _rust_path(self, table: Table, name: str) -> Value | None:
        """Return what the first part of a path means: `crate`, `super`, or a crate of the workspace."""
        from remora.core.code import Import
        from remora.graph.imports import Entry

        entry = Entry(name, name, "", Import(name, kind="use"))
        key = table.family.module(self.places, table.path, entry)
        return Value("module", key) if key else None

    def dotted(self, table: Table, scope: str, text: str, local: Local | None = None) -> Value | None:
        """Return what a chain of names means at a place, None when it cannot be followed."""
        parts = split(text)
        if not parts[0] and len(parts) > 1:  # an absolute name
            value: Value | None = Value("module", package_key(table.family.name, ""))
            parts.pop(0)
            if table.family.name == "c":
                value = self._first(table, "", parts.pop(0), local)
        else:
            value = self._first(table, scope, parts.pop(0), local)
        for part in parts:
            if value is None:
                return None
            value = self.member(value, part)
        return value

    def _first(self, table: Table, scope: str, part: str, local: Local | None) -> Value | None:
        if part.endswith("()"):
            return self.returned(self.lexical(table, scope, part[:-2], local))
        return self.lexical(table, scope, part, local)

    def member(self, value: Value, part: str) -> Value | None:
        """Return what stands behind a dot; `part` may end in "()"."""
        if part.endswith("()"):
            name = part[:-2]
            called = value.kind == "definition" and name == _constructor(self, value)
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
            table = self.table(value.path)
            own = table.children.get(definition.qualname, {}).get(part) if table else None
            found = Value("definition", value.path, own) if own else self._reopened(table, definition, part)
            if (
                found is None
                and table is not None
                and (entries := table.entries.get(definition.qualname, {}).get(part))
            ):
                found = self.imported(table, entries)
        elif definition.kind in CLASSES or definition.kind == "test":
            found = self.class_member(value.path, definition, part)
        elif definition.kind == "method" and value.kind == "definition":  # a property, read
            inner = self.returned(value)
            return self.member(inner, part) if inner and inner.kind == "object" else None
        else:
            return None
        if found is None:
            return None
        return found.less_sure(value.sure)

    def returned(self, value: Value | None, receiver: Value | None = None) -> Value | None:
        """Return what calling something gives."""
        if value is None or value.kind in ("foreign", "opaque", "object", "super", "module"):
            return FOREIGN if value is not None and value.kind == "foreign" else None
        definition = value.definition
        if definition is None:
            return None
        if definition.kind in CLASSES:
            return value._replace(kind="object")
        table = self.table(value.path)
        if table is None:
            return None
        text = return_type(definition.signature, definition.name, table.outline.language)
        if not text:
            return None
        if text == "Self":
            if receiver is not None and receiver.definition is not None and receiver.kind != "module":
                return receiver._replace(kind="object", sure=min(receiver.sure, LIKELY))
            owner = table.by_qualname.get(definition.parent)
            return Value("object", value.path, owner, min(value.sure, LIKELY)) if owner else None
        return self.instance(self.dotted(table, definition.parent, text), value.sure)

    def instance(self, value: Value | None, sure: float = LIKELY) -> Value | None:
        """Return an object of the class that a type as written stands for."""
        if value is None or value.kind == "foreign":
            return value
        if value.kind == "definition" and value.definition is not None:
            if value.definition.kind in CLASSES or value.definition.kind == "test":
                return Value("object", value.path, value.definition, min(value.sure, sure, LIKELY))
        return None


def _constructor(look: Look, value: Value) -> str:
    table = look.table(value.path) if value.definition is not None else None
    return (table.family.constructor if table else "") or "?"


def _family(name: str) -> Family | None:
    from remora.graph.imports import FAMILIES

    return FAMILIES.get("go" if name == "gotest" else name)


def _merged(above: list[list[tuple[str, Definition]]]) -> list[tuple[str, Definition]]:
    """Return the bases in the order that keeps each class before what it inherits from.

    That is Python's own rule (C3) where it has an answer; where it has none, the order of reading.
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
