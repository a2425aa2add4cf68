"""What the benchmarks of the code graph compare with, on sources where the answer is plain."""

from __future__ import annotations

import ast

import pytest

from benchmarks.edits import KINDS
from benchmarks.interpreter import named_files
from benchmarks.scip_calls import call_sites

FILES = {
    "pkg/__init__.py": "from .core import run, tool\n",
    "pkg/core.py": "import os\nfrom . import tool\nrun = 1\n",
    "pkg/tool.py": "import pkg.sub.deep\n",
    "pkg/sub/__init__.py": "deep = 2\ndef f():\n    from ....nowhere import x\n",
    "pkg/sub/deep.py": "from pkg.sub import *\nfrom .. import core as c\n",
    "pkg/names.py": "from pkg.sub import deep\nfrom pkg import tool, run\n",
    "pkg/broken.py": "from pkg.stops import x\n",
    "pkg/stops.py": "raise SystemExit(3)\n",
    "tests/test_it.py": "import helper\nfrom pkg.core import run\n",
    "tests/helper.py": "",
}


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """The answers for a small project, looked up and run."""
    root = tmp_path_factory.mktemp("project")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return named_files(root, sorted(FILES))


def test_an_import_names_the_module_that_it_takes(named):
    """A statement names the innermost module, by level, through packages and beside a script."""
    assert named.found == {
        ("pkg/__init__.py", "pkg/core.py"),
        ("pkg/core.py", "pkg/tool.py"),
        ("pkg/tool.py", "pkg/sub/deep.py"),
        ("pkg/sub/deep.py", "pkg/sub/__init__.py"),
        ("pkg/sub/deep.py", "pkg/core.py"),
        ("pkg/names.py", "pkg/sub/deep.py"),
        ("pkg/names.py", "pkg/tool.py"),
        ("pkg/names.py", "pkg/__init__.py"),
        ("pkg/broken.py", "pkg/stops.py"),
        ("tests/test_it.py", "tests/helper.py"),
        ("tests/test_it.py", "pkg/core.py"),
    }


def test_running_agrees_where_a_module_is_a_module(named):
    """A module that ends the process keeps the answer that was looked up, and is counted."""
    assert named.ran == named.found
    assert named.not_run == 1
    assert named.lines["tests/test_it.py", "pkg/core.py"] == 2


def test_running_sees_a_name_that_hides_a_module(tmp_path):
    """Where a package binds a name after importing a module of that name, the name is meant."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "__init__.py").write_text("from p.thing import thing\n")
    (tmp_path / "p" / "thing.py").write_text("def thing(): ...\n")
    (tmp_path / "use.py").write_text("from p import thing\n")
    found = named_files(tmp_path, ["use.py"])
    assert found.found == {("use.py", "p/thing.py")}
    assert found.ran == {("use.py", "p/__init__.py")}


def test_calls_stand_where_their_last_name_stands(tmp_path):
    """Columns count UTF-16 units; decorators are calls; a call of a call has no name of its own."""
    (tmp_path / "a.py").write_text(
        "@deco\ndef f(self):\n    '𝄞'.join(x); self.y.run()()\n    super().f(f'')\n"
    )
    found = {(site.name, site.place[1:], site.form) for site in call_sites(tmp_path, "a.py")}
    assert found == {
        ("deco", (1, 1), "@name"),
        ("join", (3, 9), "expression.name()"),
        ("run", (3, 25), "self.y.name()"),
        ("super", (4, 4), "name()"),
        ("f", (4, 12), "super().name()"),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_an_edited_file_is_still_python(kind):
    """Every kind of edit changes a file and leaves it readable."""
    source = '"""Doc."""\nimport os\n\ndef f(a):\n    """Doc."""\n    return a\n'
    edited = KINDS[kind](source, "a.b")
    assert edited is not None
    assert edited != source
    ast.parse(edited)
