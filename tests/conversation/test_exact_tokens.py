"""Exact counts of tokens, by the packages that have the tables."""

from __future__ import annotations

import sys

import pytest

from remora.conversation.exact_tokens import _openai, token_counter
from remora.core.errors import InvalidInput
from remora.core.tokens import ESTIMATORS
from remora.core.values import Message
from tests.core.test_tokens import SAMPLES


def test_names_without_a_counter(monkeypatch: pytest.MonkeyPatch):
    """A name that is none is refused with all that there are, one without its package with the command."""
    with pytest.raises(InvalidInput, match="'gpt'") as caught:
        token_counter("gpt")
    for name in (*ESTIMATORS, "cl100k_base", "o200k_base"):
        assert name in caught.value.hint
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    _openai.cache_clear()
    for name in ("cl100k_base", "o200k_base"):
        with pytest.raises(InvalidInput, match=f"{name} requires a package") as caught:
            token_counter(name)
        assert "pip install remora[exact-tokens]" in caught.value.hint


@pytest.mark.parametrize("name", SAMPLES)
def test_openai_counts(name: str):
    """With the extra, the counts are those that the estimates were compared with."""
    pytest.importorskip("bpe_openai", reason="an extra; test_names_without_a_counter covers its absence")
    text, old, new = SAMPLES[name]
    assert (token_counter("cl100k_base").text(text), token_counter("o200k_base").text(text)) == (old, new)


def test_openai_counts_any_text():
    """Special tokens are text, half signs do no harm, a message costs 4 more, and length has no limit."""
    pytest.importorskip("bpe_openai", reason="an extra; test_names_without_a_counter covers its absence")
    counter = token_counter("o200k_base")
    assert counter.text("") == 0
    assert counter.text("<|endoftext|>") > 1
    assert counter.text("a\ud83d") > 0
    assert counter.tokens([Message(0, "user", "hello world")]) == 2 + 4
    line = "hello wonderful world\n"
    assert counter.text(line * 60_000) == pytest.approx(60_000 * counter.text(line), rel=1e-4)
