"""The common interface of all languages' imports and names.

A module is identified by a key: the path of its file, or "pkg:<family>:<name>" for one that spans several
files (a Go folder, a Java package, a namespace). Names of modules written inside a file follow its path. A
family resolves written modules; following names through modules is the same for all and is in `graph.lookup`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from remora.core.code import Import, Outline, Symbol, Symbols
    from remora.graph.roots import Roots

PACKAGE = "pkg:"
INSIDE = "\0"  # in a key, between a file and each module that is written inside it
WHOLE = "exports"  # the name under which a file of CommonJS offers itself: `module.exports = x`
MANY = 200  # maximum number of definitions of one name that are read

# What containers, texts, files and processes have in nearly every language.
COLLECTIONS = frozenset(
    """
    add append clear close contains copy count delete each empty equals exists extend filter find first
    flush forEach format get getattr has hash id index indexOf init insert items iter join keys last len
    length list load lock log lower map match max merge min name new next open parse peek pop print push
    put read readline reduce remove replace replaceAll reset resolve reverse run save search seek send set
    shift size slice sort splice split start stop strip substring sum test then time to toString trim type
    unlock update upper value values wait write zip
    """.split()
)


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
        start: the module that a full name begins with, if nothing nearer has the name.
        full_names: a package is only known by its full name, not by its last part inside of another one.
        types_only: a package holds classes: no function, and none of its packages comes with an import.
        around: modules whose names are visible in a file without an import, nearest first.
        package: the definitions of a name in a module that spans several files.
        package_sure: the confidence of such a definition.
        default: the possible names of a file's default export.
        whole: the name of the single value that a file exports; "" if it exports its names.
        selfs, supers: a method's names for its object, and for its object as the base class.
        implicit_self: members are visible inside a class without `self`.
        last_wins: of two definitions of one name in a scope the last counts.
        reopened: whether a class in one path may be continued in another; None if no class may.
        by_use: using a name of another file counts as importing the file.
        constructor: method name that makes an object, as in `Foo.new`; "" if the class itself is called.
        stars_first: names of `import *` come before those of the modules around.
        builtins: built-in names.
        common: method names of the standard library, which are never guessed.
    """

    name: str
    entries: Callable[[Import], Iterable[Entry]]
    module: Callable[[Places, str, Entry], str]
    edges: Callable[[Places, str, Import], Iterable[str]]
    submodule: Callable[[Places, str, str], str] = lambda *_: ""
    start: Callable[[Places, str], str] = lambda *_: ""
    full_names: bool = False
    types_only: bool = False
    around: Callable[[Places, str, Outline], Sequence[str]] = lambda *_: ()
    package: Callable[[Places, str, str], Sequence[Symbol]] = lambda *_: ()
    package_sure: float = EXACT
    default: Callable[[Outline, str], Iterable[str]] = lambda *_: ()
    whole: str = ""
    selfs: frozenset[str] = frozenset(("this",))
    supers: frozenset[str] = frozenset(("super",))
    implicit_self: bool = False
    last_wins: bool = False
    reopened: Callable[[str, str], bool] | None = None
    by_use: bool = False
    constructor: str = ""
    stars_first: bool = False
    builtins: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()


def package_key(family: str, name: str) -> str:
    """Return the key of a module that spans several files."""
    return f"{PACKAGE}{family}:{name}"


def package_name(key: str) -> str:
    """Return the name in a package's key."""
    return key.split(":", 2)[2]


def inner_package(places: Places, key: str, name: str, sign: str) -> str:
    """Return the key of a package's subpackage, "" if none is declared; `sign` separates their names."""
    family, outer = key.removeprefix(PACKAGE).split(":", 1)
    inner = sign.join(part for part in (outer, name) if part)
    return package_key(family, inner) if places.symbols.packages_in(inner, sign) else ""


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
