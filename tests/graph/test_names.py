"""A change reaches exactly the files whose links it may change, through the names that they use."""

from __future__ import annotations

import pytest

from remora.graph.names import DOT, changed_names, names_of, place_names, ways_of
from tests.graph.projects import facts_of


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("def f(): return g()", "\n\ndef f(): return h()", set()),
        ("def f(): pass", "def g(): pass", {"f", "g"}),
        ("class A(B): pass", "class A(C): pass", {"A"}),
        ("from x import f", "from y import f", {"f"}),
        ("from x import *", "", {"*", "m"}),
        ("from x import A\ndef f() -> A: pass", "from y import A\ndef f() -> A: pass", {"A", "f"}),
    ],
)
def test_changed_names_are_those_that_mean_something_else(old: str, new: str, expected: set[str]) -> None:
    """A definition, an import, a base and a return type each change the name that others use."""
    outlines = [facts_of(text.encode(), "python").outline for text in (old, new)]
    assert changed_names("m.py", *outlines) == expected


def test_a_file_that_comes_is_known_by_its_stem_and_its_names() -> None:
    """A new module may be what an import meant all along."""
    outline = facts_of(b"def f(): pass\n", "python").outline
    assert changed_names("p/new.py", None, outline) == {"new", "f"}
    assert "p" in place_names("p/__init__.py")


def test_how_a_file_uses_each_name() -> None:
    """A name behind a dot is marked."""
    source = b"import a.b as m\nfrom .c import d as e, f\nfrom g import *\ndef run(x: m.T): x.go(); f()\n"
    ways = ways_of(facts_of(source, "python"))
    assert {name for name, how in ways.items() if how == DOT} == {"go", "T"}
    assert names_of(facts_of(source, "python")) == ways.keys()
