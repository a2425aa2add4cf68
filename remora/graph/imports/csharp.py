"""C#: namespaces; the edges of a `using` go to the files that define the used types.

A `using` names a namespace, which any number of files declare, so by itself it gives no edge. A used type is
searched in the file's own namespace, in those around it, then in the imported ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.graph.common_names import CSHARP, CSHARP_NAMES
from remora.graph.imports.base import (
    MANY,
    PACKAGE,
    Entry,
    Family,
    Places,
    in_no_package,
    inner_package,
    package_key,
    package_name,
    parts_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.core.code import Definition, Import, Outline, Symbol


_EXTENDED = re.compile(r"\bstatic\b[^(]{0,300}\(\s*this\s+(?:(?:ref|in|readonly|scoped)\s+)*([\w.]+)")


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
    known = not entry.module or places.symbols.packages_in(entry.module, ".")
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


def _submodule(places: Places, key: str, name: str) -> str:
    return inner_package(places, key, name, ".") if key.startswith(PACKAGE) else ""


def _start(_places: Places, name: str) -> str:
    """Return the target of `global::`: the namespace around all others."""
    return package_key("csharp", "") if name == "global" else ""


def _same_project(_one: str, other: str) -> bool:
    return other.endswith(".cs")


def extended(definition: Definition) -> str:
    """Return the type that an extension method extends, as written, "" for any other definition."""
    found = _EXTENDED.search(definition.signature) if definition.kind == "method" else None
    return found[1] if found else ""


FAMILY = Family(
    name="csharp",
    entries=_entries,
    module=_module,
    edges=lambda *_: (),
    submodule=_submodule,
    start=_start,
    types_only=True,
    around=_around,
    package=_package,
    supers=frozenset(("base",)),
    implicit_self=True,
    reopened=_same_project,
    by_use=True,
    builtins=CSHARP_NAMES,
    common=CSHARP,
)
