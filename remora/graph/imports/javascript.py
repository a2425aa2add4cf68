"""JavaScript and TypeScript: relative files, path mappings, packages of the same workspace.

An import edge goes to the file that the specifier names, in the compiler's order: the path itself, `.js`
written for `.ts`, the path with each known ending, its index file. Type-only imports, `export … from`,
`require` and `import()` count alike. A name with "#" is one of the nearest package.json's `imports`.

A CommonJS file exports the value of `module.exports`, with its added members. `require` returns it under the
name `WHOLE` if the file assigns one, otherwise the file with its names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.graph.common_names import JAVASCRIPT, JAVASCRIPT_GLOBALS
from remora.graph.imports.base import WHOLE, Entry, Family, Places
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from remora.core.code import Import, Outline
    from remora.graph.roots import JsPackage

_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte")
_WRITTEN_FOR = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_SCRIPT = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte)$")
_BUILT = re.compile(r"(^|/)(?:dist|lib|build|out|es|esm|cjs|types)(?=/)")
_WORD = re.compile(r"\W+")


def _entries(item: Import) -> Iterator[Entry]:
    for name, local in item.names:
        if not item.module and name == local:
            continue  # `export { a }` of the file's own name
        if name == "*" and local != "*":
            yield Entry(local, item.module, "", item)
        else:
            yield Entry(local, item.module, name, item)
    if item.alias:  # after the names: `require` returns the file's value as a whole, or else its names
        yield Entry(item.alias, item.module, "", item)


def _file(places: Places, base: str | None) -> str:
    """Return the file of a path without query or loader, "" if there is none."""
    if base is None:
        return ""
    exists = places.symbols.exists
    if base and exists(base):
        return base
    dot = base.rfind(".")
    for ending in _WRITTEN_FOR.get(base[dot:], ()) if dot > base.rfind("/") else ():
        if exists(base[:dot] + ending):
            return base[:dot] + ending
    if base:
        for ending in _ENDINGS:
            if exists(base + ending):
                return base + ending
    folder = f"{base}/" if base else ""
    for ending in _ENDINGS:
        if exists(f"{folder}index{ending}"):
            return f"{folder}index{ending}"
    return ""


def _inside(folder: str, path: str) -> bool:
    return not folder or path.startswith(folder + "/")


def _mapped(places: Places, path: str, name: str) -> str:
    """Return the file that the nearest configuration maps a bare name to."""
    for config in places.roots.typescript:
        if not _inside(config.folder, path):
            continue
        for pattern, targets in config.paths:
            middle = _middle(pattern, name)
            for target in targets if middle is not None else ():
                if found := _file(places, target.replace("*", middle or "")):
                    return found
        if config.base is not None and (found := _file(places, join(config.base, name))):
            return found
        if config.paths or config.base is not None:
            break  # the nearest configuration is the one that counts
    return ""


def _middle(pattern: str, name: str) -> str | None:
    """Return the text that the "*" of a pattern stands for in a name, None if the pattern does not match."""
    before, star, after = pattern.partition("*")
    if not star or name == pattern:
        return "" if name == pattern else None
    matches = name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after)
    return name[len(before) : len(name) - len(after)] if matches else None


def _of_package(places: Places, path: str, name: str) -> str:
    parts = name.split("/")
    length = 2 if name.startswith("@") else 1
    package_name, rest = "/".join(parts[:length]), "/".join(parts[length:])
    same = [package for package in places.roots.packages if package.name == package_name]
    for package in sorted(same, key=lambda p: (not _inside(p.folder, path), p.folder)):
        if found := _in_package(places, package, rest):
            return found
    return ""


def _in_package(places: Places, package: JsPackage, rest: str) -> str:
    for file in _offered(package.exports, f"./{rest}" if rest else "."):
        if found := _built(places, package.folder, file):
            return found
    if rest:
        return _built(places, package.folder, rest) or _file(places, join(package.folder, f"src/{rest}"))
    return _file(places, join(package.folder, "src")) or _file(places, package.folder)


def _own(places: Places, path: str, name: str) -> str:
    """Return the nearest package's target of a name with "#": one of its files, or another package."""
    around = [package for package in places.roots.packages if _inside(package.folder, path)]
    if not around:
        return ""
    package = max(around, key=lambda p: len(p.folder))
    for file in _offered(package.imports, name):
        relative = file.startswith(".")
        found = _built(places, package.folder, file) if relative else _of_package(places, path, file)
        if found:
            return found
    return ""


def _offered(pairs: Sequence[tuple[str, Sequence[str]]], wanted: str) -> Iterator[str]:
    """Yield the files that a package.json offers under a name, the most exact pattern first."""
    for name, files in pairs:
        if (middle := _middle(name, wanted)) is not None:
            yield from (file.replace("*", middle) for file in files)


def _built(places: Places, folder: str, file: str) -> str:
    """Return a package's file, or the source of a file in its build output."""
    if found := _file(places, join(folder, file)):
        return found if _SCRIPT.search(found) else ""
    written = file.removeprefix("./")
    stem = _SCRIPT.sub("", written.removesuffix(".d.ts"))
    for source in ("src", ""):
        base = _BUILT.sub(rf"\g<1>{source}" if source else r"\g<1>.", stem, count=1)
        if base != stem and (found := _file(places, join(folder, base))):
            return found
    return ""


def _resolve(places: Places, path: str, module: str) -> str:
    module = module.split("?")[0].rpartition("!")[2]
    if not module:
        return ""
    if module.startswith("."):
        return _file(places, join(path.rpartition("/")[0], module))
    if module.startswith("/"):
        return _file(places, module.lstrip("/"))
    other = _own if module.startswith("#") else _of_package
    return _mapped(places, path, module) or other(places, path, module)


def _module(places: Places, path: str, entry: Entry) -> str:
    return _resolve(places, path, entry.module) if entry.module else path


def _edges(places: Places, path: str, item: Import) -> Sequence[str]:
    return (_resolve(places, path, item.module),)


def _default(outline: Outline, local: str) -> Iterable[str]:
    """Return the possible names of the default export: the requested one, else the only one."""
    names = [d.name for d in outline.definitions if not d.parent and not d.sentence]
    if local in names:
        return (local,)
    folded = _WORD.sub("", local).lower()
    same = [name for name in names if name.lower() == folded]
    return same or (names if len(names) == 1 else ())


FAMILY = Family(
    name="javascript",
    entries=_entries,
    module=_module,
    edges=_edges,
    default=_default,
    whole=WHOLE,
    supers=frozenset(("super", "super()")),
    last_wins=True,
    builtins=JAVASCRIPT_GLOBALS,
    common=JAVASCRIPT,
)
