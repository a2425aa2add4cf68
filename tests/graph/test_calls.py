"""Calls lead to definitions by the rules of scopes, modules, classes and types."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project

TREE = {
    "app/__init__.py": "from .core import Engine, start as go\nfrom .star import *\nfrom . import util\n",
    "app/core.py": """from __future__ import annotations
from .base import Base
class Engine(Base):
    def __init__(self, part: Part): self.part = Part()
    def run(self): pass
    @property
    def spare(self) -> Part: ...
    @classmethod
    def make(cls) -> Engine: ...
    def again(self) -> Self: ...
class Part:
    def turn(self): pass
def start() -> Engine: pass
def anything(): pass
""",
    "app/base.py": "class Root:\n    def deep(self): pass\nclass Base(Root):\n    def stop(self): pass\n",
    "app/star.py": "__all__ = ['shown']\ndef shown(): pass\ndef hidden(): pass\n",
    "app/util.py": "def helper(): pass\nclass Tool:\n"
    "    def rare_name(self): pass\n    def get(self): pass\n",
    "app/loop_a.py": "from .loop_b import lost, found\n",
    "app/loop_b.py": "from .loop_a import lost, found\nfrom .util import helper as found\n",
    "app/ring.py": "class A(B): pass\nclass B(A):\n    def spin(self): pass\n",
}
HEAD = "import app\nimport app.util as u\nimport os\nfrom app import Engine, go, shown, util\n"
HEAD += "from app.core import Part, anything\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Engine()", {"app/core.py:Engine": 0.95}),
        ("shown()", {"app/star.py:shown": 0.95}),
        ("u.helper()", {"app/util.py:helper": 0.95}),
        ("util.helper(); app.util.helper()", {"app/util.py:helper": 0.95}),
        ("app.core.start()", {"app/core.py:start": 0.95}),
        ("Engine.run(x)", {"app/core.py:Engine.run": 0.95}),
        ("Engine().run()", {"app/core.py:Engine": 0.95, "app/core.py:Engine.run": 0.95}),
        ("Engine().deep()", {"app/core.py:Engine": 0.95, "app/base.py:Root.deep": 0.75}),
        ("e = Engine()\n    e.run()", {"app/core.py:Engine": 0.95, "app/core.py:Engine.run": 0.75}),
        ("e = go()\n    e.run()", {"app/core.py:start": 0.95, "app/core.py:Engine.run": 0.75}),
        ("Engine.make().run()", {"app/core.py:Engine.make": 0.95, "app/core.py:Engine.run": 0.75}),
        ("Engine().again().run()", {
            "app/core.py:Engine": 0.95, "app/core.py:Engine.again": 0.95, "app/core.py:Engine.run": 0.75}),
        ("go().spare.turn()", {"app/core.py:start": 0.95, "app/core.py:Part.turn": 0.75}),
        ("with go() as e:\n        e.run()", {"app/core.py:start": 0.95, "app/core.py:Engine.run": 0.75}),
        ("e = x\n    e.run()\n    e = Engine()", {"app/core.py:Engine": 0.95}),
        ("x.rare_name()", {"app/util.py:Tool.rare_name": 0.4}),
        ("f()[0].rare_name()", {"app/util.py:Tool.rare_name": 0.4}),
        ("x.get()", {}),
        ("os.rare_name()", {}),
        ("rare_name()", {}),
        ("app.missing()", {}),
        ("Engine().missing()", {"app/core.py:Engine": 0.95}),
        ("anything = 1\n    e = unknown()\n    e.run()", {}),
        ("go = Engine()\n    go()", {"app/core.py:Engine": 0.95}),
        ("def go(): pass\n    go()", {"use.py:f.go": 0.95}),
        ("from app.util import helper as go\n    go()", {"app/util.py:helper": 0.95}),
        ("(lambda: go())()", {"app/core.py:start": 0.95}),
    ],
)  # fmt: skip
def test_a_call_in_a_function(body: str, expected: dict[str, float]) -> None:
    """Each way to name a definition is followed, and nothing is claimed that cannot be known."""
    project = Project({**TREE, "use.py": f"{HEAD}def f(x):\n    {body}\n"})
    assert {k: v for k, v in project.calls("use.py", "f").items() if k != "use.py:f"} == expected


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("def f(e: Engine):", "e.run()", {"app/core.py:Engine.run": 0.75}),
        ("def f(e: 'Engine | None'):", "e.run()", {"app/core.py:Engine.run": 0.75}),
        ("def f(go):", "go()", {}),
        ("def f(e: os.PathLike):", "e.rare_name()", {}),
    ],
)
def test_parameters_have_types_and_hide_names(head: str, body: str, expected: dict[str, float]) -> None:
    """A typed parameter is an object of its class; any parameter hides what has its name outside."""
    project = Project({**TREE, "use.py": f"{HEAD}{head}\n    {body}\n"})
    assert project.calls("use.py", "f") == expected


CLASS = """from app import Engine
from app.core import Part
def top(): pass
class Mine(Engine):
    kept: Part
    def __init__(self):
        super().__init__()
        self.tool = Part()
        self.stop()
    def run(self):
        super().run()
        self.own()
        self.tool.turn()
        self.kept.turn()
        top()
        def inner():
            self.own()
        inner()
        self.nothing()
        own()
    @classmethod
    def own(cls):
        cls()
        cls.own()
    @top
    def after(self): pass
    class Inside:
        def own(self): pass
"""


def test_calls_in_a_class() -> None:
    """`self`, `cls`, `super`, fields and nested functions are followed; class scopes are closed."""
    project = Project({**TREE, "use.py": CLASS})
    assert project.calls("use.py", "Mine.__init__") == {
        "app/core.py:Engine.__init__": 0.75,
        "app/core.py:Part": 0.95,
        "app/base.py:Base.stop": 0.75,
    }
    assert project.calls("use.py", "Mine.run") == {
        "app/core.py:Engine.run": 0.75,
        "use.py:Mine.own": 0.95,
        "app/core.py:Part.turn": 0.75,
        "use.py:top": 0.95,
        "use.py:Mine.run.inner": 0.95,
    }
    assert project.calls("use.py", "Mine.run.inner") == {"use.py:Mine.own": 0.95}
    assert "use.py:Mine.own" in project.calls("use.py", "Mine.own")


RUN, TURN = "app/core.py:Engine.run", "app/core.py:Part.turn"

INJECTED = """import os
from app import Engine
from app.core import Part
class Held:
    engine = None
    def __init__(
        self, engine: Engine, part: "Part | None", other, mixed: Engine, two: Engine | Part, far: os.PathLike
    ):
        self.engine = engine if engine else start()
        self._part = part or Part()
        self.other = other
        self.mixed = mixed
        self.two = two
        self.far = far
        own = Part()
        self.own = own
    def a(self): self.engine.run()
    def b(self): self._part.turn()
    def c(self): self.own.turn()
    def d(self): self.other.run()
    def e(self): self.mixed.run()
    def f(self): self.two.run()
    def g(self): self.far.run()
    def change(self, mixed: Part): self.mixed = mixed
class Below(Held):
    def __init__(self, other: Part):
        self.other = other
    def g(self):
        self.engine.run()
        self.other.turn()
def outside(held):
    held.engine = Part()
"""


def test_fields_hold_what_a_constructor_is_given() -> None:
    """A field has the type of the variable that it is set to, in classes below, too; of two types none."""
    project = Project({**TREE, "use.py": INJECTED})
    found = {name: set(project.calls("use.py", f"Held.{name}")) for name in "abcdefg"}
    assert found == {"a": {RUN}, "b": {TURN}, "c": {TURN}, **{name: set() for name in "defg"}}
    assert set(project.calls("use.py", "Below.g")) == {RUN, TURN}


def test_circles_end() -> None:
    """Modules that take names from each other, and classes with each other for a base, are seen once."""
    head = "from app.loop_a import lost, found\nfrom app.ring import A\n"
    project = Project(
        {**TREE, "use.py": f"{head}def f():\n    lost()\n    found()\n    A().spin()\n    A().none()\n"}
    )
    assert project.calls("use.py", "f") == {
        "app/util.py:helper": 0.95,
        "app/ring.py:A": 0.95,
        "app/ring.py:B.spin": 0.75,
    }


def test_bases_are_looked_through_in_order() -> None:
    """A class may bear the name of its base; one that two bases share comes after both."""
    project = Project({**TREE, "use.py": "from app.core import Engine\nclass Engine(Engine): pass\n"})
    assert project.targets("use.py", "inherits", "Engine") == {"app/core.py:Engine": 0.95}
    source = (
        "class Top:\n    def f(self): pass\nclass Left(Top): pass\nclass Right(Top):\n    def f(self): pass\n"
        "class Low(Left, Right):\n    def g(self):\n        self.f()\n"
    )
    assert Project({"a.py": source}).calls("a.py", "Low.g") == {"a.py:Right.f": 0.75}


def test_a_long_chain_of_names_ends() -> None:
    """Hundreds of re-exports or bases in a row cost no stack."""
    tree = {f"m{n}.py": f"from m{n + 1} import f\n" for n in range(300)}
    tree |= {"m300.py": "def f(): pass\n", "use.py": "from m0 import f\nfrom m290 import f as g\nf()\ng()\n"}
    tree["deep.py"] = (
        "class C0: pass\n" + "".join(f"class C{n}(C{n - 1}): pass\n" for n in range(1, 300)) + "C299().x()\n"
    )
    project = Project(tree)
    assert project.calls("use.py") == {"m300.py:f": 0.95}
    assert project.calls("deep.py") == {"deep.py:C299": 0.95}
