"""PHP: traits as bases, tests by name, attribute or doc comment; names by namespace.

An import edge goes to the file that declares the class in a `use`. Classes of the same namespace give an edge
by use.
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
    nearest,
    package_key,
    package_name,
    parts_of,
    top_level,
)
from remora.graph.languages.syntax import Captures, Draft, Rules, Source, quoted, without_arguments
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from remora.core.code import Outline, Symbol

_BUILTIN_TYPES = frozenset(
    """int float string bool array object mixed void null never iterable callable self static parent
    false true resource Closure Test Override Deprecated""".split()
)

_TEST_ATTRIBUTE = re.compile(r"\bTest\b")
_TEST_COMMENT = re.compile(r"@test\b")


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    attributes = node.child_by_field_name("attributes")
    if attributes is not None:
        draft.attributes = source.text(attributes)[:2_000]
        draft.head_start = source.after_blanks(attributes.end_byte)
    if draft.classlike:
        draft.bases = tuple(_bases(source, draft))


def _bases(source: Source, draft: Draft) -> Iterator[str]:
    for part in draft.node.named_children:
        if part.type in ("base_clause", "class_interface_clause"):
            draft.heritage = (draft.heritage[0] or part.start_byte, part.end_byte)
            yield from _names(source, part)
    body = draft.node.child_by_field_name("body")
    for part in body.named_children if body is not None else ():
        if part.type == "use_declaration":
            yield from _names(source, part)


def _names(source: Source, node: Node) -> Iterator[str]:
    return (
        without_arguments(source.text(n)) for n in node.named_children if n.type in ("name", "qualified_name")
    )


def _settle(draft: Draft, around: Draft | None) -> None:
    if draft.kind == "function" and around is not None and around.classlike:
        draft.test = bool(
            re.match(r"test(?![a-z])", draft.name)
            or _TEST_ATTRIBUTE.search(draft.attributes)
            or _TEST_COMMENT.search(draft.doc)
        )


def _imports(source: Source, node: Node, kind: str, captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    if kind != "use":
        path = _required(source.text(captures["path"][0])[:1_000])
        if path:
            yield Import(path, (), "", 0, kind, line)
        return
    prefix = ""
    clauses: list[tuple[str, Node]] = []
    for part in node.named_children:
        if part.type == "namespace_name":
            prefix = source.text(part)
        elif part.type == "namespace_use_clause":
            clauses.append(("", part))
        elif part.type == "namespace_use_group":
            clauses.extend((prefix, clause) for clause in part.named_children)
    for before, clause in clauses:
        name = next((c for c in clause.named_children if c.type in ("name", "qualified_name")), None)
        if name is not None:
            path = "\\".join(part for part in (before, source.text(name)) if part)
            yield Import(path.lstrip("\\"), (), source.field(clause, "alias"), 0, "use", line)


_HERE = re.compile(r"\(?\s*+(?:__DIR__|dirname\(__FILE__\))\s*+\.(.+)", re.DOTALL)


def _required(written: str) -> str:
    """Return the path of a `require`: `__DIR__ . '/a.php'` is "./a.php"; a computed one is ""."""
    match = _HERE.fullmatch(written)
    if match:
        path = quoted(match[1].strip().removesuffix(")").strip())
        return f"./{path.lstrip('/')}" if path else ""
    path = quoted(written.strip().removeprefix("(").removesuffix(")"))
    return "" if "$" in path or "'" in path or '"' in path else path


RULES = Rules(
    members={
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
        "member_call_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
        "scoped_property_access_expression": ("scope", "name"),
    },
    calls={
        "function_call_expression": "function",
        "member_call_expression": "arguments",
        "nullsafe_member_call_expression": "arguments",
        "scoped_call_expression": "arguments",
    },
    wrappers=frozenset(("parenthesized_expression",)),
    written=frozenset(("qualified_name", "namespace_name", "relative_scope", "variable_name")),
    define=_define,
    imports=_imports,
    settle=_settle,
    returns="return_type",
    builtins=_BUILTIN_TYPES,
)


_PATHS = frozenset(("include", "require", "include_once", "require_once"))


def _entries(item: Import) -> Iterator[Entry]:
    if item.kind in _PATHS:
        yield Entry("*", item.module, "*", item)
    else:
        before, _, last = item.module.rpartition("\\")
        yield Entry(item.alias or last, before, last, item)


def _path(places: Places, path: str, module: str) -> str:
    written = module.lstrip("/")
    beside = join(parts_of(path)[0], written)
    for found in (beside, written):
        if found and places.symbols.exists(found):
            return found
    return nearest(path, places.symbols.ending(written)) if not written.startswith(".") else ""


def _module(places: Places, path: str, entry: Entry) -> str:
    if entry.item.kind in _PATHS:
        return _path(places, path, entry.module)
    return package_key("php", entry.module)


def _package(places: Places, key: str, name: str) -> Sequence[Symbol]:
    namespace = package_name(key)
    found = [s for s in top_level(places.symbols.named(name, MANY)) if s.path.endswith((".php", ".inc"))]
    files = frozenset(places.symbols.package(namespace)) if namespace else frozenset()
    return [s for s in found if (s.path in files if namespace else in_no_package(places, s.path))]


def _around(_places: Places, _path: str, outline: Outline) -> Sequence[str]:
    own = package_key("php", outline.package)
    return (own, package_key("php", "")) if outline.package else (own,)


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    if item.kind in _PATHS:
        yield _path(places, path, item.module)
        return
    for entry in _entries(item):
        symbols = _package(places, package_key("php", entry.module), entry.name)
        yield nearest(path, [s.path for s in symbols])


FAMILY = Family(
    name="php",
    entries=_entries,
    module=_module,
    edges=_edges,
    package_sign="\\",
    around=_around,
    package=_package,
    selfs=frozenset(("$this", "self", "static", "this")),
    supers=frozenset(("parent",)),
    by_use=True,
    builtins=_BUILTIN_TYPES,
)
