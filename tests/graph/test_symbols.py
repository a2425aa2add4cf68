"""Symbols are read from the database as they are asked for."""

from __future__ import annotations

import pytest

from remora.core.code import FileFacts, Outline, Uses
from remora.graph import symbols as module
from tests.graph.projects import symbols_of
from tests.store.made_graphs import definition

F = definition("f")
TOLD = definition("f", 1, 9, "test")._replace(sentence=True)
OUTLINES = {
    "b/x.java": Outline("java", "com.acme", definitions=(F,)),
    "a/x.java": Outline("java", "com.acme", definitions=(definition("f#2", 4, 5), F)),
    "x.java": Outline("java"),
    "Tax.php": Outline("php", "Acme\\Service"),
    "told.ts": Outline("typescript", definitions=(TOLD, definition("f.told", 2, 3))),
    "Z.py": Outline("python", definitions=(definition("A", 1, 5), definition("A.f", 2, 3))),
}


def test_symbols_are_found_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths, folders, endings, packages and names are found, however little is held; the rest is nothing."""
    monkeypatch.setattr(module, "KEPT", 2)
    symbols = symbols_of({path: FileFacts(outline, Uses(), 1) for path, outline in OUTLINES.items()})
    assert [path for path in (*OUTLINES, "a", "y.java", "") if symbols.exists(path)] == list(OUTLINES)
    assert {path: symbols.outline(path) for path in OUTLINES} == OUTLINES
    assert symbols.outline("none") is None
    assert [list(symbols.in_folder(folder)) for folder in ("", "a", "c")] == [
        ["Tax.php", "Z.py", "told.ts", "x.java"],
        ["a/x.java"],
        [],
    ]
    assert list(symbols.ending("x.java")) == ["a/x.java", "b/x.java", "x.java"]
    assert [list(symbols.ending(suffix)) for suffix in ("a/x.java", "java")] == [["a/x.java"], []]
    assert [list(symbols.package(name)) for name in ("com.acme", "com", "")] == [
        ["a/x.java", "b/x.java"],
        [],
        [],
    ]
    keys = ["Z.py:A.f", "a/x.java:f#2", "a/x.java:f", "b/x.java:f"]
    for limit in (1, 3, 10):
        assert [symbol.key for symbol in symbols.named("f", limit)] == keys[:limit]
    assert [symbol.key for symbol in symbols.named("told")] == ["told.ts:f.told"]
    assert list(symbols.named("g")) == []
