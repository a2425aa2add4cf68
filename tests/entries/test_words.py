"""Texts are cut into words the same way for entries and for queries."""

from __future__ import annotations

import unicodedata

import pytest

from remora.entries.bm25 import STOP_WORDS, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case-and.dots", ["snake", "case", "dots"]),
        ("a x 7 42 é", ["42"]),
        ("running runs ran", ["running", "runs", "ran"]),
        ("The cat is on THE mat", ["cat", "mat"]),
        ("Größe ΣΊΣΥΦΟΣ", ["größe", "σίσυφος"]),
        ("x² 10½", ["x²", "10½"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_digits(text: str, expected: list[str]) -> None:
    """Two or more letters or digits make a word, in lower case; function words and everything else do not."""
    assert tokens(text) == expected


def test_marks_stay_with_their_letters() -> None:
    """A word is found however its accents are written; vowel signs do not cut it, a selector does."""
    assert tokens(unicodedata.normalize("NFD", "Çédille")) == tokens("Çédille") == ["çédille"]
    assert tokens("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert tokens("ab\ufe0fcd") == ["ab", "cd"]
    assert tokens(" ".join(sorted(STOP_WORDS))) == []


def test_a_run_of_cjk_is_a_word_and_its_parts_are_found_too() -> None:
    """The run as a whole is one token, as described; beside it stand its pairs, or no part would be found."""
    assert tokens("数据库迁移") == ["数据库迁移", "数据", "据库", "库迁", "迁移"]
    assert tokens("用the JWT认证x") == ["用the", "用", "jwt认证x", "认证", "jwt"]
    assert set(tokens("迁移")) <= set(tokens("使用数据库迁移"))
