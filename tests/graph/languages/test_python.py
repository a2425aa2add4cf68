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
        ("tests/t.py", "from app import core, run", ["src/app/__init__.py", "src/app/core.py"]),
        ("tests/t.py", "import app.missing", []),
        ("tests/t.py", "import space.part.mod", ["src/space/part/mod.py"]),
        ("tests/t.py", "from space import part", []),
        ("tests/t.py", "import app.typed, app.both", ["src/app/both.py", "src/app/typed.pyi"]),
        ("tests/t.py", "import helper", ["tests/helper.py"]),
        ("tools/t.py", "import helper", ["tools/helper.py"]),
        ("tests/t.py", "import json, logging, os.path, numpy", []),
        ("tools/t.py", "import logging", ["tools/logging.py"]),
        ("src/app/x.py", "from . import core", ["src/app/core.py"]),
        ("src/app/x.py", "from . import run", ["src/app/__init__.py"]),
        ("src/app/sub/x.py", "from .. import util", ["src/app/util.py"]),
        ("src/app/sub/x.py", "from ..... import run", []),
        ("src/app/sub/__init__.py", "from . import deep", ["src/app/sub/deep.py"]),
        ("src/app/x.py", "try:\n    import app.core\nexcept E:\n    import app.util\n",
         ["src/app/core.py", "src/app/util.py"]),
    ],
)  # fmt: skip
def test_an_import_names_a_file(path: str, source: str, expected: list[str]) -> None:
    """Each form of import gives the file of the module that it names, and nothing from outside."""
    assert Project({**TREE, path: source}).imports(path) == expected
