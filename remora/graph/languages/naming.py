"""The common interface of all languages' imports and names.

A module is identified by a key: the path of its file, or "pkg:<family>:<name>" for one that spans several
files (a Go folder, a Java package, a namespace). Names of modules written inside a file follow its path. A
family resolves written modules; following names through modules is the same for all and is in `graph.lookup`.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from remora.core.code import Import, Outline, Symbol, Symbols
    from remora.graph.roots import Roots

PACKAGE = "pkg:"
INSIDE = "\0"  # in a key, between a file and each module that is written inside it
MANY = 200  # maximum number of definitions of one name that are read


def plain_name(name: str) -> str:
    """Return a name in the form that all languages share; one with "_" in front stays as it is."""
    return name if name.startswith("_") else name.replace("_", "").lower().rstrip("?!")


LONG_NAME = 10  # letters: containers, texts, files and test frameworks have few methods of longer names
_COMMON = frozenset(
    plain_name(name)
    for kind in (str, bytes, list, dict, set, Path, re.Pattern, re.Match, io.TextIOWrapper)
    for name in dir(kind)
)


def is_common(name: str) -> bool:
    """Return whether a method's name is too common to be guessed: short, or one of a standard library.

    >>> is_common("startsWith"), is_common("to_string"), is_common("repay_all_debts")
    (True, True, False)
    """
    plain = plain_name(name)
    return len(plain) < LONG_NAME or plain in _COMMON


class Places(NamedTuple):
    """The project's files and roots, for imports."""

    symbols: Symbols
    roots: Roots


class Entry(NamedTuple):
    """A local name made by an import.

    Attributes:
        local: the name in the importing file, "*" for every name of the module.
        module: the module as written.
        name: the imported name, "" for the module itself, "*" for everything.
        item: the import.
    """

    local: str
    module: str
    name: str
    item: Import


class Family(NamedTuple):
    """The naming rules of one family of languages.

    Attributes:
        name: the family.
        entries: the local names made by an import.
        module: the key of a module as written in a file, "" if it is outside the project.
        edges: the files named by an import statement, "" among them for one outside the project.
        submodule: the key of the module inside a module, "" if there is none.
        package_sign: the sign between the parts of a package's name, where a full name may begin with one.
        around: modules whose names are visible in a file without an import, nearest first.
        package: the definitions of a name in a module that spans several files.
        package_sure: the confidence of such a definition.
        default: the possible names of a file's default export.
        selfs, supers: a method's names for its object, and for its object as the base class.
        implicit_self: members are visible inside a class without `self`.
        last_wins: of two definitions of one name in a scope the last counts.
        reopened: whether a class in one path may be continued in another; None if no class may.
        by_use: using a name of another file counts as importing the file.
        constructor: method name that makes an object, as in `Foo.new`; "" if the class itself is called.
        builtins: built-in names.
    """

    name: str
    entries: Callable[[Import], Iterable[Entry]]
    module: Callable[[Places, str, Entry], str]
    edges: Callable[[Places, str, Import], Iterable[str]]
    submodule: Callable[[Places, str, str], str] = lambda *_: ""
    package_sign: str = ""
    around: Callable[[Places, str, Outline], Sequence[str]] = lambda *_: ()
    package: Callable[[Places, str, str], Sequence[Symbol]] = lambda *_: ()
    package_sure: float = EXACT
    default: Callable[[Outline, str], Iterable[str]] = lambda *_: ()
    selfs: frozenset[str] = frozenset(("this",))
    supers: frozenset[str] = frozenset(("super",))
    implicit_self: bool = False
    last_wins: bool = False
    reopened: Callable[[str, str], bool] | None = None
    by_use: bool = False
    constructor: str = ""
    builtins: frozenset[str] = frozenset()


def package_key(family: str, name: str) -> str:
    """Return the key of a module that spans several files."""
    return f"{PACKAGE}{family}:{name}"


def package_name(key: str) -> str:
    """Return the name in a package's key."""
    return key.split(":", 2)[2]


def in_no_package(places: Places, path: str) -> bool:
    """Return whether a file declares no package or namespace."""
    outline = places.symbols.outline(path)
    return outline is not None and not outline.package


def parts_of(path: str) -> tuple[str, str]:
    """Return a path's folder and file name."""
    folder, _, name = path.rpartition("/")
    return folder, name


def shared(one: str, other: str) -> int:
    """Return the number of folders that two paths share from the project's root."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count


def nearest(path: str, found: Sequence[str]) -> str:
    """Return the file that shares most folders with a path; "" for none and for a tie."""
    if len(found) < 2:
        return found[0] if found else ""
    ranked = sorted(found, key=lambda other: (-shared(path, other), other))
    return "" if shared(path, ranked[0]) == shared(path, ranked[1]) else ranked[0]


def top_level(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return the top-level definitions of a file."""
    return [symbol for symbol in symbols if not symbol.definition.parent]
