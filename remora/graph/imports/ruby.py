"""Ruby: `require` by the load path, and constants, which are global to the program.

`require_relative` is a path from the file. `require "a/b"` is a/b.rb under some `lib`, or under the folder of
the tests, or the only file whose path ends so. A constant that exactly one file defines, in the file that
autoloading expects, gives an import edge by use.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.code import LIKELY
from remora.graph.common_names import RUBY, RUBY_NAMES
from remora.graph.imports.base import MANY, Family, Places, nearest, package_key, parts_of, top_level
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remora.core.code import Import, Outline, Symbol

_TEST_FOLDERS = frozenset(("spec", "test", "tests"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def file_name(constant: str) -> str:
    """Return the file that autoloading expects for a constant.

    >>> file_name("HTTPServer")
    'http_server.rb'
    """
    return _CAMEL.sub("_", constant).lower() + ".rb"


def _required(places: Places, path: str, item: Import) -> str:
    name = item.module if item.module.endswith(".rb") else item.module + ".rb"
    folder = parts_of(path)[0]
    exists = places.symbols.exists
    if name.startswith("."):
        found = join(folder, name)
        return found if found and exists(found) else ""
    ending = places.symbols.ending(name)
    in_lib = [other for other in ending if f"/{other}".endswith(f"/lib/{name}")]
    if in_lib:
        return nearest(path, in_lib)
    beside = [
        other for other in ending if other[: -len(name)].rstrip("/").rpartition("/")[2] in _TEST_FOLDERS
    ]
    if beside:
        return nearest(path, beside)
    return ending[0] if len(ending) == 1 and "/" in name else ""


def _edges(places: Places, path: str, item: Import) -> Sequence[str]:
    return (_required(places, path, item),)


def _around(_places: Places, _path: str, _outline: Outline) -> Sequence[str]:
    return (package_key("ruby", ""),)


def _package(places: Places, _key: str, name: str) -> Sequence[Symbol]:
    found = [
        s for s in top_level(places.symbols.named(name, MANY)) if s.path.endswith((".rb", ".rake", ".ru"))
    ]
    if name[:1].isupper():
        return [s for s in found if parts_of(s.path)[1] == file_name(name)] or found
    return found if len(found) == 1 else ()


def _is_ruby(_one: str, other: str) -> bool:
    return other.endswith((".rb", ".rake"))


FAMILY = Family(
    name="ruby",
    entries=lambda _: (),  # the definitions of a required file are global
    module=lambda *_: "",
    edges=_edges,
    around=_around,
    package=_package,
    package_sure=LIKELY,
    selfs=frozenset(("self",)),
    supers=frozenset(("super",)),
    implicit_self=True,
    last_wins=True,
    reopened=_is_ruby,
    by_use=True,
    constructor="new",
    builtins=RUBY_NAMES,
    common=RUBY,
)
