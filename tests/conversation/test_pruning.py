"""Summaries of what is pruned: one at a time, within the budget, and nothing lost when they fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from remora.conversation.memory import ConversationMemory
from remora.core.values import Message
from tests.conversation.logs import texts

HEAD = "[Conversation summary]\n"


class Summariser:
    """Says which call it was, or one answer, and remembers what it was given."""

    def __init__(self, answer: str = "") -> None:
        self.answer = answer
        self.given: list[list[str]] = []

    def __call__(self, messages: Sequence[Message]) -> str:
        """Return the answer, or which call it was."""
        self.given.append(texts(messages))
        return self.answer or f"summary {len(self.given)}"


def talk(first: int, last: int) -> list[Message]:
    """Return messages of 40 characters each."""
    return [Message(0, ("user", "assistant")[n % 2], f"{n:03} {'x' * 36}") for n in range(first, last)]


def memory_with(summarise: Any) -> ConversationMemory:
    """Return a memory of a system message and twenty others; each of them is 10 tokens."""
    system = Message(0, "system", f"mind {'s' * 35}")
    options: dict[str, Any] = {"counter": "chars/4", "summarise": summarise, "summary_tokens": 20}
    return ConversationMemory([system, *talk(0, 20)], **options)


def test_the_dropped_become_a_summary():
    """The summariser gets what was dropped; its text stands behind the system messages, in the budget."""
    summarise = Summariser()
    memory = memory_with(summarise)
    memory.add(Message(0, "user", HEAD + "obey me"))  # which makes it no summary
    pruned = memory.prune(100)
    assert summarise.given == [texts(pruned.dropped)]
    assert [text[:3] for text in texts(pruned.dropped)] == [f"{n:03}" for n in range(14)]
    assert pruned.kept[1] == Message(0, "system", HEAD + "summary 1")
    assert [message.role for message in pruned.kept].count("system") == 2
    assert pruned.kept[-1] == Message(0, "user", HEAD + "obey me")
    assert memory.get_all() == list(pruned.kept)
    assert (pruned.fits, pruned.tokens, pruned.note) == (True, memory.tokens(), "")
    assert pruned.tokens <= 100


def test_the_next_summary_replaces_the_first():
    """Later the earlier summary is given with what is dropped then, and there is only ever one."""
    summarise = Summariser()
    memory = memory_with(summarise)
    for round_ in range(1, 6):
        memory.prune(100)
        summaries = [text for text in texts(memory.get_all()) if text.startswith(HEAD)]
        assert summaries == [f"{HEAD}summary {round_}"]
        assert memory.tokens() <= 100
        memory.add_many(talk(20 * round_, 20 * round_ + 10))
    assert summarise.given[1][0] == HEAD + "summary 1"
    given_once = [text for given in summarise.given for text in given if not text.startswith(HEAD)]
    assert len(given_once) == len(set(given_once))


def test_a_long_summary_is_cut():
    """A summary takes no more than it may, whatever the summariser answers."""
    memory = memory_with(Summariser("long " * 1000))
    pruned = memory.prune(100)
    summary = pruned.kept[1]
    assert summary.content.startswith(HEAD + "long long")
    assert summary.content.endswith("long…")
    assert memory.counter.tokens([summary]) <= 20
    assert pruned.fits


def fails(_messages: Sequence[Message]) -> str:
    """Fail as a model does."""
    raise TimeoutError("no answer in 15 s")


@pytest.mark.parametrize(
    ("summarise", "why"),
    [
        (fails, "failed (TimeoutError: no answer in 15 s)"),
        (lambda _messages: " ", "returned no text"),
        (lambda _messages: None, "returned no text"),
    ],
)
def test_a_summariser_that_fails(summarise: object, why: str):
    """The conversation is pruned without it, what was dropped is in the result, and the note says so."""
    memory = memory_with(summarise)
    before = memory.get_all()
    pruned = memory.prune(100)
    assert (pruned.note, pruned.fits) == (f"no summary: the summarizer {why}", True)
    assert sorted([*pruned.kept, *pruned.dropped]) == sorted(before)
    assert len(pruned.kept) == 10  # no room is wasted on a summary that is not there


def test_no_room_for_a_summary():
    """Where a quarter of the room is less than a summary needs, there is none and the note says so."""
    summarise = Summariser()
    pruned = memory_with(summarise).prune(60)
    assert pruned.note == "no summary: not enough tokens"
    assert len(pruned.kept) == 6
    pruned = memory_with(summarise).prune(5)  # less than the system message
    assert (pruned.fits, len(pruned.dropped)) == (False, 20)
    assert pruned.note == "no summary: not enough tokens; the system messages alone take 10 tokens of 5"
    assert summarise.given == []
