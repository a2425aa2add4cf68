"""Exact counts of tokens, by the packages that have the tables."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from remora.conversation.exact_tokens import _openai, token_counter
from remora.core.errors import InvalidInput
from remora.core.tokens import ESTIMATORS
from remora.core.values import Message
from tests.core.test_tokens import SAMPLES


def tokenizer_file(folder: Path) -> Path:
    """Return a tokenizer.json of words at white space, with a start token that nobody may count."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = {"<s>": 0, "[UNK]": 1, "the": 2, "log": 3, "grows": 4}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    tokenizer.enable_truncation(max_length=4)
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_names_without_a_counter(monkeypatch: pytest.MonkeyPatch):
    """A name that is none is refused with all that there are, one without its package with the command."""
    with pytest.raises(InvalidInput, match="'gpt'") as caught:
        token_counter("gpt")
    for name in (*ESTIMATORS, "cl100k_base", "o200k_base", "hf:/path/to/tokenizer.json"):
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
    assert counter.text(line * 60_000) == 60_000 * counter.text(line)


def test_a_tokenizer_of_hugging_face(tmp_path: Path):
    """A tokenizer.json counts whole texts, without the start token and the limit; no other file does."""
    counter = token_counter(f"hf:{tokenizer_file(tmp_path)}")
    assert counter.text("the log grows and grows and grows") == 7
    assert counter.tokens([Message(0, "user", "the log")]) == 2 + 4
    assert counter.text("the log grows\n" * 20_000) == 60_000
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "other.json").write_text('{"model": 1}')
    for name, problem in {
        "missing.json": "cannot be read: No such file",
        "binary.json": "cannot be read: not text",
        "other.json": "is not a tokenizer",
    }.items():
        with pytest.raises(InvalidInput, match=f"{name} {problem}"):
            token_counter(f"hf:{tmp_path / name}")
