"""What kind of question a query is, and the files it names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.query import GRAPH_TOOLS, WEIGHTS, detect_type, named_paths, without_places

IDENTIFIERS = [
    "getUserProfile",
    "get_user_profile",
    "package.json",
    "_private",
    "why does verify() fail",
    "std::vector",
    "the error in auth/tokens.py:42",
]
SEMANTIC = [
    "how does authentication work",
    "read and/or write",
    "since 2026/11/21",
    "version 1.2.3",
    "e.g. the parser, i.e. the lexer",
    "see https://example.org/docs/page for more",
    "mail user@example.com",
    "...",
]


@pytest.mark.parametrize("question", IDENTIFIERS)
def test_identifiers(question: str):
    """A name in camelCase or snake_case, a call or a file makes an identifier query, whatever tools ran."""
    assert detect_type(question) == "identifier"
    assert detect_type(question, ["analyzeImpact"]) == "identifier"


@pytest.mark.parametrize("question", SEMANTIC)
def test_questions(question: str):
    """A full stop, a fraction, a date or an address is no name: such a query is a question."""
    assert detect_type(question) == "semantic"
    assert detect_type(question, ["Read", "Grep"]) == "semantic"


@pytest.mark.parametrize("tool", sorted(GRAPH_TOOLS))
def test_structural(tool: str):
    """A question right after a look at the graph is about structure."""
    assert detect_type("dependencies", ["Read", tool]) == "structural"
    assert detect_type("how does authentication work", [tool, "Read"]) == "structural"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("why does src/auth/tokens.py fail?", ["src/auth/tokens.py"]),
        ("(see src/a.py, src/b.py; and src/a.py.)", ["src/a.py", "src/b.py"]),
        ("at /usr/lib/x.so", ["usr/lib/x.so"]),
        ("in packages/core/src/", ["packages/core/src"]),
        ("./run.sh and ../lib/x.rb", ["./run.sh", "../lib/x.rb"]),
        ("@scope/pkg-name", ["@scope/pkg-name"]),
        ("auth/tokens.py:42", ["auth/tokens.py"]),
        ("src\\auth\\tokens.py", ["tokens.py"]),
        ("https://example.org/a/b.py", []),
        ("client/server and I/O", []),
        ("1/2 or 3/4", []),
        ("done.Next. e.g. this", []),
        (".py", []),
    ],
)
def test_named_paths(text: str, paths: list[str]):
    """Paths and file names are found in order, once, without what a sentence puts around them."""
    assert list(named_paths(text)) == paths


@given(st.text(st.sampled_from(list("aB1_./-@:() \n数é\\")), max_size=40))
def test_named_paths_are_part_of_the_text(text: str):
    """Whatever is named stands in the text, once in the answer, without spaces."""
    found = named_paths(text)
    assert len(set(found)) == len(found)
    for path in found:
        assert path in text
        assert " " not in path
        assert any(c.isalpha() for c in path)
    assert detect_type(text) in WEIGHTS


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("cmd/x.go:279:2: error is not nil (nilerr)", "error is not nil (nilerr)"),
        ("src/a.py:3: error: bad type  [arg-type]", "error: bad type  [arg-type]"),
        ("src/b.ts:3:5 - error TS2322: no", "error TS2322: no"),
        ("C:\\w\\a.cs(3,5): error CS1002: no", "error CS1002: no"),
        ("a.go:1:2: one\nb.go:3: two", "one\ntwo"),
        ("the error in auth/tokens.py:42", "the error in auth/tokens.py:42"),
        ("a.go:3:1:", "a.go:3:1:"),
    ],
)
def test_places_of_compilers_and_linters_are_left_out(line: str, said: str):
    """What was found recurs, where does not; a place within a sentence is part of it."""
    assert without_places(line) == said
