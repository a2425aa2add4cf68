"""Python imports lead to the files that the interpreter would take."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project

TREE = {
    "src/app/__init__.py": "from .core import run\nfrom app import util\n",
    "src/app/core.py": "def run(): pass\n",
    "src/app/util.py": "def help(): pass\n",
    "src/app/typed.pyi": "def t() -> int: ...\n",
    "src/app/both.py": "def f(): pass\n",
    "src/app/both.pyi": "def f() -> None: ...\n",
    "src/app/sub/__init__.py": "",
    "src/app/sub/deep.py": "class Deep: pass\n",
    "src/space/part/mod.py": "def f(): pass\n",
    "src/json.py": "",
    "tools/helper.py": "def h(): pass\n",
    "tools/logging.py": "",
    "tests/test_x.py": "",
    "tests/helper.py": "",
}


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("tests/t.py", "import app", ["src/app/__init__.py"]),
        ("tests/t.py", "import app.sub.deep", ["src/app/sub/deep.py"]),
        ("tests/t.py", "import app.sub.deep as d", ["src/app/sub/deep.py"]),
        ("tests/t.py", "from app import core, run", ["src/app/__init__.py", "src/app/core.py"]),
        ("tests/t.py", "from app.sub.deep import Deep", ["src/app/sub/deep.py"]),
        ("tests/t.py", "from app import *", ["src/app/__init__.py"]),
        ("tests/t.py", "import app.missing", []),
        ("tests/t.py", "from app.missing import x", []),
        ("tests/t.py", "import space.part.mod", ["src/space/part/mod.py"]),
        ("tests/t.py", "from space.part import mod", ["src/space/part/mod.py"]),
        ("tests/t.py", "from space import part", []),
        ("tests/t.py", "import app.typed, app.both", ["src/app/both.py", "src/app/typed.pyi"]),
        ("tests/t.py", "import helper", ["tests/helper.py"]),
        ("tools/t.py", "import helper", ["tools/helper.py"]),
        ("tests/t.py", "import json, logging, os.path, numpy", []),
        ("tools/t.py", "import logging", ["tools/logging.py"]),
        ("src/app/x.py", "from . import core", ["src/app/core.py"]),
        ("src/app/x.py", "from .sub.deep import Deep", ["src/app/sub/deep.py"]),
        ("src/app/x.py", "from . import run", ["src/app/__init__.py"]),
        ("src/app/sub/x.py", "from .. import util", ["src/app/util.py"]),
        ("src/app/sub/x.py", "from ..core import run", ["src/app/core.py"]),
        ("src/app/sub/x.py", "from ..... import run", []),
        ("src/app/sub/__init__.py", "from . import deep", ["src/app/sub/deep.py"]),
        ("src/app/x.py", "def f():\n    import app.util\n", ["src/app/util.py"]),
        ("src/app/x.py", "try:\n    import app.core\nexcept E:\n    import app.util\n",
         ["src/app/core.py", "src/app/util.py"]),
    ],
)  # fmt: skip
def test_an_import_names_a_file(path: str, source: str, expected: list[str]) -> None:
    """Each form of import gives the file of the module that it names, and nothing from outside."""
    assert Project({**TREE, path: source}).imports(path) == expected


def test_the_folder_that_has_the_package_first_decides() -> None:
    """Of two packages of one name the one nearest to the file is taken."""
    project = Project(
        {
            "a/pkg/__init__.py": "",
            "a/pkg/m.py": "",
            "a/use.py": "import pkg.m",
            "b/pkg/__init__.py": "",
            "b/pkg/m.py": "",
            "b/deep/use.py": "import pkg.m",
        }
    )
    assert project.imports("a/use.py") == ["a/pkg/m.py"]
    assert project.imports("b/deep/use.py") == ["b/pkg/m.py"]
