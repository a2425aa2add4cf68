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
    joined,
    plain_type,
    split_chain,
    without_arguments,
)
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from remora.graph.roots import Crate

_BUILTIN_TYPES = frozenset(
    """i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option
    Result Self Box Arc Rc HashMap HashSet BTreeMap BTreeSet VecDeque Sized Send Sync Copy Clone Debug
    Default Drop Fn FnMut FnOnce derive test cfg allow deny warn inline must_use doc cfg_attr
    non_exhaustive repr serde error from Some() Ok() Err() None""".split()
)

_TEST = re.compile(r"#\[\s*(?:\w+::)*(?:test|bench|rstest|test_case|quickcheck|proptest)\b")
_PATH = re.compile(r'#\[\s*path\s*=\s*"([^"\\]+)"\s*\]')
_MAX_PATHS = 2_000
_QUOTING = frozenset("quote quote_spanned parse_quote parse_quote_spanned stringify".split())
# Keywords that the grammar parses as names among a macro's tokens, and words before a name that is defined or
# is part of a pattern.
_NO_CALLS = frozenset("as async crate dyn else extern impl in move mut pub ref unsafe where yield".split())
_NAMES_NEXT = frozenset("fn struct enum union trait mod let for macro_rules $".split())
_WORD = re.compile(r"\w+")
_LINKS = frozenset((".", "::"))
_MAX_LINKS = 24


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
        name, path = source.field(node, "name"), _written_path(source, node)
        yield Import(path or name, (), name if path else "", 0, "mod", line)
    elif kind == "crate":
        yield Import(source.field(node, "name"), (), source.field(node, "alias"), 0, "use", line)
    else:
        grouped: dict[str, list[tuple[str, str]]] = {}
        for path, local in _paths(source, captures["use"][0]):
            module, name = split_chain(path)
            grouped.setdefault(module, []).append((name, local or name))
        for module, names in grouped.items():
            yield Import(module, tuple(names), "", 0, "use", line)


def _written_path(source: Source, node: Node) -> str:
    """Return the file in a `#[path = "…"]` above a declaration, "" if there is none."""
    if b"path" not in source.data[max(node.start_byte - 500, 0) : node.start_byte]:
        return ""  # siblings are slow to walk in a long file
    above = node.prev_named_sibling
    while above is not None and (above.type == "attribute_item" or above.type.endswith("comment")):
        if found := _PATH.match(source.text(above)):
            return found[1]
        above = above.prev_named_sibling
    return ""


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
    """Yield the called names among the arguments of a macro, each with its receiver.

    A macro receives tokens, of which only the brackets are paired: a name directly before round ones is a
    call.
    """
    if split_chain(source.text(captures["macro"][0]))[1] in _QUOTING:
        return
    waiting = list(captures["reference.tokens"])
    while waiting:
        tokens = [token for token in waiting.pop().children if not token.type.endswith("comment")]
        # Of a token in brackets only the first character.
        words = [
            source.cut(token.start_byte, token.start_byte + 1 if token.child_count else token.end_byte)
            for token in tokens
        ]
        for at, token in enumerate(tokens):
            if token.type != "token_tree" or _is_quoted(words, at):
                continue
            waiting.append(token)
            name = at - 1
            if words[at] == "(" and name >= 0 and tokens[name].type == "identifier":
                pattern = words[at + 1 : at + 2] in (["=>"], ["="])
                if not (pattern or words[name] in _NO_CALLS or (name and words[name - 1] in _NAMES_NEXT)):
                    yield tokens[name], _receiver(words, name)


def _is_quoted(words: list[str], at: int) -> bool:
    """Return whether brackets hold an attribute, or tokens that a macro only outputs."""
    first, second, last = ["", "", "", *words[max(at - 3, 0) : at]][-3:]
    if last == "!":
        return second == "#" or second in _QUOTING
    return last == "#" or (first, second) == ("macro_rules", "!")


def _receiver(words: list[str], at: int) -> str:
    """Return the chain of names before a name, "?" if it is not one.

    `?` and `.await` are ignored.
    """
    parts: list[str] = []
    for _ in range(_MAX_LINKS):
        if at < 1 or words[at - 1] not in _LINKS:
            return joined(parts[1:]) if parts else ""
        parts.append(words[at - 1])
        at -= 2
        while at > 1 and (words[at] == "?" or (words[at] == "await" and words[at - 1] == ".")):
            at -= 1 if words[at] == "?" else 2
        called = at > 0 and words[at] == "("
        at -= called
        if at < 0 or not _WORD.fullmatch(words[at]):
            return UNKNOWN
        parts.append(words[at] + "()" * called)
    return UNKNOWN


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


def _child(places: Places, path: str, names: Sequence[str]) -> str:
    """Return the file of a submodule of a file; names before the last are inline modules."""
    base = _below(_holder(places, path), *names)
    for found in (f"{base}.rs", f"{base}/mod.rs"):
        if places.symbols.exists(found):
            return found
    outline, scope = places.symbols.outline(path), ".".join(names[:-1])
    declared = (
        _declared(places, path, item)
        for item in (outline.imports if outline else ())
        if item.kind == "mod" and (item.alias, item.scope) == (names[-1], scope)
    )
    return next(filter(None, declared), "")


def _declared(places: Places, path: str, item: Import) -> str:
    """Return the file of a `mod` declaration; one with an alias is the file itself."""
    around = _modules_around(places, path, item.scope)
    here = around[-1].split(".") if around else []
    if not item.alias:
        return _child(places, path, [*here, item.module])
    found = join(_below(_holder(places, path), *here) if here else parts_of(path)[0], item.module)
    return found if found and places.symbols.exists(found) else ""


def _parent(places: Places, path: str) -> tuple[str, list[str]]:
    """Return the file of the parent module of a file, and the inline modules around it."""
    folder, name = parts_of(path)
    if name == "mod.rs":
        folder = parts_of(folder)[0]
    root, inner = _crate_root(places, path), list[str]()
    while True:
        above, last = parts_of(folder)
        own_root = root if parts_of(root)[0] == folder else ""
        for found in (f"{folder}/mod.rs", f"{_below(above, last)}.rs", own_root):
            if found and found != path and places.symbols.exists(found):
                known = not inner or _is_inside(places, found, inner)
                return (found, [".".join(inner[: n + 1]) for n in range(len(inner))]) if known else ("", [])
        if not folder or own_root:
            return "", []
        folder = above
        inner.insert(0, last)


def _modules(places: Places, path: str) -> set[str]:
    """Return the inline modules of a file."""
    outline = places.symbols.outline(path)
    return {d.qualname for d in outline.definitions if d.kind == "module"} if outline else set()


def _is_inside(places: Places, path: str, names: Sequence[str]) -> bool:
    return ".".join(names) in _modules(places, path)


def _modules_around(places: Places, path: str, scope: str) -> list[str]:
    """Return the inline modules around a place, outermost first."""
    inline = _modules(places, path) if scope else set()
    parts = scope.split(".")
    around = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return [module for module in around if module in inline]


def _start(places: Places, path: str, parts: list[str], scope: str) -> tuple[str, list[str]]:
    """Return the file at which a path begins, and the rest of the path."""
    first = parts[0]
    if first == "crate":
        return _crate_root(places, path), parts[1:]
    at, around = path, _modules_around(places, path, scope)
    while at and parts and parts[0] in ("self", "super"):
        if parts[0] == "super":
            if around:
                around.pop()
            else:
                at, around = _parent(places, at)
        parts = parts[1:]
    here = around[-1].split(".") if around else []
    if first in ("self", "super"):
        return at, [*here, *parts]
    for inner in (here, []):
        if _child(places, path, [*inner, first]) or _is_inside(places, path, [*inner, first]):
            return path, [*inner, *parts]
    for other in places.roots.crates:
        if other.name == first and places.symbols.exists(other.lib):
            return other.lib, parts[1:]
    return "", parts


def _walk(places: Places, path: str, module: str, scope: str) -> tuple[str, list[str]]:
    """Return the deepest file on a path, and the parts inside it."""
    parts = [part for part in module.split("::") if part]
    if not parts:
        return "", []
    at, parts = _start(places, path, parts, scope)
    inner = 1  # so many parts are looked for below the file
    while at and inner <= len(parts):
        if found := _child(places, at, parts[:inner]):
            at, parts, inner = found, parts[inner:], 1
        elif inner < len(parts) and _is_inside(places, at, parts[:inner]):
            inner += 1
        else:
            break
    return at, parts


def _module(places: Places, path: str, entry: Entry) -> str:
    if entry.item.kind == "mod":
        return _declared(places, path, entry.item)
    at, rest = _walk(places, path, entry.module, entry.item.scope)
    return INSIDE.join((at, *rest)) if at else ""


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    if item.kind == "mod":
        yield _declared(places, path, item)
        return
    for entry in _entries(item):
        full = f"{entry.module}::{entry.name}" if entry.name not in ("", "*") else entry.module
        yield _walk(places, path, full, item.scope)[0]


_BUILTIN_NAMES = _BUILTIN_TYPES.union(
    """
    alloc AsMut AsRef core DoubleEndedIterator Eq Err ExactSizeIterator expect Extend From FromIterator Hash
    Into IntoIterator Iterator Ok Ord PartialEq PartialOrd skip Some std ToOwned ToString TryFrom TryInto
    Unpin unwrap
    """.split()
)

FAMILY = Family(
    name="rust",
    entries=_entries,
    module=_module,
    edges=_edges,
    submodule=lambda places, key, name: _child(places, key, [name]),
    selfs=frozenset(("self", "Self")),
    supers=frozenset(),
    reopened=lambda path, other: other.endswith(".rs") and path.split("/")[0] == other.split("/")[0],
    builtins=_BUILTIN_NAMES,
)
