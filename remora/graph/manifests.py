"""Read the configuration files that define module locations; unreadable ones give nothing."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# A string or a comment that is never closed is taken to its end as well: to try again at each of its signs
# would take time that grows with the square of the text.
_STRING = r'"(?>(?:\\.|[^"\\\n])*)"?'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])")
_GO_MODULE = re.compile(r'^[ \t]*+module[ \t]++"?([^\s"]+)', re.MULTILINE)
_NOT_MODULE = re.compile(r"[^A-Za-z0-9_]")

MAX_CHARS = 1_000_000  # ten times the largest real manifest; longer text is not read
# tomllib needs time by the square of the parts of a dotted key. Real manifests stay below 10,000.
MAX_DOTS_SQUARED = 1_000_000

# The order of several entries for one name: the source, its types, the built file.
_CONDITIONS = ("source", "types", "typings", "import", "module", "node", "default", "require", "browser")


def join(folder: str, part: str) -> str | None:
    """Return the path of `part` relative to a folder, None if it leads out of the project.

    >>> join("a/b", "../c/./d.ts")
    'a/c/d.ts'
    """
    parts = [] if part.startswith("/") else [piece for piece in folder.split("/") if piece]
    for piece in part.split("/"):
        if piece == "..":
            if not parts:
                return None
            parts.pop()
        elif piece not in ("", "."):
            parts.append(piece)
    return "/".join(parts)


def loose_json(text: str) -> dict[str, Any]:
    """Return a JSON object with optional comments and trailing commas; {} if it is invalid or too long."""
    if len(text) > MAX_CHARS:
        return {}
    text = text.removeprefix("\ufeff")
    text = _COMMENT.sub(lambda m: m.group(1) or " ", text)
    text = _TRAILING_COMMA.sub(lambda m: m.group(1) or "", text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def toml(text: str) -> dict[str, Any]:
    """Return a TOML document, {} if it is invalid, too long or has keys of too many parts."""
    if len(text) > MAX_CHARS or too_dotted(text):
        return {}
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def too_dotted(text: str) -> bool:
    """Return whether a TOML document has keys of so many parts that parsing takes too long."""
    return sum(line.count(".") ** 2 for line in text.split("\n")) > MAX_DOTS_SQUARED


def table(value: object, *keys: str) -> dict[str, Any]:
    """Return the table at a path of keys, {} if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value: object) -> list[str]:
    """Return a string as a list of one, a list without its other values, else nothing."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def go_module(text: str) -> str:
    """Return the module path of a go.mod, "" without one."""
    found = _GO_MODULE.search(text[:MAX_CHARS])
    return found.group(1) if found else ""


def crate_name(name: str) -> str:
    """Return a Cargo package's name as written in Rust code."""
    return _NOT_MODULE.sub("_", name)


def entries(value: object) -> Iterator[str]:
    """Yield the files of an `exports` value, the source first."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from entries(item)
    elif isinstance(value, dict):
        for key in sorted(value, key=lambda k: (_CONDITIONS.index(k) if k in _CONDITIONS else 99, k)):
            yield from entries(value[key])


def exported(manifest: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the names that a package.json offers ("." is the package) with their files."""
    exports = manifest.get("exports")
    found: list[tuple[str, tuple[str, ...]]] = []
    main = [
        text
        for key in ("source", "types", "typings", "module", "main")
        for text in strings(manifest.get(key))
    ]
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        found += _named(exports)
        main = [*entries(exports.get(".")), *main]
    elif exports is not None:
        main = [*entries(exports), *main]
    return [(".", tuple(dict.fromkeys(main))), *found]


def _named(value: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return names with their targets, the most exact first, as in Node."""
    names = (name for name in value if name.startswith("./"))
    exact = sorted(names, key=lambda name: ("*" in name, -len(name.partition("*")[0]), name))
    return [(name, tuple(entries(value[name]))) for name in exact]
