"""Units and exchanges: what of a conversation belongs together."""

from __future__ import annotations

import pytest

from remora.conversation.calls import exchanges, orphans, units
from remora.core.values import Message, ToolCall


def say(role: str, content: str = "") -> Message:
    """Return a message without tools."""
    return Message(0, role, content)


def call(*ids: str, name: str = "look") -> Message:
    """Return an assistant's message that calls a tool once for each id."""
    return Message(0, "assistant", "", tool_calls=tuple(ToolCall(i, name) for i in ids))


def result(call_id: str | None, name: str | None = None) -> Message:
    """Return what a tool gave back."""
    return Message(0, "tool", "found", tool_call_id=call_id, tool_name=name)


def placed(*messages: Message) -> list[tuple[int, ...]]:
    """Return the places of each unit."""
    return [unit.places for unit in units(messages, lambda _message: 1)]


@pytest.mark.parametrize(
    ("messages", "places"),
    [
        ([say("system"), say("user"), say("developer"), say("assistant")], [(1,), (3,)]),
        ([say("user"), call("a", "b"), result("a"), result("b"), say("user")], [(0,), (1, 2, 3), (4,)]),
        ([call("a"), say("user"), result("a"), say("user")], [(1,), (0, 2), (3,)]),
    ],
    ids=["without tools", "two calls", "a late result"],
)
def test_what_is_a_unit(messages: list[Message], places: list[tuple[int, ...]]):
    """A message alone, or a call with all its results, where they end; system messages are in none."""
    assert placed(*messages) == places


def test_results_without_call_and_calls_without_result():
    """An orphan and an open call are units of their own, and orphans are counted."""
    messages = (result("gone"), say("user"), call("open"))
    assert placed(*messages) == [(0,), (1,), (2,)]
    assert orphans(messages) == 1
    assert orphans((call("a"), result("a"))) == 0


def test_exchanges():
    """An exchange begins with the user and goes on until the user speaks again after somebody else."""
    messages = [
        say("assistant", "hello"),
        say("user", "one"),
        say("user", "and"),
        call("a"),
        result("a"),
        say("assistant", "done"),
        say("user", "two"),
    ]
    assert exchanges(units(messages, lambda _message: 1)) == [[0], [1, 2, 3, 4], [5]]
    assert exchanges([]) == []


def test_a_unit_across_exchanges():
    """A call whose result comes after the user's next word belongs to the exchange of the result."""
    messages = [say("user", "one"), call("a"), say("user", "two"), result("a")]
    assert exchanges(units(messages, lambda _message: 1)) == [[0], [1, 2]]
