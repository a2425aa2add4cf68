"""C#: merged partial classes, tests by attribute; namespaces, whose files are found by the used types.

A `using` names a namespace, which any number of files declare, so by itself it gives no edge. A used type is
searched in the file's own namespace, in those around it, then in the imported ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.languages.naming import (
    MANY,
    Entry,
    Family,
    Places,
    in_no_package,
    package_key,
    package_name,
    parts_of,
)
from remora.graph.languages.syntax import Captures, Draft, Rules, Source, return_type, without_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from remora.core.code import Outline, Symbol

_BUILTIN_TYPES = frozenset(
    """int long short byte sbyte uint ulong ushort nint nuint char float double decimal bool void string
    object var dynamic String Object Int32 Int64 Boolean Double Task ValueTask List Dictionary HashSet
    IEnumerable IList ICollection IDictionary IReadOnlyList IReadOnlyCollection IReadOnlyDictionary Func
    Action Nullable Exception Guid DateTime TimeSpan CancellationToken Type Lazy Fact Theory Test
    TestMethod Obsolete Serializable readonly ref out in params nameof()""".split()
)

_TEST = re.compile(
    r"[\[,]\s*(?:\w+\.)*(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod|TestCaseSource)\b"
)


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    if draft.classlike:
        for part in node.named_children:
            if part.type == "base_list":
                draft.heritage = (part.start_byte, part.end_byte)
                draft.bases = tuple(
                    without_arguments(source.text(base).partition("(")[0])
                    for base in part.named_children
                    if base.type not in ("comment", "argument_list")
                )
            elif part.type == "modifier" and source.text(part) == "partial":
                draft.reopens = True
    elif draft.kind == "function":
        field = "returns" if node.type == "method_declaration" else "type"
        draft.returns = return_type(source.field(node, field)[:400])
        lists = [source.text(part) for part in node.named_children[:8] if part.type == "attribute_list"]
        draft.test = bool(_TEST.search(" ".join(lists)))
    # A signature without the attributes in front of it.
    for part in node.children:
        if part.type != "attribute_list":
            draft.head_start = part.start_byte
            break


def _imports(source: Source, node: Node, _kind: str, _captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    parts = node.named_children
    alias = node.child_by_field_name("name")
    path = next((part for part in reversed(parts) if alias is None or part.id != alias.id), None)
    if path is None or path.type == "comment":
        return
    static = any(child.type == "static" for child in node.children)
    yield Import(
        without_arguments(source.text(path)),
        (("*", "*"),) if static else (),
        source.text(alias) if alias is not None else "",
        0,
        "using",
        line,
    )


RULES = Rules(
    members={"member_access_expression": ("expression", "name"), "qualified_name": ("qualifier", "name")},
    calls={"invocation_expression": "function", "object_creation_expression": "type"},
    wrappers=frozenset(
        ("parenthesized_expression", "await_expression", "generic_name", "postfix_unary_expression")
    ),
    written=frozenset(("alias_qualified_name",)),
    define=_define,
    imports=_imports,
    body=("body", "accessors"),
    builtins=_BUILTIN_TYPES,
)


def _entries(item: Import) -> Iterator[Entry]:
    for name, local in item.names:
        yield Entry(local, item.module, name, item)
    if not item.names and item.alias:
        before, _, last = item.module.rpartition(".")
        yield Entry(item.alias, before, last, item)
        yield Entry(item.alias, item.module, "", item)  # it may be a namespace
    elif not item.names:
        yield Entry("*", item.module, "*", item)


def _module(places: Places, _path: str, entry: Entry) -> str:
    known = not entry.module or places.symbols.package(entry.module)
    return package_key("csharp", entry.module) if known else ""


def _around(_places: Places, _path: str, outline: Outline) -> Sequence[str]:
    parts = outline.package.split(".") if outline.package else []
    return [package_key("csharp", ".".join(parts[:count])) for count in range(len(parts), -1, -1)]


def _package(places: Places, key: str, name: str) -> Sequence[Symbol]:
    namespace = package_name(key)
    files = frozenset(places.symbols.package(namespace))
    found = [
        symbol
        for symbol in places.symbols.named(name, MANY)
        if symbol.path.endswith(".cs") and _is_in(places, symbol, namespace, files)
    ]
    # Of the parts of a partial class, the file of its name stands for it.
    return [s for s in found if parts_of(s.path)[1] == f"{name}.cs"] or found


def _is_in(places: Places, symbol: Symbol, namespace: str, files: frozenset[str]) -> bool:
    """Return whether a namespace, declared for some files as a whole, holds a definition."""
    if symbol.definition.parent:
        return symbol.definition.parent == namespace
    return symbol.path in files if namespace else in_no_package(places, symbol.path)


FAMILY = Family(
    name="csharp",
    entries=_entries,
    module=_module,
    edges=lambda *_: (),
    package_sign=".",
    around=_around,
    package=_package,
    supers=frozenset(("base",)),
    implicit_self=True,
    reopened=lambda _path, other: other.endswith(".cs"),
    by_use=True,
    builtins=_BUILTIN_TYPES,
)
