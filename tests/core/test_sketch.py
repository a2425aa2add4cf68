"""Near duplicates share bands; texts that say different things are not one statement."""

from __future__ import annotations

import random

import pytest

from remora.core.sketch import BANDS, bands, same_statement, word_set
from remora.core.text import jaccard


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


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Run migrations before the deploy", "Run migrations after the deploy"),
        ("Prefer tabs over spaces", "Prefer spaces over tabs"),
        ("Use Redis instead of Memcached", "Use Memcached instead of Redis"),
        ("Copy from staging to production", "Copy from production to staging"),
        ("The api module imports the auth module", "The auth module imports the api module"),
        ("Log errors only", "Log errors"),
        ("All tests must pass", "Some tests must pass"),
        ("Tokens expire after 24 h", "Tokens expire after 12 h"),
        ("Do not retry on failure", "Do retry on failure"),
        ("Limit is above the quota", "Limit is below the quota"),
    ],
)
def test_other_statements(first: str, second: str):
    """Nearly the same words can say the opposite: their order, small words, numbers and negations tell."""
    assert not same_statement(first, second)
    assert not same_statement(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Run the tests, then deploy.", "run the tests then deploy"),
        ("Tokens expire after 24 h", "The tokens expire after 24 h!"),
        ("Use Redis for the sessions", "Please use Redis for sessions"),
        ("Don't edit migrations by hand", "Don’t edit the migrations by hand"),
        ("same", "same"),
        ("", ""),
    ],
)
def test_same_statements(first: str, second: str):
    """Articles, punctuation, case and a word more do not make another statement."""
    assert same_statement(first, second)
    assert same_statement(second, first)
