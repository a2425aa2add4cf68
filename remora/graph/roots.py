"""The roots of module names in a project, from its configuration files and its layout.

Everything that resolving an import needs beyond the importing file and the list of paths is collected here
once, as plain values. They are stored with the index; if a later run finds other roots, imports are resolved
again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from remora.core.errors import SourceError
from remora.core.skip import FAILED, sparing
from remora.graph import manifests
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from remora.core.values import Skipped

_Found = TypeVar("_Found")

# Folders that hold Python sources by custom.
_PYTHON_CUSTOM = frozenset({"", "src", "lib", "python"})
_MAX_EXTENDS = 10  # a chain of configurations longer than this is a loop


class TsConfig(NamedTuple):
    """A tsconfig.json or jsconfig.json with its inherited values.

    Attributes:
        folder: the folder that it applies to.
        base: the base folder of bare module names, None if not set.
        paths: (pattern, targets) with targets from the project's root; "*" matches any text.
    """

    folder: str
    base: str | None
    paths: tuple[tuple[str, tuple[str, ...]], ...]


class JsPackage(NamedTuple):
    """A package.json: its folder, name, and (name, files as written) for "." and each subpath."""

    folder: str
    name: str
    exports: tuple[tuple[str, tuple[str, ...]], ...]


class GoModule(NamedTuple):
    """A go.mod: its folder and module path."""

    folder: str
    name: str


class Crate(NamedTuple):
    """A Cargo package: folder, name in code, and path of the library."""

    folder: str
    name: str
    lib: str


class Roots(NamedTuple):
    """The roots of module names. Folders are from the project's root, "" is the root itself.

    Attributes:
        typescript: configurations, deepest folder first.
        packages: JavaScript packages, by name.
        go: modules, longest name first.
        crates: Rust packages, deepest folder first.
        python: customary source folders: packages and modules are found in them from anywhere.
        python_layout: other folders directly above a top-level package: packages are found in them.
    """

    typescript: tuple[TsConfig, ...] = ()
    packages: tuple[JsPackage, ...] = ()
    go: tuple[GoModule, ...] = ()
    crates: tuple[Crate, ...] = ()
    python: tuple[str, ...] = ()
    python_layout: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the roots as one line of JSON, the same for equal roots."""
        return json.dumps(self._asdict(), separators=(",", ":"), ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Roots:
        """Return the roots in a text of `to_json`; any other text gives no roots, so comparisons differ."""
        rows = {
            "typescript": TsConfig,
            "packages": JsPackage,
            "go": GoModule,
            "crates": Crate,
        }
        try:
            read = json.loads(text)
            value = {name: _frozen(read[name]) for name in Roots._fields}
            for name, row in rows.items():
                value[name] = tuple(row(*items) for items in value[name])
            return Roots(**value)
        except (ValueError, KeyError, TypeError, RecursionError):
            return Roots()


def find_roots(paths: Sequence[str], read: Callable[[str], str | None], skipped: list[Skipped]) -> Roots:
    """Return the roots of a project.

    Args:
        paths: every listed file, configuration files among them.
        read: returns the text of a file, None if it cannot be read. Only configuration files are read.
        skipped: receives the unreadable configuration files.
    """
    known = frozenset(paths)
    by_name: dict[str, list[str]] = {}
    for path in sorted(known):
        name = path.rpartition("/")[2]
        if name in _MANIFESTS:
            by_name.setdefault(name, []).append(path)

    def each(name: str, parse: Callable[[str, str], Iterable[_Found]]) -> list[_Found]:
        """Return the parsed files of a name; `parse` takes a folder and a text."""
        found: list[_Found] = []
        for path in by_name.get(name, ()):
            with sparing(path, skipped, f"{FAILED} be read: ", passing=(SourceError,)):
                text = read(path)
                if text is not None:
                    found += parse(path.rpartition("/")[0], text)
        return found

    python, layout = _python(known)
    configs = [*by_name.get("jsconfig.json", ()), *by_name.get("tsconfig.json", ())]
    return Roots(
        typescript=_typescript(configs, read, skipped),
        packages=tuple(sorted(each("package.json", _package), key=lambda p: (p.name, p.folder))),
        go=tuple(sorted(each("go.mod", _go), key=lambda m: (-len(m.name), m))),
        crates=tuple(sorted(each("Cargo.toml", _crate), key=lambda c: (_depth(c.folder), c))),
        python=python,
        python_layout=layout,
    )


_MANIFESTS = frozenset({"tsconfig.json", "jsconfig.json", "package.json", "go.mod", "Cargo.toml"})


def is_manifest(path: str) -> bool:
    """Return whether a file may define import roots.

    >>> is_manifest("web/tsconfig.base.json"), is_manifest("go.mod"), is_manifest("a.py")
    (True, True, False)
    """
    name = path.rpartition("/")[2]
    return name in _MANIFESTS or (name.endswith(".json") and "config" in name)


def _frozen(value: Any) -> Any:
    """Return a value of JSON with tuples for its lists."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _depth(folder: str) -> tuple[int, str]:
    return (-len(folder.split("/")) if folder else 0, folder)


def _python(known: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    sources = {path.rpartition("/")[0] for path in known if path.endswith((".py", ".pyi"))}
    if not sources:
        return (), ()
    packages = {folder for folder in sources if _is_package(folder, known)}
    above = {parent for folder in packages if (parent := folder.rpartition("/")[0]) not in packages}
    above.discard("")
    tops = {folder.split("/")[0] for folder in sources}
    main = (_PYTHON_CUSTOM & {"", *tops}) - packages
    return tuple(sorted(main)), tuple(sorted(above - main))


def _is_package(folder: str, known: frozenset[str]) -> bool:
    return bool(folder) and (f"{folder}/__init__.py" in known or f"{folder}/__init__.pyi" in known)


def _go(folder: str, text: str) -> list[GoModule]:
    name = manifests.go_module(text)
    return [GoModule(folder, name)] if name else []


def _package(folder: str, text: str) -> list[JsPackage]:
    manifest = manifests.loose_json(text)
    name = manifest.get("name")
    if not name or not isinstance(name, str):
        return []
    return [JsPackage(folder, name, tuple(manifests.exported(manifest)))]


def _crate(folder: str, text: str) -> list[Crate]:
    manifest = manifests.toml(text)
    name = manifests.table(manifest, "package").get("name")
    if not isinstance(name, str):
        return []
    lib = manifests.table(manifest, "lib")
    path = lib.get("path")
    own = lib.get("name")
    return [
        Crate(
            folder,
            manifests.crate_name(own if isinstance(own, str) else name),
            join(folder, path if isinstance(path, str) else "src/lib.rs") or "",
        )
    ]


def _typescript(
    paths: Iterable[str], read: Callable[[str], str | None], skipped: list[Skipped]
) -> tuple[TsConfig, ...]:
    cache: dict[str, dict[str, Any]] = {}

    def load(path: str) -> dict[str, Any]:
        if path not in cache:
            cache[path] = {}
            with sparing(path, skipped, f"{FAILED} be read: ", passing=(SourceError,)):
                cache[path] = manifests.loose_json(read(path) or "")
        return cache[path]

    configs: dict[str, TsConfig] = {}
    for path in paths:  # a tsconfig.json beside a jsconfig.json comes later and wins
        folder = path.rpartition("/")[0]
        base, pairs = _options(path, load, 0)
        if base is None and not pairs:
            written = load(path).get("references")
            items = written if isinstance(written, list) else ()
            named = (manifests.table(item).get("path") for item in items)
            others = (_options(other, load, 0) for name in named for other in _config_paths(folder, name))
            base, pairs = next((found for found in others if found != (None, ())), (None, ()))
        configs[folder] = TsConfig(folder, base, pairs)
    return tuple(sorted(configs.values(), key=lambda c: _depth(c.folder)))


def _options(
    path: str, load: Callable[[str], dict[str, Any]], depth: int
) -> tuple[str | None, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Return (baseUrl, paths) of a configuration, its own before inherited ones."""
    folder = path.rpartition("/")[0]
    config = load(path)
    base: str | None = None
    pairs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    if depth < _MAX_EXTENDS:
        for parent in manifests.strings(config.get("extends")):
            for other in _config_paths(folder, parent):
                above, more = _options(other, load, depth + 1)
                base = above if above is not None else base
                pairs = more or pairs
    options = manifests.table(config, "compilerOptions")
    if isinstance(written := options.get("baseUrl"), str):
        base = join(folder, written)
    if isinstance(own := options.get("paths"), dict):
        start = base if base is not None else folder
        found = []
        for pattern, targets in own.items():
            joined = tuple(t for text in manifests.strings(targets) if (t := join(start, text)) is not None)
            found.append((pattern, joined))
        # The longest fixed beginning is the most exact pattern, as the compiler has it.
        pairs = tuple(sorted(found, key=lambda pair: (-len(pair[0].split("*")[0]), "*" in pair[0], pair)))
    return base, pairs


def _config_paths(folder: str, written: object) -> list[str]:
    """Return the possible files of an `extends` or a reference; external packages give nothing."""
    if not isinstance(written, str) or not written.startswith("."):
        return []
    path = join(folder, written)
    if path is None:
        return []
    return [path] if path.endswith(".json") else [f"{path}.json", f"{path}/tsconfig.json".lstrip("/")]
