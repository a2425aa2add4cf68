"""Go: the types that implement interfaces, though neither names the other.

A type implements an interface if it has each of its methods, with the same parameters and results. The type's
methods may be in any file of its package, or come from embedded types, and so may those of an interface. A
method that is not exported counts in its own package alone. Types are compared by their names without their
packages (aliases are not followed), generic ones by the number of parameters and results. An interface that
embeds one outside the project (and not well known) has unknown methods: implementing it is a guess. A type
that embeds an unknown type may have further methods; it implements the interfaces covered by its known
methods.

A type and the interfaces that it implements do not name each other. When an interface changes, each type with
one of its methods is checked again; when a method is added or removed, its type and the types that embed it
are. Both links use names that no code can have (see `graph.names`): `of_method` is used by the files that
define a method of that name, `of_type` by those that define or embed a type of that name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import GUESS, LIKELY
from remora.graph.languages.go import LISTS_TYPES
from remora.graph.languages.syntax import split_top
from remora.graph.tables import CLASSES, split_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from remora.core.code import Definition, Outline
    from remora.graph.lookup import Look

Methods = dict[str, "Method"]

_LANGUAGE = "go"
_WORD = re.compile(r"[^\W\d]\w*")
_READ, _WRITE = "Read(p []byte) (n int, err error)", "Write(p []byte) (n int, err error)"
_CLOSE, _SEEK = "Close() error", "Seek(offset int64, whence int) (int64, error)"
# What interfaces of the standard library ask for, where others embed them.
KNOWN = {
    "error": ("Error() string",),
    "fmt.Stringer": ("String() string",),
    "http.Handler": ("ServeHTTP(ResponseWriter, *Request)",),
    "io.Closer": (_CLOSE,),
    "io.ReadCloser": (_READ, _CLOSE),
    "io.Reader": (_READ,),
    "io.ReadSeeker": (_READ, _SEEK),
    "io.ReadWriteCloser": (_READ, _WRITE, _CLOSE),
    "io.ReadWriter": (_READ, _WRITE),
    "io.Seeker": (_SEEK,),
    "io.WriteCloser": (_WRITE, _CLOSE),
    "io.Writer": (_WRITE,),
    "sort.Interface": ("Len() int", "Less(i, j int) bool", "Swap(i, j int)"),
}

_QUALIFIER = re.compile(r"\b\w+\.(?=\w)")
_SPACE = re.compile(r"\s+")
_NAMED = re.compile(r"^(?!(?:chan|func|map|struct|interface)\b)[^\W\d]\w*\s+(?=\S)")
_ARROW = "\N{LEFTWARDS ARROW}"  # in place of "<-", which is no bracket


class Shape(NamedTuple):
    """The types of a method's parameters and results, in order, written without their packages."""

    parameters: tuple[str, ...]
    results: tuple[str, ...]


class Method(NamedTuple):
    """A method of a type or an interface: its shape, None if it is incomplete, and its package."""

    shape: Shape | None
    package: str


class _Asked(NamedTuple):
    """The methods of an interface, and whether they are complete."""

    methods: Methods
    whole: bool


class Interfaces:
    """The interfaces of one project's Go code, valid until its symbols change."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._packages: dict[tuple[str, bool], dict[str, Methods]] = {}
        self._promises: dict[str, list[tuple[str, Definition]]] = {}
        self._asked: dict[tuple[str, str], _Asked | None] = {}

    def of(self, path: str, definition: Definition) -> Iterator[tuple[str, Definition, float]]:
        """Yield (path, interface, confidence) of the interfaces that a top-level type implements."""
        if definition.parent or definition.kind not in CLASSES or definition.kind == "interface":
            return
        own = self._methods(path, definition)
        for (where, _), interface in sorted(self._candidates(own).items()):
            asked = self._asks(where, interface)
            if asked is None or not asked.methods:
                continue
            loose = _is_generic(definition) or _is_generic(interface)
            if all(_same(own.get(name), method, name, loose) for name, method in asked.methods.items()):
                yield where, interface, LIKELY if asked.whole else GUESS

    def _methods(self, path: str, definition: Definition) -> Methods:
        """Return the methods of a type, including those of embedded types; the nearest of a name counts."""
        found: Methods = {}
        for where, one in self._look.line(path, definition).classes:
            for name, method in self._in_package(self._package(where)).get(one.name, {}).items():
                found.setdefault(name, method)
        return found

    def _package(self, path: str) -> tuple[str, bool]:
        """Return the package of a file: its folder, and whether it is an external test package."""
        outline = self._look.symbols.outline(path)
        return path.rpartition("/")[0], outline is not None and outline.package.endswith("_test")

    def _in_package(self, package: tuple[str, bool]) -> dict[str, Methods]:
        """Return the methods of the types of a package."""
        if package not in self._packages:
            found: dict[str, Methods] = {}
            symbols = self._look.symbols
            for path in symbols.in_folder(package[0]):
                if not path.endswith(".go") or self._package(path) != package:
                    continue
                outline = symbols.outline(path)
                for one in outline.definitions if outline else ():
                    if one.kind == "method":
                        method = Method(shape(one.signature, one.name), package[0])
                        found.setdefault(one.parent, {}).setdefault(one.name, method)
            self._packages[package] = found
        return self._packages[package]

    def _candidates(self, own: Methods) -> dict[tuple[str, str], Definition]:
        """Return by (path, qualname) the interfaces that declare one of some methods, or embed such."""
        found: dict[tuple[str, str], Definition] = {}
        known = [
            text for text, heads in KNOWN.items() if all(head.partition("(")[0] in own for head in heads)
        ]
        new = [one for name in own for one in self._promising(name)]
        new += [one for text in known for one in self._embedding(last(text))]
        while new:
            path, interface = new.pop()
            if (path, interface.qualname) not in found:
                found[path, interface.qualname] = interface
                new += self._embedding(interface.name)
        return found

    def _promising(self, name: str) -> list[tuple[str, Definition]]:
        """Return the interfaces, with their files, that declare a method of a name themselves."""
        if name not in self._promises:
            found = (one for one in self._look.symbols.promised(name) if one.path.endswith(".go"))
            holders = ((one.path, self._holder(one.path, one.definition.parent)) for one in found)
            self._promises[name] = [(path, holder) for path, holder in holders if holder]
        return self._promises[name]

    def _embedding(self, name: str) -> list[tuple[str, Definition]]:
        return [(one.path, one.definition) for one in self._look.symbols.embedding(name)]

    def _holder(self, path: str, qualname: str) -> Definition | None:
        table = self._look.table(path)
        return table.by_qualname.get(qualname) if table else None

    def _asks(self, path: str, interface: Definition) -> _Asked | None:
        """Return the methods of an interface, None if it lists types and not only methods."""
        key = (path, interface.qualname)
        if key not in self._asked:
            self._asked[key] = self._ask(path, interface)
        return self._asked[key]

    def _ask(self, path: str, interface: Definition) -> _Asked | None:
        line = self._look.line(path, interface)
        unseen = set(self._unseen(line.classes))
        if LISTS_TYPES in unseen or any(one.kind != "interface" for _, one in line.classes):
            return None
        methods = self._methods(path, interface)
        for text in unseen & KNOWN.keys():
            known = ((head.partition("(")[0], head) for head in KNOWN[text])
            methods |= {name: Method(shape(head, name), "") for name, head in known}
        return _Asked(methods, unseen <= KNOWN.keys())

    def _unseen(self, classes: Iterable[tuple[str, Definition]]) -> Iterator[str]:
        """Yield the embedded types, as written, that are outside the project."""
        for path, one in classes:
            table = self._look.table(path)
            for text in one.bases:
                base = self._look.base(table, one, text) if table else None
                if base is None or base.definition is None:
                    yield text


@lru_cache(20_000)
def shape(signature: str, name: str) -> Shape | None:
    """Return the types of a method's parameters and results, None if the signature was truncated.

    >>> shape("func (s *Store) Get(id, kind string, n ...int) (*api.Order, error)", "Get")
    Shape(parameters=('string', 'string', '...int'), results=('*Order', 'error'))
    >>> shape("Each(func(o Order) error, <-chan int)", "Each")
    Shape(parameters=('func(Order) error', '\N{LEFTWARDS ARROW}chan int'), results=())
    """
    text = signature.replace("<-", _ARROW)
    _, inside, after = split_signature(text, name)
    if not inside and f"{name}()" not in text:
        return None
    after = after.strip()
    if text.count("(") != text.count(")") or (after.startswith("(") and not after.endswith(")")):
        return None
    return Shape(_types(inside), _types(_results(after)))


def _types(text: str) -> tuple[str, ...]:
    """Return the types of a list of parameters or results, each with or without a name."""
    parts = [_SPACE.sub(" ", part).strip() for part in split_top(text, ",")]
    parts = [part for part in parts if part]
    without = [_NAMED.sub("", part, count=1) for part in parts]
    if without == parts:
        return tuple(map(_plain, parts))
    found: list[str] = []
    for part, rest in zip(reversed(parts), reversed(without), strict=True):
        # `a, b string`: what has no type has that of the next
        found.append(_plain(rest) if rest != part or not found else found[-1])
    return tuple(reversed(found))


def _results(text: str) -> str:
    """Return the results of a function after its parameters, without their parentheses."""
    text = text.strip()
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _plain(text: str) -> str:
    """Return a type without packages, and without the parameter names in a function type."""
    if text.startswith("func("):
        _, inside, after = split_signature(text, "func")
        results = ", ".join(_types(_results(after)))
        return f"func({', '.join(_types(inside))}) {results}".strip()
    return _QUALIFIER.sub("", text).replace("interface{}", "any")


def _same(own: Method | None, asked: Method, name: str, loose: bool) -> bool:
    """Return whether a type's method matches that of an interface."""
    if own is None or (not name[:1].isupper() and own.package != asked.package):
        return False
    if own.shape is None or asked.shape is None:
        return True
    if loose:
        return [len(part) for part in own.shape] == [len(part) for part in asked.shape]
    return own.shape == asked.shape


def _is_generic(definition: Definition) -> bool:
    return f"{definition.name}[" in definition.signature


# Names for links between files that no code writes


def of_method(name: str) -> str:
    """Return the name that represents the interface methods of a name."""
    return f"func {name}"


def of_type(name: str) -> str:
    """Return the name that represents the methods of the types of a name."""
    return f"type {name}"


def embedded(outline: Outline, definition: Definition) -> Iterator[str]:
    """Yield the names, without their packages, of the types that a definition embeds."""
    if outline.language == _LANGUAGE:
        for text in definition.bases:
            yield last(text)


def last(text: str) -> str:
    """Return the name of a written type, without its package.

    >>> last("*store.Disk"), last("Disk")
    ('Disk', 'Disk')
    """
    words: list[str] = _WORD.findall(text)
    return words[-1] if words else ""


def used(outline: Outline) -> Iterator[str]:
    """Yield the names of both kinds through which a change elsewhere affects a file."""
    if outline.language != _LANGUAGE:
        return
    for one in outline.definitions:
        if one.kind == "method":
            yield of_method(one.name)
        elif one.kind in CLASSES and not one.parent:
            yield of_type(one.name)
            yield from map(of_type, embedded(outline, one))


def is_one(name: str) -> bool:
    """Return whether a name is of one of these kinds, and not from code."""
    return name.startswith(("func ", "type "))


def changed(before: Outline | None, after: Outline | None) -> Iterator[str]:
    """Yield the names of both kinds that a change of a file touches."""
    old, new = _shapes(before), _shapes(after)
    names = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    if before is not None and after is not None and before.imports != after.imports:
        names |= {one.name for one in after.definitions if one.bases}  # they may mean others now
    promises = [_promises(outline) for outline in (before, after)]
    for name in names if old or new else ():
        yield of_type(name)
        for each in promises:
            yield from each.get(name, ())


def passed(touched: AbstractSet[str], outline: Outline) -> Iterator[str]:
    """Yield the names of both kinds that follow from touched ones.

    These are the types that a touched method belongs to or that embed a touched type, and the methods of the
    touched interfaces.
    """
    if outline.language != _LANGUAGE or not any(map(is_one, touched)):
        return
    promises = _promises(outline)
    for one in outline.definitions:
        if one.kind == "method":
            if one.parent not in promises and of_method(one.name) in touched:
                yield of_type(one.parent)
        elif one.kind in CLASSES and not one.parent:
            around = (one.name, *embedded(outline, one))
            if any(of_type(name) in touched for name in around):
                yield of_type(one.name)
                yield from promises.get(one.name, ())


def _shapes(outline: Outline | None) -> dict[str, set[tuple[object, ...]]]:
    """Return by the name of each top-level type its description and its methods."""
    found: dict[str, set[tuple[object, ...]]] = {}
    if outline is not None and outline.language == _LANGUAGE:
        for one in outline.definitions:
            if one.kind == "method":
                found.setdefault(one.parent, set()).add((one.name, one.signature))
            elif one.kind in CLASSES and not one.parent:
                found.setdefault(one.name, set()).add((one.kind, one.bases, one.signature))
    return found


def _promises(outline: Outline | None) -> dict[str, list[str]]:
    """Return by interface the names of its methods and embedded types."""
    found: dict[str, list[str]] = {}
    for one in outline.definitions if outline is not None and outline.language == _LANGUAGE else ():
        if one.kind == "interface" and not one.parent:
            names = found.setdefault(one.qualname, [])
            names += map(of_type, embedded(outline, one)) if outline else ()
            heads = (head for text in one.bases for head in KNOWN.get(text, ()))
            names += (of_method(head.partition("(")[0]) for head in heads)
        elif one.kind == "method" and one.parent in found:
            found[one.parent].append(of_method(one.name))
    return found
