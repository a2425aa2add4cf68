"""What every language says of its imports and names, and the few shapes they are said in.

A module is named by a key: the path of its file, or "pkg:<family>:<name>" for one that is spread over
several files (a Go folder, a Java package, a namespace). Names of modules written inside a file follow its
path. A family answers what a written module means; following names through modules is the same for all and
stands in `graph.lookup`.
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
MANY = 200  # definitions of one name that are looked at; beyond that a name says nothing


class Places(NamedTuple):
    """The project as imports see it."""

    symbols: Symbols
    roots: Roots


class Entry(NamedTuple):
    """A local name that an import makes.

    Attributes:
        local: the name in the importing file, "*" for every name of the module.
        module: the module as written.
        name: what is taken out of it, "" for the module itself, "*" for everything.
        item: the import.
    """

    local: str
    module: str
    name: str
    item: Import


def no_module(_places: Places, _key: str, _name: str) -> str | None:
    """Say that modules do not hold modules."""
    return None


def nothing_around(_places: Places, _path: str, _outline: Outline) -> Sequence[str]:
    """Say that no module's names are seen without an import."""
    return ()


def no_start(_places: Places, _name: str) -> str:
    """Say that full names begin with nothing that has no name nearer by."""
    return ""


def no_symbols(_places: Places, _key: str, _name: str) -> Sequence[Symbol]:
    """Say that no module is spread over files."""
    return ()


def no_default(_outline: Outline, _local: str) -> Iterable[str]:
    """Say that modules have no default export."""
    return ()


def everywhere(_one: str, _other: str) -> bool:
    """Say that a class may be continued in any file."""
    return True


class Family(NamedTuple):
    """How one family of languages names things.

    Attributes:
        name: the family.
        entries: the local names that an import makes.
        module: the key of a module as written in a file, "" when it is not of the project.
        edges: the files that an import statement names.
        submodule: the module inside a module.
        start: the module that a full name begins with, where nothing nearer has the name.
        full_names: a package is only known by its full name, not by its last part inside of another one.
        types_only: a package holds classes: no function, and none of its packages comes with an import.
        around: modules whose names are seen in a file without an import, nearest first.
        package: the definitions of a name in a module that is spread over files.
        package_sure: how sure such a definition is.
        default: the names that may stand for the default export of a file.
        whole: the name of what a file is to those who ask for the file itself; "" where it is its names.
        selfs, supers: how a method names its object, and its object as the base class sees it.
        implicit_self: members are seen inside a class without `self`.
        last_wins: of two definitions of one name in a scope the last counts.
        reopened: classes are continued in other files; says of two paths whether they may be.
        open_classes: whether `reopened` is asked at all.
        by_use: using a name of another file counts as importing the file.
        constructor: method name that makes an object, as in `Foo.new`; "" where a class is called.
        stars_first: names of `import *` come before those of the modules around.
        builtins: names that are there without an import.
        common: method names of the standard library, which are never guessed.
    """

    name: str
    entries: Callable[[Import], Iterable[Entry]]
    module: Callable[[Places, str, Entry], str]
    edges: Callable[[Places, str, Import], Sequence[str]]
    submodule: Callable[[Places, str, str], str | None] = no_module
    start: Callable[[Places, str], str] = no_start
    full_names: bool = False
    types_only: bool = False
    around: Callable[[Places, str, Outline], Sequence[str]] = nothing_around
    package: Callable[[Places, str, str], Sequence[Symbol]] = no_symbols
    package_sure: float = EXACT
    default: Callable[[Outline, str], Iterable[str]] = no_default
    whole: str = ""
    selfs: frozenset[str] = frozenset(("this",))
    supers: frozenset[str] = frozenset(("super",))
    implicit_self: bool = False
    last_wins: bool = False
    reopened: Callable[[str, str], bool] = everywhere
    open_classes: bool = False
    by_use: bool = False
    constructor: str = ""
    stars_first: bool = False
    builtins: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()


def package_key(family: str, name: str) -> str:
    """Return the key of a module that is spread over files."""
    return f"{PACKAGE}{family}:{name}"


def package_name(key: str) -> str:
    """Return the name in a package's key."""
    return key.split(":", 2)[2]


def parts_of(path: str) -> tuple[str, str]:
    """Return a path's folder and file name."""
    folder, _, name = path.rpartition("/")
    return folder, name


def shared(one: str, other: str) -> int:
    """Return how many folders two paths share from the project's root."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count


def nearest(path: str, found: Sequence[str]) -> str:
    """Return the one of several files that shares most folders with a path; "" for none and for a tie."""
    if len(found) < 2:
        return found[0] if found else ""
    ranked = sorted(found, key=lambda other: (-shared(path, other), other))
    return "" if shared(path, ranked[0]) == shared(path, ranked[1]) else ranked[0]


def top_level(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return the definitions that stand at the top of their file."""
    return [symbol for symbol in symbols if not symbol.definition.parent]
