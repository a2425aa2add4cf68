"""Near duplicates share bands; texts that say different things are not one statement."""

from __future__ import annotations

import random

import pytest

from remora.core.sketch import BANDS, bands, same_statement, word_set
from remora.core.text import jaccard
from tests.tables import table


def shared(first: str, second: str) -> int:
    """Return how many bands two texts share."""
    return len(set(bands(first)) & set(bands(second)))


def test_word_set_leaves_function_words_out():
    """What counts when texts are compared are the words that say something."""
    assert word_set("The tokens are for the user_store") == {"tokens", "user_store"}
    assert word_set("of the") == frozenset()


def test_bands_know_words_only():
    """Case, order, repetition and punctuation do not change the bands; a text without words has none."""
    assert bands("Redis cache, twice: redis") == bands("twice cache redis cache")
    assert [band for band, _ in bands("redis")] == list(range(BANDS))
    assert all(0 <= value < 2**56 for _, value in bands("redis"))
    assert bands("") == bands("the of and") == bands("?!") == []


def test_bands_are_the_same_everywhere():
    """Bands are stored, so they must never change: these were computed once and written down."""
    assert bands("tokens expire after 24 h")[:2] == [(0, 19059779216722499), (1, 34671528152018377)]


def test_near_duplicates_share_bands():
    """Of pairs with a similarity above 0.85 nearly all share two bands, of those below 0.3 nearly none."""
    rng = random.Random(7)
    vocabulary = [f"word{n}" for n in range(2_000)]
    near = far = 0
    for _ in range(150):
        words = rng.sample(vocabulary, 30)
        changed = [*words[:28], *rng.sample(vocabulary, 1)]
        assert jaccard(word_set(" ".join(words)), word_set(" ".join(changed))) > 0.85
        near += shared(" ".join(words), " ".join(changed)) >= 2
        other = [*words[:12], *rng.sample(vocabulary, 18)]
        far += shared(" ".join(words), " ".join(other)) >= 2
    assert near >= 140
    assert far <= 4


@pytest.mark.parametrize(("expected", "first", "second"), table(__file__, "sketches"))
def test_the_same_statement(expected: str, first: str, second: str):
    """Order, small words, numbers and negations tell texts apart; articles, signs and case do not."""
    assert same_statement(first, second) is same_statement(second, first) is (expected == "same")
