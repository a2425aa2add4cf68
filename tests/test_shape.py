"""The shape of the code: what every module opens with, and that importing has no effect."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "remora").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_opens_with_a_sentence(path: Path) -> None:
    """A module's docstring begins with what it does, in words that end like a sentence."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert text, "no docstring"
    first = text.split("\n\n")[0]
    assert first.rstrip().endswith((".", ":")), first


def test_tests_mirror_modules() -> None:
    """Every folder of tests is named for a package, or is one of the few that stand for themselves."""
    packages = {p.name for p in (ROOT / "remora").iterdir() if p.is_dir()}
    own = {"benchmarks", "scripts", "__pycache__"}
    folders = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir()}
    assert folders - packages - own == set()


def test_importing_loads_nothing_heavy() -> None:
    """`import remora` and the command line's start load no numpy, model, HTTP client or table library."""
    heavy = ("numpy", "onnxruntime", "tokenizers", "httpx2", "pydantic", "rich", "markdown_it", "apsw")
    code = f"import sys, remora, remora.interfaces.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_no_group_is_matched_possessively() -> None:
    """Python before 3.11.5 matches `(…)++` wrongly; an atomic group `(?>(…)+)` says the same."""
    wrong = re.compile(r"\)(?:[*+?]|\{\{?\d+,?\d*\}?\})\+")
    assert [p.name for p in MODULES if wrong.search(p.read_text("utf-8"))] == []


def imported_by(root: Path) -> dict[str, set[str]]:
    """Return which modules of a package each module imports when it runs, inside functions too.

    What is imported for type checkers alone does not count.
    """
    package = root.name
    paths = {".".join((package, *p.relative_to(root).with_suffix("").parts)): p for p in root.rglob("*.py")}
    paths = {name.removesuffix(".__init__"): path for name, path in paths.items()}

    def nearest(name: str) -> str:
        while name and name not in paths:
            name = name.rpartition(".")[0]
        return name

    found: dict[str, set[str]] = {}
    for module, path in paths.items():
        named: set[str] = set()
        waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                named |= {nearest(f"{node.module}.{alias.name}") for alias in node.names}
            elif isinstance(node, ast.Import):
                named |= {nearest(alias.name) for alias in node.names}
            waiting += ast.iter_child_nodes(node)
        found[module] = named - {module, ""}
    return found


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Return the modules that import each other, however long the way."""
    reached: dict[str, set[str]] = {}
    for module in imports:
        seen: set[str] = set()
        waiting = [module]
        while waiting:
            for other in imports[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        reached[module] = seen
    found = [
        {module, *(other for other in reached[module] if module in reached[other])}
        for module in imports
        if module in reached[module]
    ]
    return [circle for number, circle in enumerate(found) if circle not in found[:number]]


def test_no_modules_import_each_other() -> None:
    """The imports of the package have no circle, imports inside functions counted."""
    assert circles(imported_by(ROOT / "remora")) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    """Two modules that import each other, one of them inside a function, are a circle."""
    package = tmp_path / "house"
    package.mkdir()
    (package / "one.py").write_text("from house.two import b\n")
    (package / "two.py").write_text("def b():\n    from house import one\n")
    (package / "three.py").write_text("if TYPE_CHECKING:\n    from house import one\nimport house.two\n")
    assert circles(imported_by(package)) == [{"house.one", "house.two"}]


SQL = re.compile(
    r"\bSELECT\b.+\bFROM\b|\bINSERT (?:OR \w+ )?INTO\b|\bDELETE FROM\b|\bUPDATE \w+ SET\b"
    r"|\bjson_(?:extract|each)\(|\bCREATE (?:TABLE|INDEX|VIRTUAL)\b|\b\w+ IS (?:NOT )?NULL\b",
    re.DOTALL,
)


def sql_in(source: str) -> list[str]:
    """Return the texts of a module that are SQL, docstrings left out."""
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return [node.value for node in texts if id(node) not in docs and SQL.search(node.value)]


def test_sql_lives_in_the_store() -> None:
    """No module outside of `remora/store` writes SQL."""
    outside = [path for path in MODULES if path.parent.name != "store" and "schema" not in path.parts]
    assert {str(p.relative_to(ROOT)): found for p in outside if (found := sql_in(p.read_text("utf-8")))} == {}


def test_sql_is_found() -> None:
    """A query and a condition are found, a sentence with such words is not."""
    assert sql_in("x = 'SELECT id FROM memories'\ny = 'm.deprecated = 1 AND m.branch IS NULL'\n") != []
    assert sql_in("def f():\n    'SELECT a FROM b'\n    return 'select a file from the list'\n") == []
