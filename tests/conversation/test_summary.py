"""A summary is written by a model or by rule, is never blank, and never longer than its room."""

from __future__ import annotations

from typing import Any

import pytest

from remora.conversation.cut import room
from remora.conversation.summary import Summary, conversation_lines, summarise
from remora.core.errors import ProviderBusy
from remora.core.values import Message
from remora.llm.client import Completion
from remora.llm.scripted import ScriptedModel
from tests.conversation.compaction import SETTINGS, calls, result, said

TALK = [said(1, "Add tokens."), said(2, "Done.", "assistant"), said(3, "Now the tests.")]
SPOKEN = "user: Add tokens.\nassistant: Done.\nuser: Now the tests."
LONG = [said(i, f"Message {i} is about the harbour and says a few words more.") for i in range(1, 40)]
HOLDS = "The harbour was talked about at length; the ferry timetable was chosen over the tide table."


def asked(model: ScriptedModel) -> str:
    """Return the conversation that a model was given in its only call."""
    (call,) = model.calls
    return call.messages[1].content


def summed(messages: list[Message], answer: Any) -> Summary:
    """Return the summary that is made with a model's answer."""
    return summarise(messages, ScriptedModel([answer]), SETTINGS)


def test_what_the_model_is_asked() -> None:
    """One system prompt, one user message of `role: content` lines, and the settings' numbers."""
    model = ScriptedModel(["Tokens were added."])
    summary = summarise(TALK, model, SETTINGS)
    (call,) = model.calls
    assert [m.role for m in call.messages] == ["system", "user"]
    assert "at most 300 words" in call.messages[0].content
    assert asked(model) == f"Conversation:\n{SPOKEN}"
    assert (call.max_tokens, call.temperature, call.timeout, call.schema) == (500, 0.3, 15.0, None)
    assert summary == ("Tokens were added.", "model", "")


def test_tool_text_and_blank_messages_are_left_out() -> None:
    """Results and arguments never reach the model; what the agent said beside a call does."""
    messages = [said(1), calls(2, "read", content="Looking.", path="secret"), result(3, "read", "hidden"),
                calls(4, "bash", cmd="hidden"), said(5, " \n "), said(6)]  # fmt: skip
    model = ScriptedModel(["ok, looked at it"])
    summarise(messages, model, SETTINGS)
    assert asked(model) == "Conversation:\nuser: msg1\nassistant: Looking.\nuser: msg6"


def test_messages_are_cut() -> None:
    """Above 300 characters a message ends in three dots; every message stands on one line."""
    lines = conversation_lines([said(1, "x" * 300), said(2, "x" * 500), said(3, "a\n\tb\u202e")], 300)
    assert lines == ["user: " + "x" * 300, "user: " + "x" * 300 + "...", "user: a b"]


def test_the_earlier_summary_is_given_apart_and_whole() -> None:
    """It is found among the messages, goes without its heading, and is not cut at 300."""
    earlier = "An earlier fact. " * 40
    first = Message(0, "system", f"[Conversation summary]\n{earlier}")
    model = ScriptedModel(["Everything was kept in mind and the tokens were added. " * 4])
    summarise([first, *TALK], model, SETTINGS)
    assert asked(model) == f"Earlier summary:\n{earlier.strip()}\n\nConversation since then:\n{SPOKEN}"


@pytest.mark.parametrize(
    ("failure", "note"),
    [
        (ProviderBusy("nobody there"), "the model failed: nobody there"),
        (TimeoutError(), "the model failed: TimeoutError"),
        ("", "the model returned no text"),
        ("<think>hm", "the model returned no text"),
        ("[Conversation summary]\n", "the model returned no text"),
    ],
)
def test_a_model_that_fails_is_replaced_by_the_extract(failure: str | Exception, note: str) -> None:
    """001: blank, failed or late gives no summary but an extract that says why; a bug is passed on."""
    summary = summed(TALK, failure)
    assert (summary.how, summary.note) == ("extract", note)
    assert "- Add tokens." in summary.text
    with pytest.raises(ZeroDivisionError):
        summed(TALK, ZeroDivisionError())


@pytest.mark.parametrize("messages", [[result(1, "a", "x")], [calls(1, "a"), result(2, "a")], [said(1, " ")]])
def test_nothing_said_is_not_sent(messages: list[Message]) -> None:
    """With tool traffic alone the model is not asked; an earlier summary is kept."""
    model = ScriptedModel([])
    earlier = Message(0, "system", "[Conversation summary]\nThe user builds a ferry.")
    summary = summarise([earlier, *messages], model, SETTINGS)
    assert model.calls == []
    assert summary.how == "extract"
    assert summary.note == "there were only tool calls and results; the model was not called"
    assert "\nThe user builds a ferry." in summary.text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("```markdown\nThe plan is set.\n```", "The plan is set."),
        ("<think>let me see</think>The plan is set.", "The plan is set."),
        ("[Conversation summary]\nThe plan is set.", "The plan is set."),
        ("The plan\u200b is\n\n\n\n  set.", "The plan is\n\n  set."),
        ('{"summary": "The plan is set."}', '{"summary": "The plan is set."}'),
    ],
)
def test_what_models_put_around_an_answer_is_taken_off(answer: str, text: str) -> None:
    """Fences, thinking, our own heading, hidden signs and gaps go; any other form is text."""
    assert summed(TALK, answer).text == text


def test_a_long_answer_is_held_to_its_room() -> None:
    """100 kB become the first 2,500 characters; a cut answer is told."""
    summary = summed(LONG, "A sentence of some length. " * 4_000)
    assert room(SETTINGS) == 2_500
    assert 2_400 < len(summary.text) <= 2_500
    assert summary.text.endswith("…")
    assert summary.note == f"the answer had 107,999 characters; the first {len(summary.text):,} were kept"
    summary = summed(LONG, Completion(f"{HOLDS} Then the crew beg", "length"))
    assert (summary.text, summary.how) == (f"{HOLDS} Then the crew beg", "model")
    assert summary.note == "the answer was cut at 500 tokens"


def test_more_than_the_model_can_take_loses_its_beginning() -> None:
    """The newest messages are sent, and the rest is told; if none fits, nobody is asked."""
    model = ScriptedModel([HOLDS])
    settings = SETTINGS._replace(max_context_tokens=1_000)
    summary = summarise([said(i, f"n{i} " + "x" * 90) for i in range(1, 101)], model, settings)
    lines = asked(model).split("\n")
    assert len(asked(model)) < 3_600
    assert lines[-1].startswith("user: n100 ")
    assert len(lines) == 1 + 34
    assert summary.note == "the first 66 of 100 messages were not sent to the model"
    summary = summarise([said(1, "x" * 400)], ScriptedModel([]), SETTINGS._replace(max_context_tokens=10))
    assert summary.how == "extract"
    assert summary.note == "the messages are too long for the model; it was not called"


@pytest.mark.parametrize("asked", [False, True])
def test_summaries_of_summaries_never_grow(asked: bool) -> None:
    """Fifty rounds, with a model that repeats everything or with none, stay within the room."""
    repeating = ScriptedModel([lambda call: call.messages[1].content + " And more. " * 200] * 50)
    summaries: list[Message] = []
    for turn in range(50):
        new = [said(i, f"Round {turn}: decide {i} things, never fail. " * 5) for i in range(1, 30)]
        text = summarise([*summaries, *new], repeating if asked else None, SETTINGS).text
        assert 0 < len(text) <= 2_500
        assert "[Conversation summary]" not in text
        summaries = [Message(0, "system", f"[Conversation summary]\n{text}")]
