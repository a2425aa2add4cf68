"""What is known about models by their names."""

from __future__ import annotations

import pytest

from remora.embeddings.known import Known, known


@pytest.mark.parametrize(
    ("model", "dims", "cuttable", "query"),
    [
        ("qwen3-embedding:8b-q8_0", 4096, True, "Instruct: "),
        ("Qwen/Qwen3-Embedding-0.6B", 1024, True, "Instruct: "),
        ("text-embedding-3-large", 3072, True, ""),
        ("snowflake-arctic-embed2:568m", 1024, True, "query: "),
        ("snowflake-arctic-embed:335m", None, False, "Represent "),
        ("intfloat/multilingual-e5-large-instruct", 1024, False, "Instruct: "),
        ("BAAI/bge-small-en-v1.5", 384, False, "Represent "),
    ],
)
def test_a_name_finds_its_family(model, dims, cuttable, query):
    """The narrowest family that fits counts, whatever the case, owner or tag."""
    facts = known(model)
    assert (facts.dims, facts.cuttable) == (dims, cuttable)
    assert facts.query_prefix.startswith(query)
    assert bool(facts.query_prefix) is bool(query)


def test_an_unknown_model_has_no_facts():
    """Nothing is guessed: no prefix, no length, never cut."""
    assert known("my-own-model") == known("bge-m3") == Known("", "", None, False)
