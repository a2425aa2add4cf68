"""Python: absolute imports by source folders, relative ones by level, packages with and without __init__.

An import edge goes to the file of the module that the statement names. `import a.b.c` names a/b/c.py (or
a/b/c/__init__.py), not the packages on the way, although the interpreter runs those too. `from a import b`
names a/b.py if b is a module, and the file of `a` otherwise; `from a import *` names the file of `a`. Imports
under `if TYPE_CHECKING` and inside functions count like any other. A stub (.pyi) represents a module only
without a source.

Source folders are tried in the interpreter's order: the file's own folder if it is no package, source folders
above the file from the nearest, declared ones, then any folder above a package. A module of the standard
library is only resolved in the first two.
"""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING

from remora.graph.common_names import PYTHON
from remora.graph.imports.base import PACKAGE, Entry, Family, Places, package_key, package_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from remora.core.code import Import

_SUFFIXES = (".py", ".pyi")
_STANDARD = frozenset(sys.stdlib_module_names)


def _entries(item: Import) -> Iterator[Entry]:
    if item.kind == "import":
        if item.alias:
            yield Entry(item.alias, item.module, "", item)
        elif item.module:
            top = item.module.split(".")[0]
            yield Entry(top, top, "", item)
        return
    for name, local in item.names:
        yield Entry(local, item.module, name, item)


def _at(places: Places, base: str) -> str:
    """Return the key of the module at a path without suffix, "" if there is none."""
    exists = places.symbols.exists
    if base:
        for suffix in _SUFFIXES:
            if exists(f"{base}/__init__{suffix}"):
                return f"{base}/__init__{suffix}"
        for suffix in _SUFFIXES:
            if exists(base + suffix):
                return base + suffix
    return ""


def _is_namespace(places: Places, folder: str) -> bool:
    return any(path.endswith(_SUFFIXES) for path in places.symbols.in_folder(folder))


def _is_package(places: Places, folder: str) -> bool:
    return bool(folder) and any(places.symbols.exists(f"{folder}/__init__{suffix}") for suffix in _SUFFIXES)


def _under(folder: str, rest: str) -> str:
    return f"{folder}/{rest}" if folder else rest


def _starts(places: Places, path: str, top: str) -> Iterator[tuple[str, bool]]:
    """Yield source folders to try for a file, and whether only packages are found there."""
    folder = path.rpartition("/")[0]
    seen = set()
    if not _is_package(places, folder):
        seen.add(folder)
        yield folder, False
    roots = places.roots
    above = [
        root
        for root in {*roots.python, *roots.python_layout}
        if not root or folder == root or folder.startswith(root + "/")
    ]
    for root in sorted(above, key=lambda r: (-len(r), r)):
        if root not in seen:
            seen.add(root)
            yield root, False
    if top in _STANDARD:
        return
    for root in roots.python:
        if root not in seen:
            seen.add(root)
            yield root, False
    for root in roots.python_layout:
        if root not in seen:
            yield root, True


def _absolute(places: Places, path: str, module: str) -> str:
    """Return the key of an absolute module as imported by a file.

    The first source folder with the top package decides, as on the interpreter's path; folders without
    __init__ (namespace packages) are joined, and yield to a package or module.
    """
    top, _, rest = module.partition(".")
    below = module.replace(".", "/")
    namespaces = []
    for start, packages_only in _starts(places, path, top):
        base = _under(start, top)
        found = _at(places, base)
        if found and packages_only and not found.startswith(base + "/"):
            continue
        if found:
            if not rest:
                return found
            return _at(places, _under(start, below)) or _namespace(places, _under(start, below))
        namespaces.append(start)
    for start in namespaces:
        found = _at(places, _under(start, below)) if rest else ""
        if found:
            return found
    for start in namespaces:
        found = _namespace(places, _under(start, below))
        if found:
            return found
    return ""


def _namespace(places: Places, folder: str) -> str:
    return package_key("python", folder) if _is_namespace(places, folder) else ""


def _module(places: Places, path: str, entry: Entry) -> str:
    return _named(places, path, entry.module, entry.item.level)


def _named(places: Places, path: str, module: str, level: int) -> str:
    if not level:
        return _absolute(places, path, module) if module else ""
    folder = path.rpartition("/")[0]
    for _ in range(level - 1):
        if not folder:
            return ""
        folder = folder.rpartition("/")[0]
    base = _under(folder, module.replace(".", "/")) if module else folder
    return _at(places, base) or _namespace(places, base)


def _submodule(places: Places, key: str, name: str) -> str:
    if key.startswith(PACKAGE):
        folder = package_name(key)
    else:
        folder, _, file = key.rpartition("/")
        if not file.startswith("__init__."):
            return ""
    base = _under(folder, name)
    return _at(places, base) or _namespace(places, base)


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    module = _named(places, path, item.module, item.level)
    if item.kind == "import":
        yield _file(module)
        return
    for name, _ in item.names if module else ():
        inner = _submodule(places, module, name) if name != "*" else ""
        yield _file(inner) or _file(module)


def _file(key: str) -> str:
    """Return the file of a module, "" for a namespace package."""
    return "" if key.startswith(PACKAGE) else key


FAMILY = Family(
    name="python",
    entries=_entries,
    module=_module,
    edges=_edges,
    submodule=_submodule,
    selfs=frozenset(("self", "cls", "mcs", "klass", "metacls")),
    supers=frozenset(("super()",)),
    last_wins=True,
    builtins=frozenset(dir(builtins)),
    common=PYTHON,
)
