"""Prose leads to the files and definitions that it names."""

from __future__ import annotations

import time

import pytest

from remora.core.code import Definition, Link, Outline
from remora.graph.documents import MAX_LINKS, document_links
from tests.graph.memory_symbols import MemorySymbols


def outline(*names: str) -> Outline:
    """Return an outline with definitions of these qualnames."""
    return Outline(
        "python",
        definitions=tuple(
            Definition(name, name.rpartition(".")[2], "function", 1, 1, 1, name.rpartition(".")[0])
            for name in names
        ),
    )


SYMBOLS = MemorySymbols(
    {
        "src/app/core.py": outline("run_all", "Engine", "Engine.start", "twice"),
        "src/app/util.py": outline("Other.start", "twice", "two_words"),
        "src/app/index.py": outline(),
        "web/index.py": outline(),
        "docs/guide.md": None,
        "docs/more.md": None,
    }
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See src/app/core.py.", {"src/app/core.py": 0.75}),
        ("See [more](more.md) and ../src/app/core.py", {"docs/more.md": 0.75, "src/app/core.py": 0.75}),
        ("in `app/core.py`", {"src/app/core.py": 0.75}),
        ("core.py", {"src/app/core.py": 0.75}),
        ("index.py", {}),
        ("https://x.org/src/app/core.py", {}),
        ("missing.py and e.g. 3.5", {}),
        (
            "call `run_all()` or `two_words`",
            {"src/app/core.py:run_all": 0.4, "src/app/util.py:two_words": 0.4},
        ),
        (
            "`Engine.start` and `Other#start`",
            {"src/app/core.py:Engine.start": 0.4, "src/app/util.py:Other.start": 0.4},
        ),
        ("`twice()` is not unique, `Engine` looks like a word, run_all has no ticks", {}),
    ],
)
def test_what_a_text_names(text: str, expected: dict[str, float]) -> None:
    """Paths that lead to one file and names in backticks that are defined once are linked."""
    found = document_links("docs/guide.md", text, SYMBOLS)
    assert {link.to_key: link.confidence for link in found} == expected


def test_mentions_are_counted() -> None:
    """An edge has the line of the first mention and their number."""
    found = document_links("docs/guide.md", "a\nsrc/app/core.py\nsrc/app/core.py", SYMBOLS)
    assert found == [Link("docs/guide.md", "src/app/core.py", "documents", 0.75, 2, 2)]


def test_a_list_of_everything_is_cut() -> None:
    """A text that names hundreds of files gives a bounded number of edges."""
    symbols = MemorySymbols({f"a/f{n}.py": Outline("python") for n in range(1000)})
    assert len(document_links("x.md", "\n".join(f"a/f{n}.py" for n in range(1000)), symbols)) == MAX_LINKS


def test_a_text_of_signs_costs_no_more_than_one_of_words():
    """Where no path can begin anew, none is looked for: time grows with the text, not with its square."""
    started = time.monotonic()
    assert document_links("docs/guide.md", ("+" * 2_000 + "\n") * 100, SYMBOLS) == []
    assert time.monotonic() - started < 2.0
