"""C and C++: names out of nested declarators, `A::f` outside its class, test macros; includes by path.

`#include "x.h"` is searched beside the file, then under the folders above it and their `include` and `src`,
then as the ending of one file's path (of several, the one that shares most folders). Angle brackets skip the
first step, and without a folder in the name also the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import LIKELY, Import
from remora.graph.languages.naming import (
    MANY,
    Family,
    Places,
    nearest,
    package_key,
    parts_of,
)
from remora.graph.languages.syntax import (
    Captures,
    Draft,
    Rules,
    Source,
    quoted,
    return_type,
    split_chain,
    split_top,
    without_arguments,
)
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from remora.core.code import Symbol

_BUILTIN_TYPES = frozenset(
    """int char short long float double void bool _Bool auto signed unsigned size_t ssize_t ptrdiff_t
    intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t FILE
    va_list off_t time_t std::string std::size_t std::vector std::map std::set std::unordered_map
    std::pair std::function string vector decltype NULL std::make_unique() std::make_shared()""".split()
)

_TEST = frozenset(
    "TEST TEST_F TEST_P TYPED_TEST TYPED_TEST_P BOOST_AUTO_TEST_CASE TEST_CASE SCENARIO".split()
)
_MAX_LEVELS = 12
_NAMES = (
    "identifier",
    "field_identifier",
    "type_identifier",
    "destructor_name",
    "operator_name",
    "qualified_identifier",
)


def _define(source: Source, draft: Draft, captures: Captures) -> None:
    node = draft.node
    if draft.kind == "declared":
        draft.kind, draft.declares = "function", True
        draft.head_end = node.end_byte
    if draft.kind == "macro":
        value = node.child_by_field_name("value")
        draft.kind, draft.head_end = "function", value.start_byte if value is not None else node.end_byte
    elif "declarator" in captures:
        _declared(source, draft, captures["declarator"][0])
    elif draft.kind == "type":
        inner = node.child_by_field_name("type")
        # `typedef struct foo {…} foo;` is one type, `typedef struct {…} foo;` has its name from here.
        if inner is not None and inner.child_by_field_name("body") is not None:
            draft.drop = source.field(inner, "name") == draft.name
            if inner.child_by_field_name("name") is None:
                draft.kind, draft.classlike = "class", inner.type != "enum_specifier"
    elif draft.kind == "module":
        draft.name = draft.name.replace("::", ".")
    elif draft.classlike:
        draft.owner, draft.name = _owned(without_arguments(draft.name))
        _bases(source, draft)


def _declared(source: Source, draft: Draft, declarator: Node) -> None:
    """Name a function by its declarator, and set the owner of `A::B::f` to "A.B"."""
    found: Node | None = declarator
    function: Node | None = None
    for _ in range(_MAX_LEVELS):
        if found is None or found.type in _NAMES:
            break
        if found.type == "function_declarator":
            function = found
        elif found.type == "parenthesized_declarator" and draft.kind != "type":
            found = None
            break
        inner = found.child_by_field_name("declarator")
        if inner is None and found.type in ("reference_declarator", "parenthesized_declarator"):
            inner = found.named_child(0) if found.named_child_count else None
        found = inner
    if found is None or found.type not in _NAMES or (function is None and draft.kind != "type"):
        draft.drop = True
        return
    draft.name_at = found.end_byte - 1
    draft.owner, draft.name = _owned(without_arguments(source.text(found)))
    for part in draft.node.named_children:
        if part.type == "field_initializer_list":
            draft.head_end = part.start_byte
    if function is not None and draft.name in _TEST and not draft.owner and not draft.declares:
        _test(source, draft, function)
    if draft.kind == "function":
        draft.returns = return_type(source.field(draft.node, "type")[:400])


def _owned(name: str) -> tuple[str, str]:
    owner, last = (
        split_chain(name) if "operator" not in name else (name.rpartition("::")[0], name.rpartition("::")[2])
    )
    return owner.strip(":").replace("::", "."), last


def _test(source: Source, draft: Draft, function: Node) -> None:
    parameters = [part.strip() for part in split_top(source.field(function, "parameters")[1:-1], ",")]
    names = [quoted(part) or part for part in parameters[:2] if part]
    if names:
        draft.name = ".".join(names)[:120]
        draft.test = draft.sentence = True


def _bases(source: Source, draft: Draft) -> None:
    for part in draft.node.named_children:
        if part.type == "base_class_clause":
            draft.heritage = (part.start_byte, part.end_byte)
            draft.bases = tuple(
                without_arguments(source.text(base))
                for base in part.named_children
                if base.type in ("type_identifier", "qualified_identifier", "template_type")
            )


def _imports(source: Source, node: Node, _kind: str, _captures: Captures) -> Iterator[Import]:
    written = source.field(node, "path")
    if path := quoted(written):
        kind = "include_system" if written.startswith("<") else "include"
        yield Import(path, (), "", 0, kind, node.start_point[0] + 1)


RULES = Rules(
    members={"field_expression": ("argument", "field")},
    calls={"call_expression": "function"},
    wrappers=frozenset(("parenthesized_expression", "template_type", "template_function", "template_method")),
    written=frozenset(("qualified_identifier", "nested_namespace_specifier")),
    define=_define,
    imports=_imports,
    builtins=_BUILTIN_TYPES,
)


_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".cuh", ".H")
_ENDINGS = (*_HEADERS, ".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".C")


def _included(places: Places, path: str, item: Import) -> str:
    folder = parts_of(path)[0]
    module = item.module
    local = item.kind != "include_system"
    if local and (beside := join(folder, module)) and places.symbols.exists(beside):
        return beside
    if module.startswith("."):
        return ""
    above = folder
    while True:
        for inner in ("", "include", "src"):
            found = "/".join(part for part in (above, inner, module) if part)
            if (local or inner == "include" or "/" in module) and places.symbols.exists(found):
                return found
        if not above:
            break
        above = parts_of(above)[0]
    return nearest(path, places.symbols.ending(module)) if local or "/" in module else ""


def _edges(places: Places, path: str, item: Import) -> Sequence[str]:
    return (_included(places, path, item),)


def _package(places: Places, _key: str, name: str) -> Sequence[Symbol]:
    """Return the namespace of a name or the one definition that the linker would find, () if several."""
    found = [
        symbol
        for symbol in places.symbols.named(name, MANY)
        if symbol.path.endswith(_ENDINGS)
        and symbol.definition.kind != "method"
        and (is_header(symbol.path) or "static " not in symbol.definition.signature)
    ]
    bodies = [symbol for symbol in found if not is_header(symbol.path)]
    spaces = [symbol for symbol in found if symbol.definition.kind == "module"][:1]  # all of one name are one
    return next((some for some in (spaces, bodies, found) if len(some) == 1), ())


def is_header(path: str) -> bool:
    """Return whether a file is a header."""
    return path.endswith(_HEADERS)


def body(places: Places, symbol: Symbol) -> Symbol:
    """Return the definition of a declaration in a header, or the declaration if there is none."""
    if not is_header(symbol.path):
        return symbol
    qualname = symbol.definition.qualname.partition("#")[0]
    found = [
        other
        for other in places.symbols.named(symbol.definition.name, MANY)
        if other.definition.qualname == qualname
        and other.path.endswith(_ENDINGS)
        and not is_header(other.path)
    ]
    picked = nearest(symbol.path, sorted({other.path for other in found}))
    return next((other for other in found if other.path == picked), symbol)


FAMILY = Family(
    name="c",
    entries=lambda _: (),  # a name means its one definition in the project, whatever is included or used
    module=lambda *_: "",
    edges=_edges,
    around=lambda _places, path, _outline: (package_key("c", path),),
    package=_package,
    package_sure=LIKELY,
    implicit_self=True,
    reopened=lambda _path, other: other.endswith(_ENDINGS),
    builtins=_BUILTIN_TYPES | {"std"},
)
