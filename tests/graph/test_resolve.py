"""All edges of a file come once, in order, with their counts."""

from __future__ import annotations

import time
from typing import Any

import pytest

from remora.core.code import Binding, Definition, FileFacts, Import, Link, Outline, Reference, Uses
from remora.graph.resolve import Resolver
from remora.graph.roots import Roots
from tests.graph.projects import Project, symbols_of

TREE = {
    "app/__init__.py": "",
    "app/core.py": "class Base:\n    def run(self): pass\ndef make(): pass\n",
    "app/use.py": "from app.core import Base, make\nclass Kid(Base):\n    def f(self):\n        make()\n"
    "        make()\n\nmake()\n",
    "tests/test_core.py": "from app.core import make\ndef test_make():\n    make()\n    helper()\n"
    "def helper():\n    make()\n",
    "tests/test_use.py": "from app import use\nclass TestKid:\n    def test_f(self):\n"
    "        use.Kid().f()\n",
}


def test_strange_facts_do_no_harm() -> None:
    """Scopes, receivers and modules that no source could have give no edges and no errors."""
    bases = ("", ".", "a", "()", "?", "x..y")
    outline = Outline(
        "python",
        definitions=(Definition("a", "a", "class", 1, 1, 1, "gone", "", "", bases),),
        imports=(Import("", (("", ""),), "", 500, "from"), Import(".." * 50, (("*", "*"),), "x", 3, "odd")),
    )
    references = tuple(
        Reference(name, receiver, kind, 0, scope)
        for name in ("", "a", ".")
        for receiver in ("", "?", "?.x", "()", ".", "self", "super()", "a().b().", "::", "\\")
        for kind in ("call", "new", "type", "odd")
        for scope in ("", "a", "gone.a")
    )
    bindings = (
        Binding("x", "x", 1),
        Binding("self.", "?", 1, "a"),
        Binding("x", "y()", 1),
        Binding("y", "x()", 1),
    )
    for language in ("python", "typescript", "go", "rust", "java", "c", "csharp", "ruby", "php", "kotlin"):
        facts = FileFacts(outline._replace(language=language), Uses(references, bindings), 1)
        symbols = symbols_of({"a.x": facts})
        assert all(isinstance(link, Link) for link in Resolver(symbols, Roots()).links("a.x", facts))


def test_one_file_of_a_large_project_looks_at_few_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolving one file asks only for the outlines that its names lead to."""
    tree = {f"big/m{n}.py": f"def f{n}(): pass\n" for n in range(500)}
    project = Project({**tree, **TREE, "big/__init__.py": ""})
    asked: set[str] = set()
    kept = project.symbols.outline

    def outline(path: str) -> Any:
        asked.add(path)
        return kept(path)

    monkeypatch.setattr(project.symbols, "outline", outline)
    assert len(project.links("app/use.py")) == 6
    assert len(asked) <= 4


def test_headers_that_include_each_other_are_walked_once() -> None:
    """Of forty that all include all, what one defines is found, and what none does costs no time."""
    names = [f"h{number}.hpp" for number in range(40)]
    included = "".join(f'#include "{name}"\n' for name in names)
    tree = {name: f"#pragma once\n{included}namespace n{name[1:-4]} {{}}\n" for name in names}
    tree["h39.hpp"] += "int last() { return 1; }\n"
    tree["use.cpp"] = '#include "h0.hpp"\nint main() { last(); missing(); return absent(); }\n'
    project = Project(tree)
    began = time.process_time()
    assert "h39.hpp:last" in project.targets("use.cpp", "calls", "main")
    assert time.process_time() - began < 5.0


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
