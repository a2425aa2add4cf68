"""Asking a model within one limit: a retry where it may help, and no wait for one that hangs."""

from __future__ import annotations

import threading
import time

import pytest

from remora.core.errors import ProviderBusy, ProviderError
from remora.journal.consolidate import MOST_TOKENS, RETRY_AFTER, ask
from remora.journal.prompt import SCHEMA, build_prompt
from remora.llm.client import GRACE
from remora.llm.scripted import ScriptedModel
from tests.journal.made import SETTINGS, answer, no_sleep, talk

PROMPT = build_prompt("", talk(), 8192)[0]


def asked(*replies, memory="", settings=SETTINGS, sleep=no_sleep):
    """Ask a scripted model; return what came of it and the model."""
    model = ScriptedModel(replies)
    return ask(model, PROMPT, memory, settings, sleep), model


def test_a_good_answer():
    """One call with the prompt alone, the schema, the time that is left, and room to repeat the memory."""
    result, model = asked(answer())
    assert result.reply is not None
    assert result.reply.memory_update == "- ES256"
    [call] = model.calls
    assert [(m.role, m.content) for m in call.messages] == [("user", PROMPT)]
    assert (call.max_tokens, call.schema) == (SETTINGS.consolidation_tokens, SCHEMA)
    assert 29 < (call.timeout or 0) <= SETTINGS.consolidation_timeout
    for size, tokens in {40_000: 12_500 + 1_024, 400_000: MOST_TOKENS}.items():
        result, model = asked(answer(memory="x" * size), memory="x" * size)
        assert result.reply is not None
        assert model.calls[0].max_tokens == tokens


def test_busy_then_well():
    """A server that says that a retry helps is asked once more after a second, if the limit leaves one."""
    waits: list[float] = []
    result, model = asked(ProviderBusy("503", status=503), answer(), sleep=waits.append)
    assert result.reply is not None
    assert waits == [RETRY_AFTER] == [1.0]
    assert len(model.calls) == 2
    short = SETTINGS._replace(consolidation_timeout=0.5)
    result, model = asked(ProviderBusy("503", status=503), settings=short)
    assert (result.reply, len(model.calls)) == (None, 1)


@pytest.mark.parametrize(
    ("replies", "calls"),
    [
        ([ProviderBusy("down"), ProviderBusy("still down")], 2),
        ([ProviderError("500", status=500)], 1),
        ([TimeoutError("late")], 1),
    ],
)
def test_failures_are_results(replies, calls):
    """A model that fails is told with the kind of the failure, and raises nothing."""
    result, model = asked(*replies)
    assert (result.reply, result.answer, len(model.calls)) == (None, "", calls)
    assert result.problem.startswith(type(replies[-1]).__name__)
    assert str(replies[-1]) in result.problem


def test_a_model_that_ignores_its_timeout_is_left_behind():
    """A hung model costs the limit and a short grace, not more."""
    release, began = threading.Event(), time.perf_counter()
    short = SETTINGS._replace(consolidation_timeout=0.1)
    try:
        result, _ = asked(lambda call: answer() if release.wait(30) else "", settings=short)
    finally:
        release.set()
    assert time.perf_counter() - began < 0.1 + GRACE + 1
    assert result.reply is None
    assert "no answer within" in result.problem
