"""C and C++: includes by path, then by the only possible file; names across the whole program.

`#include "x.h"` is searched beside the file, then under the folders above it and their `include` and `src`,
then as the ending of one file's path (of several, the one that shares most folders). Angle brackets skip the
first step, and a name of the standard library is never resolved to the project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.code import LIKELY
from remora.graph.common_names import C_HEADERS, C_NAMES, C
from remora.graph.imports.base import (
    MANY,
    Entry,
    Family,
    Places,
    nearest,
    package_key,
    parts_of,
    top_level,
)
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from remora.core.code import Import, Outline, Symbol

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".cuh", ".H")
_ENDINGS = (*_HEADERS, ".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".C")


def _entries(item: Import) -> Iterator[Entry]:
    if item.kind.startswith("include"):
        yield Entry("*", item.module, "*", item)
        return
    for name, local in item.names:
        yield Entry(local, item.module, name, item)


def _included(places: Places, path: str, item: Import) -> str:
    folder = parts_of(path)[0]
    module = item.module
    quoted = item.kind != "include_system"
    if quoted and (beside := join(folder, module)) and places.symbols.exists(beside):
        return beside
    if module.startswith(".") or (not quoted and module in C_HEADERS):
        return ""
    above = folder
    while True:
        for inner in ("", "include", "src"):
            found = "/".join(part for part in (above, inner, module) if part)
            if (quoted or inner == "include" or "/" in module) and places.symbols.exists(found):
                return found
        if not above:
            break
        above = parts_of(above)[0]
    return nearest(path, places.symbols.ending(module))


def _module(places: Places, path: str, entry: Entry) -> str:
    return _included(places, path, entry.item) if entry.item.kind.startswith("include") else ""


def _edges(places: Places, path: str, item: Import) -> Sequence[str]:
    return (_included(places, path, item),) if item.kind.startswith("include") else ()


def _around(_places: Places, path: str, _outline: Outline) -> Sequence[str]:
    return (package_key("c", path),)


def _package(places: Places, _key: str, name: str) -> Sequence[Symbol]:
    """Return the one definition of a name that the linker would find, nothing if there are several."""
    found = [
        symbol
        for symbol in top_level(places.symbols.named(name, MANY))
        if symbol.path.endswith(_ENDINGS) and "static " not in symbol.definition.signature
    ]
    bodies = [symbol for symbol in found if not is_header(symbol.path)]
    return next((some for some in (bodies, found) if len(some) == 1), ())


def is_header(path: str) -> bool:
    """Return whether a file is a header."""
    return path.endswith(_HEADERS)


def body(places: Places, symbol: Symbol) -> Symbol:
    """Return the definition of a declaration in a header, or the declaration if there is none."""
    if not is_header(symbol.path):
        return symbol
    qualname = symbol.definition.qualname.partition("#")[0]
    found = [
        other
        for other in places.symbols.named(symbol.definition.name, MANY)
        if other.definition.qualname == qualname
        and other.path.endswith(_ENDINGS)
        and not is_header(other.path)
    ]
    picked = nearest(symbol.path, sorted({other.path for other in found}))
    return next((other for other in found if other.path == picked), symbol)


def _is_source(_one: str, other: str) -> bool:
    return other.endswith(_ENDINGS)


FAMILY = Family(
    name="c",
    entries=_entries,
    module=_module,
    edges=_edges,
    around=_around,
    package=_package,
    package_sure=LIKELY,
    implicit_self=True,
    reopened=_is_source,
    stars_first=True,
    builtins=C_NAMES,
    common=C,
)
