"""Rust: `impl` blocks under their type's name; `mod` declarations and nested `use` trees.

A path is followed as far as its parts are module files; the rest is looked up in the last of them. The edge
of a `use` goes to that file, the edge of a `mod` to the file of the module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.languages.naming import INSIDE, Entry, Family, Places, parts_of
from remora.graph.languages.syntax import (
    UNKNOWN,
    Captures,
    Draft,
    Rules,
    Source,
    plain_type,
    split_chain,
    without_arguments,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from remora.graph.roots import Crate

_BUILTIN_TYPES = frozenset(
    """i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option
    Result Self Box Arc Rc HashMap HashSet BTreeMap BTreeSet VecDeque Sized Send Sync Copy Clone Debug
    Default Drop Fn FnMut FnOnce derive test cfg allow deny warn inline must_use doc cfg_attr
    non_exhaustive repr serde error from Some() Ok() Err() None""".split()
)

_TEST = re.compile(r"#\[\s*(?:\w+::)*(?:test|bench|rstest|test_case|quickcheck|proptest)\b")
_MAX_PATHS = 2_000
_LINKS = frozenset((".", "::"))


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    if draft.container:
        draft.classlike = True
        path = plain_type(draft.name).rpartition("::")
        draft.name = path[2]
        trait = without_arguments(source.field(node, "trait"))
        draft.bases = (trait,) if trait else ()
        draft.drop = not draft.name
        for field in ("trait", "type"):
            part = node.child_by_field_name(field)
            if part is not None:
                draft.heritage = (draft.heritage[0] or part.start_byte, part.end_byte)
    elif node.type == "macro_definition":
        name = node.child_by_field_name("name")
        draft.head_end = name.end_byte if name is not None else -1
    elif draft.kind == "interface":
        bounds = node.child_by_field_name("bounds")
        if bounds is not None:
            draft.heritage = (bounds.start_byte, bounds.end_byte)
            draft.bases = tuple(
                without_arguments(source.text(part)) for part in bounds.named_children if "type" in part.type
            )


def _settle(draft: Draft, _around: Draft | None) -> None:
    if draft.kind == "function" and _TEST.search(draft.attributes):
        draft.test = True


def _imports(source: Source, node: Node, kind: str, captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    if kind == "mod":
        yield Import(source.field(node, "name"), (), "", 0, "mod", line)
    elif kind == "crate":
        yield Import(source.field(node, "name"), (), source.field(node, "alias"), 0, "use", line)
    else:
        grouped: dict[str, list[tuple[str, str]]] = {}
        for path, local in _paths(source, captures["use"][0]):
            module, name = split_chain(path)
            grouped.setdefault(module, []).append((name, local or name))
        for module, names in grouped.items():
            yield Import(module, tuple(names), "", 0, "use", line)


def _paths(source: Source, tree: Node) -> Iterator[tuple[str, str]]:
    """Return (path, local name) of every leaf of a `use` tree; `a::{self as b}` is (`a`, "b")."""
    waiting: list[tuple[str, Node]] = [("", tree)]
    for _ in range(_MAX_PATHS):
        if not waiting:
            return
        prefix, node = waiting.pop()
        if node.type == "scoped_use_list":
            inner = node.child_by_field_name("list")
            if inner is not None:
                waiting.append((_path(prefix, source.field(node, "path")), inner))
        elif node.type == "use_list":
            waiting.extend((prefix, child) for child in reversed(node.named_children))
        elif node.type == "use_as_clause":
            path, alias = source.field(node, "path"), source.field(node, "alias")
            yield (prefix if path == "self" else _path(prefix, path)), alias
        elif node.type == "use_wildcard":
            path = source.text(node).removesuffix("*").rstrip().removesuffix("::")
            yield _path(_path(prefix, path), "*"), ""
        elif node.type == "self":
            yield prefix or "self", ""
        elif not node.type.endswith("comment"):
            yield _path(prefix, source.text(node)), ""


def _path(prefix: str, rest: str) -> str:
    rest = "".join(rest.split())
    return f"{prefix}::{rest}" if prefix and rest else prefix or rest


def _token_calls(source: Source, captures: Captures) -> Iterator[tuple[Node, str]]:
    """Yield the names directly before round brackets in a macro, which only receives tokens.

    Each comes with its receiver: one name, "?" for anything longer.
    """
    waiting = list(captures["reference.tokens"])
    while waiting:
        tokens = [token for token in waiting.pop().children if not token.type.endswith("comment")]
        for at, token in enumerate(tokens):
            if token.type != "token_tree":
                continue
            waiting.append(token)
            called = tokens[at - 1] if at else token
            if called.type == "identifier" and source.data[token.start_byte : token.start_byte + 1] == b"(":
                yield called, _receiver([source.cut(t.start_byte, t.end_byte) for t in tokens[:at][-4:-1]])


def _receiver(before: list[str]) -> str:
    """Return the name that stands before a called one, given the last three tokens before it."""
    if not before or before[-1] not in _LINKS:
        return ""
    name, longer = before[-2] if len(before) > 1 else "", len(before) > 2 and before[0] in _LINKS
    return name if name.isidentifier() and not longer else UNKNOWN


RULES = Rules(
    members={"field_expression": ("value", "field")},
    calls={"call_expression": "function"},
    wrappers=frozenset(
        ("parenthesized_expression", "await_expression", "try_expression", "generic_function", "generic_type")
    ),
    written=frozenset(("scoped_identifier", "scoped_type_identifier", "generic_type_with_turbofish")),
    define=_define,
    imports=_imports,
    token_calls=_token_calls,
    settle=_settle,
    returns="return_type",
    builtins=_BUILTIN_TYPES,
)


_HOLDERS = frozenset(("mod", "lib", "main", "build"))  # files whose modules lie beside them
_OWN_ROOTS = frozenset(("tests", "examples", "benches", "bin"))  # each file there is a crate


def _entries(item: Import) -> Iterator[Entry]:
    for name, local in item.names:
        if local != "_":
            yield Entry(local, item.module, name, item)
    if not item.names:  # `mod a;` and `extern crate a;`
        yield Entry(item.alias or item.module, item.module, "", item)


def _crate(places: Places, path: str) -> Crate | None:
    for crate in places.roots.crates:
        if not crate.folder or path.startswith(crate.folder + "/"):
            return crate
    return None


def _crate_root(places: Places, path: str) -> str:
    """Return the root file of the crate that a file belongs to."""
    crate = _crate(places, path)
    base = f"{crate.folder}/" if crate and crate.folder else ""
    parts = path[len(base) :].split("/")
    at = 1 if parts[0] == "src" else 0
    if len(parts) > at + 1 and parts[at] in _OWN_ROOTS:
        inner = f"{base}{'/'.join(parts[: at + 2])}"
        return path if len(parts) == at + 2 else f"{inner}/main.rs"
    candidates = [crate.lib if crate else "", f"{base}src/lib.rs", f"{base}src/main.rs", f"{base}build.rs"]
    if parts[-1] in ("main.rs", "lib.rs", "build.rs"):
        candidates.insert(0, path)
    return next((found for found in candidates if found and places.symbols.exists(found)), "")


def _holder(places: Places, path: str) -> str:
    """Return the folder with the modules of a file."""
    folder, name = parts_of(path)
    stem = name.removesuffix(".rs")
    if stem in _HOLDERS or path == _crate_root(places, path):
        return folder
    return f"{folder}/{stem}" if folder else stem


def _below(folder: str, *names: str) -> str:
    return "/".join(part for part in (folder, *names) if part)


def _child(places: Places, path: str, name: str) -> str:
    """Return the file of a submodule of a file, "" if there is none."""
    base = _below(_holder(places, path), name)
    return next(filter(places.symbols.exists, (f"{base}.rs", f"{base}/mod.rs")), "")


def _parent(places: Places, path: str) -> str:
    """Return the file of the parent module of a file, "" if there is none."""
    folder, name = parts_of(path)
    if name == "mod.rs":
        folder = parts_of(folder)[0]
    root = _crate_root(places, path)
    own_root = root if parts_of(root)[0] == folder else ""
    candidates = (_below(folder, "mod.rs"), f"{folder}.rs", own_root)
    return next((found for found in candidates if found != path and places.symbols.exists(found)), "")


def _modules(places: Places, path: str) -> set[str]:
    """Return the modules that are written inside a file."""
    outline = places.symbols.outline(path)
    return {d.qualname for d in outline.definitions if d.kind == "module"} if outline else set()


def _start(places: Places, path: str, parts: list[str], scope: str) -> tuple[str, list[str]]:
    """Return the file at which a path begins, and the rest of the path."""
    first = parts[0]
    if first == "crate":
        return _crate_root(places, path), parts[1:]
    if first not in ("self", "super"):
        if _child(places, path, first) or first in _modules(places, path):
            return path, parts
        crates = (crate.lib for crate in places.roots.crates if crate.name == first)
        return next(filter(places.symbols.exists, crates), ""), parts[1:]
    at, inside = path, scope.split(".") if scope else []
    while inside and ".".join(inside) not in _modules(places, path):
        inside.pop()  # a function
    while at and parts and parts[0] in ("self", "super"):
        if parts[0] == "super" and inside:
            inside.pop()
        elif parts[0] == "super":
            at = _parent(places, at)
        parts = parts[1:]
    return at, [*inside, *parts]


def _walk(places: Places, path: str, module: str, scope: str) -> tuple[str, list[str]]:
    """Return the deepest file on a path, and the parts inside it."""
    parts = [part for part in module.split("::") if part]
    if not parts:
        return "", []
    at, parts = _start(places, path, parts, scope)
    while at and parts and (found := _child(places, at, parts[0])):
        at, parts = found, parts[1:]
    return at, parts


def _module(places: Places, path: str, entry: Entry) -> str:
    if entry.item.kind == "mod":
        return _child(places, path, entry.module)
    at, rest = _walk(places, path, entry.module, entry.item.scope)
    return INSIDE.join((at, *rest)) if at else ""


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    if item.kind == "mod":
        yield _child(places, path, item.module)
        return
    for entry in _entries(item):
        full = f"{entry.module}::{entry.name}" if entry.name not in ("", "*") else entry.module
        yield _walk(places, path, full, item.scope)[0]


FAMILY = Family(
    name="rust",
    entries=_entries,
    module=_module,
    edges=_edges,
    submodule=_child,
    selfs=frozenset(("self", "Self")),
    supers=frozenset(),
    reopened=lambda path, other: other.endswith(".rs") and path.split("/")[0] == other.split("/")[0],
    builtins=_BUILTIN_TYPES,
)
