"""Java: imports by full name, wildcards, and the classes of the same package, which need no import.

An import edge goes to the file of the named class. Classes reached through a wildcard or the same package
give an edge by use: the language requires no statement, but the file does not compile without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.graph.common_names import JAVA, JAVA_LANG
from remora.graph.imports.base import (
    MANY,
    Entry,
    Family,
    Places,
    inner_package,
    nearest,
    package_key,
    package_name,
    parts_of,
    top_level,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.core.code import Import, Outline, Symbol


def _entries(item: Import) -> Iterator[Entry]:
    for name, local in item.names:
        yield Entry(local, item.module, name, item)
    if not item.names:
        before, _, last = item.module.rpartition(".")
        yield Entry(last, before, last, item)


def _module(places: Places, _path: str, entry: Entry) -> str:
    return package_key("java", entry.module) if places.symbols.package(entry.module) else ""


def _package(places: Places, key: str, name: str) -> Sequence[Symbol]:
    files = frozenset(places.symbols.package(package_name(key)))
    found = [s for s in top_level(places.symbols.named(name, MANY)) if s.path in files]
    return [s for s in found if parts_of(s.path)[1].partition(".")[0] == name] or found


def _around(_places: Places, _path: str, outline: Outline) -> Sequence[str]:
    return (package_key("java", outline.package),)


def _submodule(places: Places, key: str, name: str) -> str:
    return inner_package(places, key, name, ".")


def _start(places: Places, name: str) -> str:
    """Return the package that a full name begins with; only a part before a dot may be one."""
    return _submodule(places, package_key("java", ""), name)


def _class_file(places: Places, path: str, name: str) -> str:
    """Return the file of a class by its full name; an inner class is in the file of the outer one."""
    for _ in range(name.count(".") + 1):
        before, _, last = name.rpartition(".")
        if last[:1].islower():
            name = before
            continue
        found = [s.path for s in _package(places, package_key("java", before), last)]
        found = found or list(places.symbols.ending(name.replace(".", "/") + ".java"))
        roots = places.roots.java
        same = [f for f in found if any(f.startswith(r + "/") and path.startswith(r + "/") for r in roots)]
        if picked := nearest(path, same or found):
            return picked
        name = before
    return ""


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    for entry in _entries(item):
        if entry.name == "*":
            if not places.symbols.package(entry.module):
                yield _class_file(places, path, entry.module)
        else:
            yield _class_file(places, path, f"{entry.module}.{entry.name}")


FAMILY = Family(
    name="java",
    entries=_entries,
    module=_module,
    edges=_edges,
    submodule=_submodule,
    start=_start,
    full_names=True,
    types_only=True,
    around=_around,
    package=_package,
    implicit_self=True,
    by_use=True,
    builtins=JAVA_LANG,
    common=JAVA,
)
