"""Rules get the memory type a reader would give them."""

from __future__ import annotations

import pytest

from remora.sources.rule_sense import memory_type
from tests.tables import table


@pytest.mark.parametrize(("text", "heading", "expected"), table(__file__, "rule_sense"))
def test_cues_decide_the_type(text, heading, expected):
    """One example for each line of the table."""
    assert memory_type(text, (heading,) if heading else ()) == expected


def test_words_inside_code_do_not_count():
    """`never` in a program is no order."""
    text = "Example:\n```python\nassert_never(x)  # must not happen because of X\n```"
    assert memory_type(text) == "pattern"


def test_the_default_is_the_files():
    """What an agent noted about a project is not a preference."""
    assert memory_type("small modules, plain names", default="decision") == "decision"
