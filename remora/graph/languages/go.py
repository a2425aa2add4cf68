"""Go: methods by receiver type, embedded types as bases; an import names a folder.

A package is all files of a folder. Linking to each of them would make every file depend on every other, so
the statement itself gives an edge only if it names nothing (`import _`): then to the first file. Of others
the files whose names are used count, and so do those of the importing file's own package.
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
    package_key,
    package_name,
    parts_of,
    top_level,
)
from remora.graph.languages.syntax import (
    Captures,
    Draft,
    Rules,
    Source,
    plain_type,
    quoted,
    return_type,
    split_top,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from remora.core.code import Outline, Symbol

_BUILTIN_TYPES = frozenset(
    """bool string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32
    float64 complex64 complex128 error any comparable new() make() len() cap() append() copy()
    string()""".split()
)

_TEST = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])")


def _define(source: Source, draft: Draft, captures: Captures) -> None:
    node = draft.node
    if "target" in captures:
        owner = plain_type(source.text(captures["target"][0]))
        draft.owner = owner.rpartition(".")[2]
        draft.classlike = False
    if draft.kind == "function":
        draft.returns = _result(source.field(node, "result"))
        if node.type == "function_declaration" and _TEST.match(draft.name):
            draft.test = draft.name.startswith("Example") or "testing." in source.field(node, "parameters")
        return
    shape = node.child_by_field_name("type")
    if shape is not None and draft.classlike:
        draft.bases = tuple(_embedded(source, shape))
        brace = source.data.find(b"{", shape.start_byte, shape.end_byte)
        draft.head_end = brace if brace >= 0 else shape.end_byte


def _result(text: str) -> str:
    """Return the type of the first result: `(x *Foo, err error)` gives "Foo"."""
    if text.startswith("("):
        text = split_top(text[1:-1], ",")[0].strip().rpartition(" ")[2]
    return return_type(text)


def _embedded(source: Source, shape: Node) -> Iterator[str]:
    parts = shape.named_children
    for part in parts[0].named_children if parts and shape.type == "struct_type" else parts:
        if part.type == "field_declaration" and part.child_by_field_name("name") is None:
            name = plain_type(source.field(part, "type"))
        elif part.type == "type_elem":
            name = plain_type(source.text(part))
        else:
            continue
        if name and name not in _BUILTIN_TYPES:
            yield name


def _imports(source: Source, node: Node, _kind: str, _captures: Captures) -> Iterator[Import]:
    path = quoted(source.field(node, "path"))
    name = source.field(node, "name")
    if path:
        names = (("*", "*"),) if name == "." else ()
        yield Import(path, names, "" if name == "." else name, 0, "import", node.start_point[0] + 1)


RULES = Rules(
    members={"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")},
    calls={"call_expression": "function"},
    wrappers=frozenset(("parenthesized_expression", "generic_type", "type_instantiation_expression")),
    define=_define,
    imports=_imports,
    heads=frozenset(("type_declaration",)),
    builtins=_BUILTIN_TYPES,
)


_VERSION = re.compile(r"v\d+")


def local_name(module: str) -> str:
    """Return the default local name of a package.

    >>> local_name("a.com/m/v2"), local_name("gopkg.in/yaml.v3"), local_name("a.com/go-cmp")
    ('m', 'yaml', 'cmp')
    """
    parts = [part for part in module.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = parts[-1] if parts else ""
    return last.partition(".")[0].removeprefix("go-").removesuffix("-go").replace("-", "_")


def _entries(item: Import) -> Iterator[Entry]:
    if item.names:  # `import . "a/b"`
        yield Entry("*", item.module, "*", item)
    elif item.alias != "_":
        yield Entry(item.alias or local_name(item.module), item.module, "", item)


def _folder(places: Places, module: str) -> str | None:
    for root in places.roots.go:
        if module == root.name:
            return root.folder
        if module.startswith(root.name + "/"):
            rest = module[len(root.name) + 1 :]
            return f"{root.folder}/{rest}" if root.folder else rest
    return None


def _sources(places: Places, folder: str) -> list[str]:
    """Return the Go files of a folder, without tests."""
    found = places.symbols.in_folder(folder)
    return [path for path in found if path.endswith(".go") and not path.endswith("_test.go")]


def _module(places: Places, _path: str, entry: Entry) -> str:
    folder = _folder(places, entry.module)
    if folder is None or not _sources(places, folder):
        return ""
    return package_key("go", folder)


def _edges(places: Places, _path: str, item: Import) -> Sequence[str]:
    """Return the first file of a package without usable names: `import _`."""
    if item.alias != "_":
        return ()
    folder = _folder(places, item.module)
    return _sources(places, folder)[:1] if folder is not None else ()


def _around(_places: Places, path: str, _outline: Outline) -> Sequence[str]:
    folder, name = parts_of(path)
    return (package_key("gotest" if name.endswith("_test.go") else "go", folder),)


def _package(places: Places, key: str, name: str) -> Sequence[Symbol]:
    folder, tests = package_name(key), key.startswith("pkg:gotest:")
    found = top_level(places.symbols.named(name, MANY))
    return [
        symbol
        for symbol in found
        if parts_of(symbol.path)[0] == folder
        and symbol.path.endswith(".go")
        and (tests or not symbol.path.endswith("_test.go"))
    ]


FAMILY = Family(
    name="go",
    entries=_entries,
    module=_module,
    edges=_edges,
    around=_around,
    package=_package,
    selfs=frozenset(),
    supers=frozenset(),
    reopened=lambda path, other: other.endswith(".go") and parts_of(path)[0] == parts_of(other)[0],
    by_use=True,
    builtins=_BUILTIN_TYPES,
)
