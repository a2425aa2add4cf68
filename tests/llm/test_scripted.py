"""The model that answers from a list."""

from __future__ import annotations

import pytest

from remora.core.errors import ProviderBusy
from remora.llm.client import Completion, Message
from remora.llm.scripted import ScriptedModel

ASK = [Message("user", "hello")]


def test_replies_come_in_order_in_four_forms():
    """A text, a completion, a function of the call, an exception."""
    model = ScriptedModel(
        ["a", Completion("b", "length", 3, 4), lambda call: f"{call.max_tokens}", ProviderBusy("later")]
    )
    assert model.complete(ASK, max_tokens=5).text == "a"
    assert model.complete(ASK, max_tokens=5).finish_reason == "length"
    assert model.complete(ASK, max_tokens=7).text == "7"
    assert model.left == 1
    with pytest.raises(ProviderBusy, match="later"):
        model.complete(ASK, max_tokens=5)
    assert model.left == 0


def test_it_runs_out_loudly():
    """One call too many is an AssertionError, which no fallback for failing providers survives."""
    model = ScriptedModel(["a"])
    model.complete(ASK, max_tokens=5)
    with pytest.raises(AssertionError, match=r"1 replies; call 2 asks: 'hello'"):
        model.complete(ASK, max_tokens=5)
    assert model.left == 0
