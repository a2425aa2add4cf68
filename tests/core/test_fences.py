"""Fenced code is told from prose, line by line."""

from __future__ import annotations

import pytest

from remora.core.fences import fence_after, unfenced, without_code
from tests.tables import table


@pytest.mark.parametrize(("line", "fence", "after"), table(__file__, "fences"))
def test_which_fence_is_open(line: str, fence: str, after: str) -> None:
    """A fence is closed by its own sign, as often at least, alone on its line; a span is no fence."""
    assert fence_after(line, fence) == after


def test_code_is_left_out() -> None:
    """Fenced blocks go, also one that is never closed; inline code stays."""
    assert without_code("a `b`\n```py\nx = 1\n```\nc").split() == ["a", "`b`", "c"]
    assert without_code("a\n~~~\nx\n") == "a\n"
    assert without_code("a\n````\n```\nx\n````\nb") == "a\n\nb"


def test_only_a_fence_around_the_whole_is_taken_off() -> None:
    """An answer in a fence is what stands in it; a block in an answer stays."""
    assert unfenced("``` json\na\nb\n```  ") == "a\nb"
    assert unfenced("a\n```\nb\n```") == "a\n```\nb\n```"
    assert unfenced("```") == ""
