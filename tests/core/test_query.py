"""What kind of question a query is, and the files it names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.query import GRAPH_TOOLS, WEIGHTS, detect_type, named_paths, without_places
from tests.tables import table


@pytest.mark.parametrize(("expected", "question"), table(__file__, "questions"))
def test_kinds_of_questions(expected: str, question: str):
    """A name in code, a call or a file makes an identifier; a full stop or an address does not."""
    assert detect_type(question) == detect_type(question, ["Read", "Grep"]) == expected
    if expected == "identifier":
        assert detect_type(question, ["analyzeImpact"]) == expected


@pytest.mark.parametrize("tool", sorted(GRAPH_TOOLS))
def test_structural(tool: str):
    """A question right after a look at the graph is about structure."""
    assert detect_type("dependencies", ["Read", tool]) == "structural"
    assert detect_type("how does authentication work", [tool, "Read"]) == "structural"


@pytest.mark.parametrize("row", table(__file__, "named_paths"), ids=lambda row: row[0])
def test_named_paths(row: tuple[str, ...]):
    """Paths and file names are found in order, once, without what a sentence puts around them."""
    text, *paths = row
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


@pytest.mark.parametrize(("line", "said"), table(__file__, "places"))
def test_places_of_compilers_and_linters_are_left_out(line: str, said: str):
    """What was found recurs, where does not; a place within a sentence is part of it."""
    assert without_places(line) == said
