"""Resolve the calls in one file.

In this order: local definitions, imports and bindings of the scope; members of the enclosing class by `self`;
names of the file; imported names, through re-exports; names of modules, classes and known objects after a
dot. A name bound to an unknown value (a parameter, a variable) is not resolved, and neither is one from
outside of the project. Only a method on an unknown object is guessed, if the project defines it exactly once
and no standard library has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.code import GUESS, LIKELY, Symbol
from remora.graph.grammars import language_of
from remora.graph.languages import FAMILIES, c
from remora.graph.languages.naming import is_common
from remora.graph.lookup import Look, split
from remora.graph.tables import CLASSES, FOREIGN, OPAQUE, Table, Value
from remora.graph.test_files import is_test_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from remora.core.code import Binding, Reference, Uses

_UNKNOWN = "?"
_GUESSED = frozenset(("function", "method"))
_FIELDS = ("self.", "this.", "$this->", "this->", "@@", "@", "Self.")
CONFTEST = "conftest.py"
_VERBS = frozenset(("call", "new", "decorator"))


class FileNames:
    """The names of one file, including its variables.

    Args:
        look: the project.
        table: the file.
        uses: of the file.
    """

    def __init__(self, look: Look, table: Table, uses: Uses) -> None:
        self.look = look
        self.table = table
        self._variables: dict[tuple[str, str], list[Binding]] = {}
        self._fields: dict[tuple[str, str], list[Binding]] = {}
        self._open: set[tuple[str, str]] = set()
        self._line, self._scope = 0, ""
        self._test = is_test_path(table.path)
        self._own_names = table.family.selfs | {table.family.constructor}
        self._taken = {(one.scope, one.name) for one in uses.references if one.kind == "fixture"}
        for binding in uses.bindings:
            self._bind(binding)

    def _bind(self, binding: Binding) -> None:
        field = next((binding.name[len(s) :] for s in _FIELDS if binding.name.startswith(s)), "")
        if field:
            owner = self.table.class_of(binding.scope)
            self._fields.setdefault((owner, field), []).append(binding)
            return
        self._variables.setdefault((binding.scope, binding.name), []).append(binding)
        definition = self.table.by_qualname.get(binding.scope)
        if definition is not None and definition.kind in CLASSES:
            self._fields.setdefault((binding.scope, binding.name), []).append(binding)

    def call(self, reference: Reference) -> Value | None:
        """Return the definition of a call, a decorator or a type, None if unknown."""
        self.stand(reference)
        return self._defined(self._call(reference))

    def stand(self, reference: Reference) -> None:
        """Set the current place of a reference, on which the value of a variable depends."""
        self._line, self._scope = reference.line, reference.scope

    def _call(self, reference: Reference) -> Value | None:
        if reference.kind == "fixture":
            return self._fixture(reference.scope, reference.name) if self._test else None
        if not reference.receiver:
            if reference.kind != "type" and reference.name in self._own_names:
                own = self._own_class(reference.scope, "definition")  # `new self()`, `new(x)`
                if own is not None:
                    return own
            found = self.look.lexical(self.table, reference.scope, reference.name, self._local)
            if found is None and reference.kind in _VERBS:
                return self._guess_bare(reference)
            return _target(found)
        owner = self.value(reference.receiver, reference.scope)
        family = self.table.family
        if owner is not None and owner.kind == "foreign":
            return None
        if owner is None or owner.kind == "opaque":
            return self._guess(reference.name) if reference.kind == "call" else None
        if family.constructor == reference.name and owner.kind == "definition":
            return _target(owner)
        found = self.look.member(owner, reference.name)
        made = owner.definition is not None and owner.definition.kind in _GUESSED
        if found is None and made and reference.kind == "call":
            return self._guess(reference.name)  # decorators make objects of functions, of a class not seen
        return _target(found)

    def _defined(self, value: Value | None) -> Value | None:
        """Return the definition of a declaration, for languages that have both."""
        if value is None or value.definition is None or self.table.family.name != "c":
            return value
        symbol = c.body(self.look.places, Symbol(value.path, value.definition))
        return value._replace(path=symbol.path, definition=symbol.definition)

    # What an expression stands for

    def value(self, text: str, scope: str) -> Value | None:
        """Return the value of a chain of names at a place, None if unknown."""
        if text == _UNKNOWN or text.startswith((_UNKNOWN + ".", _UNKNOWN + "(")):
            return None
        family = self.table.family
        parts = split(text)
        first = parts[0]
        if first in family.supers or (first == "super()" and "super" in family.supers):
            value = self._own_class(scope, "super")
        elif first in family.selfs:
            value = self._own_class(scope, "object")
            if value is None and family.name == "rust":  # `self::f()` in a function
                value = self.look.lexical(self.table, scope, first)
        elif first.startswith("@"):
            value, parts = self._own_class(scope, "object"), ["", first.lstrip("@"), *parts[1:]]
        elif not first and len(parts) > 1:
            return self.look.dotted(self.table, scope, text, self._local)
        else:
            value = self.look.first(self.table, scope, first, self._local)
            if family.implicit_self and not first.endswith("()") and _is_method(value):
                value = self.look.returned(value)
            if value is None and len(parts) > 1:
                value, rest = self.look.full_name(self.table, parts)
                parts = ["", *rest]
        for part in parts[1:]:
            if value is None:
                return None
            value = self._behind(value, part)
        return value

    def _behind(self, value: Value, part: str) -> Value | None:
        if value.kind in ("object", "super") and value.definition is not None and not part.endswith("()"):
            field = self._field(value, part)
            if field is not None:
                return field
        return self.look.member(value, part)

    def _own_class(self, scope: str, kind: str) -> Value | None:
        """Return the object of a method in a scope, or its base."""
        qualname = self.table.class_of(scope)
        if not qualname:
            return None
        owner = self.look.owner(self.table, qualname)
        return owner._replace(kind=kind) if owner is not None else None

    def _field(self, value: Value, name: str) -> Value | None:
        """Return the value of an object's field, as far as this file shows it."""
        definition = value.definition
        if definition is None or not self._fields:
            return None
        for path, owner in self.look.line(value.path, definition):
            if path != self.table.path:
                continue
            bindings = self._fields.get((owner.qualname, name))
            if bindings:
                found = [self._typed(binding) for binding in bindings]
                known = {
                    v.path + ":" + v.definition.qualname: v for v in found if v and v.definition is not None
                }
                if len(known) == 1:
                    return next(iter(known.values())).less_sure(value.sure)
                return FOREIGN if found and all(v and v.kind == "foreign" for v in found) else OPAQUE
        return None

    def _local(self, scope: str, name: str) -> Value | None:
        """Return the value of a local variable, None if the scope binds no such name."""
        definition = self.table.by_qualname.get(scope)
        if definition is not None and definition.kind in CLASSES:
            if not self.table.family.implicit_self:
                return None
            return self._field(Value("object", self.table.path, definition), name)
        bindings = self._variables.get((scope, name))
        if not bindings and self._test and (scope, name) in self._taken:
            given = self.look.returned(self._fixture(scope, name))
            return given.less_sure(LIKELY) if given and given.kind == "object" else None
        if not bindings or (scope, name) in self._open:
            return None
        before = [binding for binding in bindings if binding.line <= self._line]
        if not before and scope == self._scope:
            return OPAQUE  # it was given something else earlier, whose type is not seen
        return self._typed((before or bindings[:1])[-1]) or OPAQUE

    def _typed(self, binding: Binding) -> Value | None:
        """Return the object of a binding; an unknown one is opaque."""
        mark = (binding.scope, binding.name)
        if mark in self._open or len(self._open) > 12:
            return OPAQUE
        self._open.add(mark)
        try:
            value = self.value(binding.type, binding.scope)
        finally:
            self._open.discard(mark)
        return self._made(value)

    def _made(self, value: Value | None) -> Value:
        """Return the object made by a bound value."""
        if value is None:
            return OPAQUE
        if value.kind == "definition" and value.definition is not None:
            if value.definition.kind in CLASSES or value.definition.kind == "test":
                return Value("object", value.path, value.definition, min(value.sure, LIKELY))
            return self.look.returned(value) or OPAQUE
        return value.less_sure(LIKELY) if value.kind == "object" else value

    def _fixture(self, scope: str, name: str) -> Value | None:
        """Return the fixture of pytest with a name: of this file, or of the nearest conftest.py above it."""
        parts = self.table.path.split("/")[:-1]
        above = ["/".join([*parts[:count], CONFTEST]) for count in range(len(parts), -1, -1)]
        for path in (self.table.path, *above):
            table = self.look.table(path)
            found = table.children.get("", {}).get(name) if table is not None else None
            if found is not None and (path != self.table.path or found.qualname != scope):
                return Value("definition", path, found)
        return None

    # Guesses

    def _guess(self, name: str) -> Value | None:
        """Return the only method or function of the project with a name."""
        symbol = self._only(name)
        if symbol is None or symbol.definition.kind not in _GUESSED:
            return None
        parent, other = symbol.definition.parent, self.look.table(symbol.path)
        if not parent or (other is not None and not other.is_class(parent)):
            return None  # a function is not called on an object
        return Value("definition", symbol.path, symbol.definition, GUESS)

    def _guess_bare(self, reference: Reference) -> Value | None:
        """Return the only function with a name that the file does not explain.

        In languages with closed scopes such a name comes from an unknown `import *`, or from nowhere.
        """
        closed = self.table.family.name in ("python", "javascript", "go", "rust")
        symbol = None if closed and "" not in self.table.stars else self._only(reference.name)
        if symbol is None or symbol.definition.parent or symbol.definition.kind not in ("function", "class"):
            return None
        return Value("definition", symbol.path, symbol.definition, GUESS)

    def _only(self, name: str) -> Symbol | None:
        """Return the only definition of a name in this language; None for a common name and for a test's."""
        family = self.table.family
        if is_common(name) or name in family.builtins:
            return None
        found = self.look.symbols.named(name, 2)
        if len(found) != 1 or (is_test_path(found[0].path) and not self._test):
            return None
        other = FAMILIES.get(language_of(found[0].path) or "")
        return found[0] if other is not None and other.name == family.name else None


def _is_method(value: Value | None) -> bool:
    if value is None:
        return False
    return value.kind == "definition" and value.definition is not None and value.definition.kind == "method"


def _target(value: Value | None) -> Value | None:
    """Return a value if it is a definition that can be called or named."""
    if value is None or value.kind != "definition" or value.definition is None:
        return None
    return None if value.definition.kind == "module" else value


def calls(names: FileNames, uses: Uses) -> Iterator[tuple[Reference, Value]]:
    """Yield the calls, constructions, decorators and fixtures of a file that lead to a definition."""
    for reference in uses.references:
        if reference.kind in _VERBS or reference.kind == "fixture":
            target = names.call(reference)
            if target is not None:
                yield reference, target
