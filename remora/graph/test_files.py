"""Detect test files, and the file that a test file covers, by the conventions of each language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from remora.graph.languages.naming import nearest

if TYPE_CHECKING:
    from remora.core.code import Symbols

_FOLDERS = frozenset(
    ("test", "tests", "testing", "spec", "specs", "__tests__", "__test__", "e2e", "testdata")
)
_LOWER = re.compile(r"^(?:tests?_(.+)|(.+)_(?:tests?|spec|unittest)|(.+)[.-](?:tests?|spec|e2e|cy))$")
_CAMEL = re.compile(r"^(?:Test(?:Case)?([A-Z]\w*)|(\w*[a-z0-9])(?:Tests?|TestCase|Spec|IT))$")
_CAMEL_LANGUAGES = frozenset(
    (".java", ".cs", ".kt", ".scala", ".php", ".swift", ".cpp", ".cc", ".h", ".groovy", ".rb")
)
_CODE = re.compile(
    r"\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|c|h|cc|cpp|cxx|hh|hpp|hxx|cs|rb|php|kt|scala|swift|groovy|vue|svelte|astro)$"
)
# Where the tested file lies under another ending than the test's.
_ALSO = {
    ".ts": (".ts", ".tsx", ".js", ".jsx"),
    ".tsx": (".tsx", ".ts", ".jsx", ".js"),
    ".js": (".js", ".jsx", ".ts", ".tsx", ".mjs"),
    ".jsx": (".jsx", ".js", ".tsx", ".ts"),
    ".mjs": (".mjs", ".js"),
    ".cc": (".cc", ".cpp", ".h", ".hpp", ".c"),
    ".cpp": (".cpp", ".cc", ".hpp", ".h", ".c"),
    ".c": (".c", ".h"),
}


def stems_under_test(path: str) -> tuple[str, ...]:
    """Return the possible stems of the file covered by a test file, () if its name is not a test's.

    >>> stems_under_test("tests/test_core.py"), stems_under_test("a/FooTest.java")
    (('core', '_core'), ('Foo',))
    """
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem:
        return ()
    lower = _LOWER.match(stem)
    if lower:
        found = next(group for group in lower.groups() if group)
        return (found, f"_{found}") if ending == "py" else (found,)
    camel = _CAMEL.match(stem) if f".{ending}" in _CAMEL_LANGUAGES else None
    if camel:
        return (camel.group(1) or camel.group(2),)
    return ()


@lru_cache(maxsize=20_000)
def is_test_path(path: str) -> bool:
    """Return whether a file is a test or in a test folder, by its path alone.

    >>> is_test_path("tests/helpers.py"), is_test_path("a/foo_test.go"), is_test_path("src/latest.py")
    (True, True, False)
    """
    *folders, name = path.split("/")
    if not _CODE.search(name):
        return False
    if name == "conftest.py" or stems_under_test(path):
        return True
    return any(folder.lower() in _FOLDERS for folder in folders)


def file_under_test(path: str, symbols: Symbols) -> str:
    """Return the file covered by a test file, by its name; "" if there is none or several are possible.

    A file beside the test comes first, then the one that shares most folders with it; other tests, and files
    of the same name in folders without further distinction, do not count.
    """
    folder, _, name = path.rpartition("/")
    ending = name[name.rfind(".") :]
    words = {part.lower() for part in folder.split("/")}
    for stem in stems_under_test(path):
        for suffix in _ALSO.get(ending, (ending,)):
            named = symbols.ending(stem + suffix)
            found = [other for other in named if other != path and not is_test_path(other)]
            beside = [other for other in found if other.rpartition("/")[0] == folder]
            if beside:
                return beside[0]
            picked = nearest(path, found) or _most_alike(words, found)
            if picked:
                return picked
    return ""


def _most_alike(words: set[str], found: list[str]) -> str:
    """Return the file whose folders share most names with a test's, "" for a tie."""
    ranked = sorted(
        ((len(words & set(other.lower().split("/")[:-1])), other) for other in found), reverse=True
    )
    if len(ranked) > 1 and ranked[0][0] == ranked[1][0]:
        return ""
    return ranked[0][1] if ranked and ranked[0][0] else ""
