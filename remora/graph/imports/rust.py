"""Rust: `mod` declarations and the paths of `use`, inside a crate and between crates of the workspace.

A path is followed as far as its parts are module files; what is left is looked up in the last of them.
The edge of a `use` goes to that file, the one of a `mod` to the file of the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.graph.common_names import RUST, RUST_PRELUDE
from remora.graph.imports.base import Entry, Family, Places, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.core.code import Import
    from remora.graph.roots import Crate

_HOLDERS = frozenset(("mod", "lib", "main", "build"))  # files whose modules lie beside them
_OWN_ROOTS = frozenset(("tests", "examples", "benches", "bin"))  # each file there is a crate


def _entries(item: Import) -> Iterator[Entry]:
    if item.kind == "mod":
        yield Entry(item.alias or item.module, item.module, "", item)
        return
    for name, local in item.names:
        if name == "self":
            yield Entry(local if local != "self" else item.module.rpartition("::")[2], item.module, "", item)
        elif local != "_":
            yield Entry(local, item.module, name, item)
    if not item.names:
        before, _, last = item.module.rpartition("::")
        if before:
            yield Entry(item.alias or last, before, last, item)
        elif last:
            yield Entry(item.alias or last, last, "", item)


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
    """Return the folder in which the modules of a file lie."""
    folder, name = parts_of(path)
    stem = name.removesuffix(".rs")
    if stem in _HOLDERS or path == _crate_root(places, path):
        return folder
    return f"{folder}/{stem}" if folder else stem


def _child(places: Places, path: str, name: str) -> str:
    holder = _holder(places, path)
    base = f"{holder}/{name}" if holder else name
    for found in (f"{base}.rs", f"{base}/mod.rs"):
        if places.symbols.exists(found):
            return found
    return ""


def _parent(places: Places, path: str) -> str:
    folder, name = parts_of(path)
    if name == "mod.rs":
        folder = parts_of(folder)[0]
    above, last = parts_of(folder)
    for found in (f"{folder}/mod.rs", f"{above}/{last}.rs" if above else f"{last}.rs"):
        if found != path and places.symbols.exists(found):
            return found
    root = _crate_root(places, path)
    return root if parts_of(root)[0] == folder and root != path else ""


def _modules_around(places: Places, path: str, scope: str) -> int:
    """Return how many modules of the file itself an import stands in."""
    outline = places.symbols.outline(path) if scope else None
    inline = {d.qualname for d in outline.definitions if d.kind == "module"} if outline else set()
    count = 0
    while scope:
        count += scope in inline
        scope = scope.rpartition(".")[0]
    return count


def _start(places: Places, path: str, parts: list[str], scope: str) -> str:
    """Return the file at which a path begins; the parts that this used up are taken off."""
    first = parts[0]
    if first == "crate":
        parts.pop(0)
        return _crate_root(places, path)
    if first in ("self", "super"):
        at, inner = path, _modules_around(places, path, scope)
        while at and parts and parts[0] in ("self", "super"):
            if parts.pop(0) == "super":
                at = at if inner else _parent(places, at)
                inner -= bool(inner)
        return at
    if _child(places, path, first):
        return path
    crate = _crate(places, path)
    name = dict(crate.renames).get(first, first) if crate else first
    for other in places.roots.crates:
        if other.name == name and places.symbols.exists(other.lib):
            parts.pop(0)
            return other.lib
    return ""


def _walk(places: Places, path: str, module: str, scope: str) -> tuple[str, list[str]]:
    """Return the deepest file on a path, and the parts that lie inside it."""
    parts = [part for part in module.split("::") if part]
    if not parts:
        return "", []
    at = _start(places, path, parts, scope)
    while at and parts:
        inner = _child(places, at, parts[0])
        if not inner:
            break
        at = inner
        parts.pop(0)
    return at, parts


def _module(places: Places, path: str, entry: Entry) -> str:
    if entry.item.kind == "mod":
        return _child(places, path, entry.module)
    at, rest = _walk(places, path, entry.module, entry.item.scope)
    return "" if rest else at


def _submodule(places: Places, key: str, name: str) -> str | None:
    return _child(places, key, name) or None


def _edges(places: Places, path: str, item: Import) -> Sequence[str]:
    found = []
    for entry in _entries(item):
        if item.kind == "mod":
            found.append(_child(places, path, entry.module))
        else:
            full = f"{entry.module}::{entry.name}" if entry.name not in ("", "*") else entry.module
            found.append(_walk(places, path, full, item.scope)[0])
    return [other for other in dict.fromkeys(found) if other]


def _same_crate(one: str, other: str) -> bool:
    return other.endswith(".rs") and one.split("/")[0] == other.split("/")[0]


FAMILY = Family(
    name="rust",
    entries=_entries,
    module=_module,
    edges=_edges,
    submodule=_submodule,
    selfs=frozenset(("self", "Self")),
    supers=frozenset(),
    reopened=_same_crate,
    open_classes=True,
    builtins=RUST_PRELUDE,
    common=RUST,
)
