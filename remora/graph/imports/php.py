r"""PHP: names by namespace and `use`, files by PSR-4, and `require` by path.

An import edge goes to the file of the class in a `use`: the one that declares it, or its PSR-4 path. Classes
of the same namespace give an edge by use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.graph.common_names import PHP, PHP_NAMES
from remora.graph.imports.base import (
    MANY,
    PACKAGE,
    Entry,
    Family,
    Places,
    in_no_package,
    inner_package,
    nearest,
    package_key,
    package_name,
    parts_of,
    top_level,
)
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.core.code import Import, Outline, Symbol

_PATHS = frozenset(("include", "require", "include_once", "require_once"))


def _entries(item: Import) -> Iterator[Entry]:
    if item.kind in _PATHS:
        yield Entry("*", item.module, "*", item)
    else:
        before, _, last = item.module.rpartition("\\")
        yield Entry(item.alias or last, before, last, item)


def _by_rule(places: Places, name: str) -> str:
    """Return the PSR-4 file of a class."""
    for rule in places.roots.php:
        if name.startswith(rule.prefix):
            rest = name[len(rule.prefix) :].replace("\\", "/") + ".php"
            found = f"{rule.folder}/{rest}" if rule.folder else rest
            if places.symbols.exists(found):
                return found
    return ""


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
    same = [s for s in found if (s.path in files if namespace else in_no_package(places, s.path))]
    led = _by_rule(places, f"{namespace}\\{name}")
    return [s for s in found if s.path == led] or same


def _submodule(places: Places, key: str, name: str) -> str:
    return inner_package(places, key, name, "\\") if key.startswith(PACKAGE) else ""


def _around(_places: Places, _path: str, outline: Outline) -> Sequence[str]:
    own = package_key("php", outline.package)
    return (own, package_key("php", "")) if outline.package else (own,)


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    if item.kind in _PATHS:
        yield _path(places, path, item.module)
        return
    for entry in _entries(item):
        symbols = _package(places, package_key("php", entry.module), entry.name)
        led = _by_rule(places, f"{entry.module}\\{entry.name}")
        yield led or nearest(path, [s.path for s in symbols])


FAMILY = Family(
    name="php",
    entries=_entries,
    module=_module,
    edges=_edges,
    submodule=_submodule,
    around=_around,
    package=_package,
    selfs=frozenset(("$this", "self", "static", "this")),
    supers=frozenset(("parent",)),
    by_use=True,
    builtins=PHP_NAMES,
    common=PHP,
)
