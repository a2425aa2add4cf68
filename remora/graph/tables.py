"""One file's definitions and imports, indexed by name, and the parameters in a signature."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import EXACT
from remora.graph.languages import FAMILIES
from remora.graph.languages.syntax import split_top

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remora.core.code import Definition, Outline
    from remora.graph.languages import Entry, Family

CLASSES = frozenset(("class", "interface", "type"))
_MEMBERS = frozenset(("method", "test"))
_WORD = re.compile(r"[^\W\d]\w*")
# Where a parameter's type stands before its name.
_NAME_LAST = frozenset(("java", "c", "cpp", "csharp", "php"))


class Value(NamedTuple):
    """The value of a name.

    Attributes:
        kind: "definition"; "object", an instance of one; "super", an instance as its base class; "module",
            with its key in `path`; "foreign", known to be outside the project; "opaque", a value of the
            project of unknown kind, such as a variable.
        path: the file of the definition, or the module's key.
        definition: the definition, for the first three kinds.
        sure: the confidence.
    """

    kind: str
    path: str = ""
    definition: Definition | None = None
    sure: float = EXACT

    def less_sure(self, sure: float) -> Value:
        """Return the value with its confidence limited to `sure`."""
        return self if self.sure <= sure else self._replace(sure=sure)


FOREIGN = Value("foreign")
OPAQUE = Value("opaque")


class Table:
    """A file's outline by scope and name.

    Attributes:
        path, outline: the file.
        family: of its language.
        by_qualname: its definitions.
        children: the definitions in each scope by name, without those titled by a sentence; "" is the top
            level.
        groups: the scopes that hold methods or tests.
        entries: the imported names in each scope.
        stars: the wildcard imports in each scope.
    """

    def __init__(self, path: str, outline: Outline, family: Family) -> None:
        self.path = path
        self.outline = outline
        self.family = family
        self.by_qualname: dict[str, Definition] = {}
        self.children: dict[str, dict[str, Definition]] = {}
        self.groups: set[str] = set()
        self.entries: dict[str, dict[str, list[Entry]]] = {}
        self.stars: dict[str, list[Entry]] = {}
        self._called: dict[str, list[Definition]] | None = None
        for definition in outline.definitions:
            self.by_qualname[definition.qualname] = definition
            if definition.kind in _MEMBERS:
                self.groups.add(definition.parent)
            if definition.sentence:
                continue
            named = self.children.setdefault(definition.parent, {})
            if family.last_wins or definition.name not in named:
                named[definition.name] = definition
        for item in outline.imports:
            for entry in family.entries(item):
                if entry.local == "*":
                    self.stars.setdefault(item.scope, []).append(entry)
                else:
                    self.entries.setdefault(item.scope, {}).setdefault(entry.local, []).append(entry)

    def called(self, name: str) -> Sequence[Definition]:
        """Return the definitions of a name anywhere in the file, in order, without sentence titles."""
        if self._called is None:
            called: dict[str, list[Definition]] = {}
            for definition in self.outline.definitions:
                if not definition.sentence:
                    called.setdefault(definition.name, []).append(definition)
            self._called = called  # at once: other threads have the same table
        return self._called.get(name, ())

    def around(self, scope: str) -> str:
        """Return the scope around a scope, "" for the top level."""
        definition = self.by_qualname.get(scope)
        return definition.parent if definition else scope.rpartition(".")[0]

    def is_class(self, scope: str) -> bool:
        """Return whether a scope's names are members; a scope without a definition continues a class."""
        definition = self.by_qualname.get(scope)
        if definition is None or definition.kind in CLASSES:
            return True
        return definition.kind == "test" and scope in self.groups

    def hides(self, scope: str) -> bool:
        """Return whether a scope's names are visible only after a dot, or to its own members."""
        definition = self.by_qualname.get(scope)
        if definition is not None and definition.sentence and not self.family.implicit_self:
            return False  # a group of tests is a function like any other
        return self.is_class(scope)

    def class_of(self, scope: str) -> str:
        """Return the innermost class around a scope (or the scope itself), "" if there is none.

        Ruby modules count, because a mixed-in method works on the object like one of its class.
        """
        while scope:
            definition = self.by_qualname.get(scope)
            module = definition is not None and definition.kind == "module"
            if self.family.name == "ruby" if module else self.is_class(scope):
                return scope
            scope = self.around(scope)
        return ""

    def is_parameter(self, scope: str, name: str) -> bool:
        """Return whether a function has a parameter of a name."""
        definition = self.by_qualname.get(scope)
        if definition is None or name not in definition.signature:
            return False
        return name in parameters(definition.signature, definition.name, self.outline.language)


def table_of(path: str, outline: Outline | None) -> Table | None:
    """Return a file's table, None if its language has no names to follow."""
    family = FAMILIES.get(outline.language) if outline else None
    return Table(path, outline, family) if outline and family else None


def split_signature(signature: str, name: str) -> tuple[str, str, str]:
    """Return the text before a function's parameters, the parameters, and the text after them."""
    at = signature.find(name + "(")
    start = at + len(name) if at >= 0 else signature.find("(", max(0, signature.find(name)))
    if start < 0:
        return signature, "", ""
    depth = 0
    for index in range(start, len(signature)):
        letter = signature[index]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if not depth:
                return signature[:start], signature[start + 1 : index], signature[index + 1 :]
    return signature[:start], signature[start + 1 :], ""


@lru_cache(maxsize=20_000)
def parameters(signature: str, name: str, language: str) -> frozenset[str]:
    """Return the names of a function's parameters.

    >>> sorted(parameters("def f(self, a, *rest, b: int = 3) -> X", "f", "python"))
    ['a', 'b', 'rest', 'self']
    >>> sorted(parameters("static int f(const char *name, int n)", "f", "c"))
    ['n', 'name']
    """
    inside = split_signature(signature, name)[1]
    found = set()
    for part in split_top(inside, ","):
        part = part.split("=")[0]
        words = _WORD.findall(part if language in _NAME_LAST else part.split(":")[0])
        if words:
            found.add(words[-1] if language in _NAME_LAST else _first(words, language))
    return frozenset(found)


def _first(words: list[str], language: str) -> str:
    skipped = ("mut", "ref", "public", "private", "protected", "readonly", "override")
    if language in ("javascript", "typescript", "tsx", "rust"):
        return next((word for word in words if word not in skipped), words[0])
    return words[0]
