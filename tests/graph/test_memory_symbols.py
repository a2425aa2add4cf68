"""A project in memory answers what resolving asks."""

from __future__ import annotations

from remora.core.code import Definition, Outline, Symbol
from remora.graph.memory_symbols import MemorySymbols


def test_all_questions() -> None:
    """Paths, folders, endings, packages and names are found in order; the rest is nothing."""
    f = Definition("f", "f", "function", 1, 1, 1)
    outlines = {
        "b/x.java": Outline("java", "com.a", definitions=(f,)),
        "a/x.java": Outline("java", "com.a", definitions=(f, f._replace(qualname="f#2"))),
        "x.java": Outline("java"),
        "README.md": None,
    }
    symbols = MemorySymbols(outlines)
    assert symbols.exists("README.md")
    assert not symbols.exists("a")
    assert symbols.in_folder("") == ["README.md", "x.java"]
    assert symbols.in_folder("a") == ["a/x.java"]
    assert list(symbols.in_folder("c")) == []
    assert symbols.ending("x.java") == ["a/x.java", "b/x.java", "x.java"]
    assert symbols.ending("a/x.java") == ["a/x.java"]
    assert symbols.outline("b/x.java") is outlines["b/x.java"]
    assert symbols.outline("README.md") is None
    assert symbols.outline("none") is None
    assert symbols.package("com.a") == ["a/x.java", "b/x.java"]
    assert list(symbols.package("")) == []
    assert [
        name for name in ("com", "com.a", "co", "com.a.b", "a", "") if symbols.packages_in(name, ".")
    ] == [
        "com",
        "com.a",
    ]
    assert symbols.packages_in("com.a", "\\")
    assert not symbols.packages_in("com", "\\")
    assert [s.key for s in symbols.named("f")] == ["a/x.java:f", "a/x.java:f#2", "b/x.java:f"]
    assert symbols.named("f", 1) == [Symbol("a/x.java", f)]
    assert list(symbols.named("g")) == []
