"""Rules get the memory type a reader would give them."""

from __future__ import annotations

import pytest

from remora.sources.rule_sense import memory_type
from tests.tables import table


@pytest.mark.parametrize(("text", "heading", "expected"), table(__file__, "rule_sense"))
def test_cues_decide_the_type(text, heading, expected):
    """Words of the text, but not of its code, tell the type; without any the file's default counts."""
    assert memory_type(text, (heading,) if heading else ()) == expected
    assert memory_type("small modules, plain names", default="decision") == "decision"
