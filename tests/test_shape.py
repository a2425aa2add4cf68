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
