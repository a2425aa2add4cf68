"""Words without their endings."""

from __future__ import annotations

import pytest

from remora.core.stems import stem


@pytest.mark.parametrize(
    ("one", "other"),
    [("entry", "entries"), ("query", "queries"), ("dependency", "dependencies"), ("commit", "committing")],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    """Singular and plural, the verb and its forms."""
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["", "-", "--", "y", "ays"])
def test_what_is_hardly_a_word_stays(word: str) -> None:
    """Nothing, signs alone and very short words have no ending to lose."""
    assert stem(word) == word.replace("-", "")
