"""Sentences end where readers of several scripts see an end."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from remora.conversation.sentences import shorten_to_sentence


def test_a_text_is_cut_where_a_sentence_ends() -> None:
    """The last whole sentence or line within the limit is the end, if that keeps half."""
    assert shorten_to_sentence("One two. Three four. Five", 22) == "One two. Three four."
    assert shorten_to_sentence("- one\n- two\n- three", 13) == "- one\n- two"
    assert shorten_to_sentence("一二三。四五六。七", 8) == "一二三。四五六。"
    assert shorten_to_sentence("a. " + "b" * 50, 20) == "a. " + "b" * 16 + "…"
    assert shorten_to_sentence("  short  ", 50) == "short"


def test_a_broken_text_loses_its_half_sentence() -> None:
    """What a model did not finish goes; a text without any end keeps its words."""
    assert shorten_to_sentence("It is all done. Then we cou", 100, broken=True) == "It is all done."
    assert shorten_to_sentence("All done.", 100, broken=True) == "All done."
    assert shorten_to_sentence("never ending wor", 100, broken=True) == "never ending…"


@given(st.text(), st.integers(1, 60), st.booleans())
def test_the_limit_always_holds(text: str, limit: int, broken: bool) -> None:
    """No text comes out longer than its limit; what fits whole comes out as it is."""
    cut = shorten_to_sentence(text, limit, broken=broken)
    assert len(cut) <= limit
    if len(text.strip()) <= limit and not broken:
        assert cut == text.strip()


def test_hostile_text_takes_no_time() -> None:
    """A hundred thousand signs of one kind are read in one go."""
    started = time.perf_counter()
    for sign in ".", "!?", "\n", "` ", "```\n", "- ", '."':
        shorten_to_sentence("x" + sign * 50_000, 2_000)
    assert time.perf_counter() - started < 2
