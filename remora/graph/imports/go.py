"""Go: an import names a folder; the edges go to its files that define the used names.

A package is all files of a folder. Linking to each of them would make every file depend on every other, so
the statement itself gives an edge only if no used name of the package is visible: then to its first file. The
files of the importing file's own package count in the same way, by use.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.graph.common_names import GO, GO_BUILTINS
from remora.graph.imports.base import (
    MANY,
    Entry,
    Family,
    Places,
    package_key,
    package_name,
    parts_of,
    top_level,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.core.code import Import, Outline, Symbol

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


def sources(places: Places, folder: str, *, tests: bool = False) -> list[str]:
    """Return the Go files of a folder, test files only if requested."""
    found = [path for path in places.symbols.in_folder(folder) if path.endswith(".go")]
    return found if tests else [path for path in found if not path.endswith("_test.go")]


def _module(places: Places, _path: str, entry: Entry) -> str:
    folder = _folder(places, entry.module)
    if folder is None or not sources(places, folder):
        return ""
    return package_key("go", folder)


def _edges(places: Places, _path: str, item: Import) -> Sequence[str]:
    """Return the first file of a package without usable names: `import _`."""
    if item.alias != "_":
        return ()
    folder = _folder(places, item.module)
    return sources(places, folder)[:1] if folder is not None else ()


def first_file(places: Places, key: str) -> str:
    """Return the file that represents a package if none of its names is visibly used."""
    return next(iter(sources(places, package_name(key))), "")


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


def _same_package(one: str, other: str) -> bool:
    return parts_of(one)[0] == parts_of(other)[0] and other.endswith(".go")


FAMILY = Family(
    name="go",
    entries=_entries,
    module=_module,
    edges=_edges,
    around=_around,
    package=_package,
    selfs=frozenset(),
    supers=frozenset(),
    reopened=_same_package,
    by_use=True,
    builtins=GO_BUILTINS,
    common=GO,
)
