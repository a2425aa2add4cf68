"""Rust: `mod` declarations and the paths of `use`, inside a crate and between crates of the workspace.

A path is followed as far as its parts are module files; the rest is looked up in the last of them. The edge
of a `use` goes to that file, the edge of a `mod` to the file of the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.graph.common_names import RUST, RUST_PRELUDE
from remora.graph.imports.base import INSIDE, Entry, Family, Places, parts_of
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.core.code import Import
    from remora.graph.roots import Crate

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


def _path(folder: str, *names: str) -> str:
    return "/".join(part for part in (folder, *names) if part)


def _child(places: Places, path: str, names: Sequence[str]) -> str:
    """Return the file of a submodule of a file; names before the last are inline modules."""
    base = _path(_holder(places, path), *names)
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
    found = join(_path(_holder(places, path), *here) if here else parts_of(path)[0], item.module)
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
        for found in (f"{folder}/mod.rs", f"{_path(above, last)}.rs", own_root):
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
    crate = _crate(places, path)
    name = dict(crate.renames).get(first, first) if crate else first
    for other in places.roots.crates:
        if other.name == name and places.symbols.exists(other.lib):
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


def _submodule(places: Places, key: str, name: str) -> str:
    return _child(places, key, [name])


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    if item.kind == "mod":
        yield _declared(places, path, item)
        return
    for entry in _entries(item):
        full = f"{entry.module}::{entry.name}" if entry.name not in ("", "*") else entry.module
        yield _walk(places, path, full, item.scope)[0]


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
    builtins=RUST_PRELUDE,
    common=RUST,
)
