"""Estimates of tokens: each document's rule, and the better default."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.tokens import ESTIMATORS, scripts
from remora.core.values import Message, ToolCall
from tests.tables import table

# Texts of our own, and how many tokens bpe-openai 0.1.4 counts in them for cl100k and for o200k.
SAMPLES = {name: (text, int(old), int(new)) for name, old, new, text in table(__file__, "samples")}


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("chars/4", "", 0),
        ("chars/4", "abcde", 2),
        ("bytes/4", "", 1),
        ("bytes/4", "a" * 11, 2),
        ("bytes/4", "日本語", 2),
        ("floor-bytes/4", "abc", 0),
        ("floor-bytes/4", "日本語", 2),
        ("chars/3.5", "x" * 7, 2),
    ],
)
def test_estimates_of_the_specifications(name: str, text: str, tokens: int):
    """002 rounds characters up, 003 bytes down to 1 at least, 004 bytes down to 0, 001 characters down."""
    assert ESTIMATORS[name].text(text) == tokens


def test_three_and_a_half_is_rounded_once():
    """Messages are added up before the rounding, as 001 does: three of 3 characters are 2 tokens, not 0."""
    messages = [Message(0, "user", "abc")] * 3
    assert ESTIMATORS["chars/3.5"].tokens(messages) == 2
    assert ESTIMATORS["floor-bytes/4"].tokens(messages) == 0


def test_budgets_in_parts_of_a_token():
    """The greatest weight within a budget is just below the next token."""
    counter = ESTIMATORS["chars/3.5"]
    weight = counter.fitting(2)
    assert (weight // counter.parts, (weight + 1) // counter.parts) == (2, 3)
    assert ESTIMATORS["chars/4"].fitting(2) == 2


@pytest.mark.parametrize(("text", "tokens"), table(__file__, "scripts"))
def test_scripts(text: str, tokens: str):
    """Words, numbers, signs and scripts weigh what they usually cost."""
    assert scripts(text) == ESTIMATORS["scripts"].text(text) == int(tokens)


@pytest.mark.parametrize("name", SAMPLES)
def test_scripts_is_near_the_truth(name: str):
    """On short texts of six kinds the default is within a quarter of what one of two tokenizers counts."""
    text, old, new = SAMPLES[name]
    assert 0.8 * min(old, new) <= scripts(text) <= 1.25 * max(old, new)


def test_a_message_costs_more_than_its_text():
    """The default adds 4 tokens a message, and counts what a tool is called with."""
    counter = ESTIMATORS["scripts"]
    plain = Message(0, "user", "hello world")
    assert counter.tokens([plain, plain]) == 2 * (2 + 4)
    call = plain._replace(tool_calls=(ToolCall("", "list_files", {"path": "src"}),))
    assert counter.tokens([call]) > counter.tokens([plain])


def test_what_the_documents_count_of_a_message():
    """003 counts calls and the id that a result answers, with 1 token at least; 001 and 004 the content."""
    call = Message(0, "assistant", "", tool_calls=(ToolCall("id", "name", "argument"),))
    result = Message(0, "tool", "1234", tool_call_id="call_1234")
    empty = Message(0, "user", "")
    counts = {name: [ESTIMATORS[name].tokens([m]) for m in (call, result, empty)] for name in ESTIMATORS}
    assert counts["bytes/4"] == [3, 3, 1]
    assert counts["chars/4"] == [3, 4, 0]
    assert counts["floor-bytes/4"] == [0, 1, 0]
    assert counts["chars/3.5"] == [0, 1, 0]


@given(st.text(max_size=30), st.text(max_size=30))
def test_estimates_only_grow(first: str, second: str):
    """More text is never fewer tokens; two texts together are more than each alone by a rounding at most."""
    for way in ESTIMATORS.values():
        one, other, both = way.text(first), way.text(second), way.text(first + second)
        assert max(one, other) <= both <= one + other + 1
