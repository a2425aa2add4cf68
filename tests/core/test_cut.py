"""Texts: made sound, and cut to size between words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.cut import WORD, both_ends
from remora.core.secrets import redact
from tests.helpers import SECRET


@given(st.text(alphabet="ab \n\ud83d", max_size=400), st.integers(40, 300))
def test_never_longer_and_always_sound(text: str, limit: int) -> None:
    """Whatever the text: it fits, and can be written."""
    cut = both_ends(text, limit)
    assert len(cut) <= limit
    cut.encode()


def test_both_ends_are_there() -> None:
    """In whole words, with how much is missing in between."""
    text = "Exit code 1 " + "some words " * 500 + "make: *** Error 2"
    cut = both_ends(text, 300)
    assert cut.startswith("Exit code 1 some words")
    assert cut.endswith("some words make: *** Error 2")
    assert f"[… {len(text) - 300} characters …]" in cut
    assert set(cut.split()) <= {*text.split(), "[…", str(len(text) - 300), "characters", "…]"}


def test_what_has_no_words_is_cut_where_it_is() -> None:
    """Nothing of a text that is one long word would stay."""
    cut = both_ends("x" * 9_000, 8_000)
    assert len(cut) == 8_000
    assert both_ends("y" * 10 * WORD, 3 * WORD).startswith("y" * WORD)


@pytest.mark.slow
def test_no_half_of_a_secret_stays() -> None:
    """Wherever the cut comes, what is left of the text holds the whole token or nothing of it."""
    for before in range(3_700, 4_100, 2):
        text = "a " * (before // 2) + f"token={SECRET} " + "b " * 4_000
        left = redact(both_ends(text, 8_000)).text
        assert SECRET[:12] not in left
    for after in range(3_700, 4_100, 2):
        text = "a " * 4_000 + f"token={SECRET} " + "b " * (after // 2)
        assert SECRET[-12:] not in redact(both_ends(text, 8_000)).text
