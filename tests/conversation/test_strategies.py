"""Strategies: which part of a conversation stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.conversation.calls import Unit, is_instruction, units
from remora.conversation.pruning import prune
from remora.conversation.strategies import (
    STRATEGIES,
    importance,
    recency,
    strategy,
    turns,
    window,
)
from remora.core.errors import InvalidInput
from remora.core.tokens import Estimator
from remora.core.values import Message
from tests.conversation.compaction import calls, result
from tests.conversation.compaction import said as message

LENGTH = Estimator("characters", len, calls=False)  # budgets are easy to count


def spoken(*sizes: int, roles: str = "ua" * 9) -> list[Unit]:
    """Return units of one message each, of so many characters, user and assistant in turn."""
    names = {"u": "user", "a": "assistant"}
    messages = [Message(0, names[role], "x" * size) for role, size in zip(roles, sizes, strict=False)]
    return units(messages, LENGTH.weigh)


def said(*texts: str) -> list[Unit]:
    """Return units of what user and assistant say in turn, each with a size of 10."""
    messages = [Message(0, ("user", "assistant")[i % 2], text) for i, text in enumerate(texts)]
    return units(messages, lambda _message: 10)


def test_recency_stops_at_the_first_that_does_not_fit():
    """Sizes 1, 9, 2 from old to new and room for 4: only the 2 stays, the 1 lies behind the stop."""
    assert recency(spoken(1, 9, 2), 4) == {2}
    assert recency(spoken(1, 9, 2), 12) == {0, 1, 2}
    assert recency(spoken(1, 9, 2), 1) == set()


def test_turns_keep_exchanges_whole():
    """What would fit of an exchange goes with the part that does not, but for the newest of the latest."""
    units_ = spoken(1, 1, 5, 1, 1, 1)
    assert turns(units_, 9) == {2, 3, 4, 5}
    assert turns(units_, 8) == {2, 3, 4, 5}
    assert turns(units_, 7) == {4, 5}
    assert turns(units_, 10) == {0, 1, 2, 3, 4, 5}
    assert turns(spoken(1, 1, 9, 2, 3, roles="uauaa"), 6) == {3, 4}  # an agent must see what it is doing


def test_window_counts_messages_and_tokens():
    """The newest messages stay, at most so many and as far as they fit, a call with all its results."""
    assert window(3)(spoken(1, 1, 1, 1), 100) == {1, 2, 3}
    assert window(3)(spoken(1, 1, 5, 1), 2) == {3}
    group = [calls(1, "a", "b"), result(2, "a"), result(3, "b")]
    found = units([*group, message(4, "u")], LENGTH.weigh)
    assert window(3)(found, 100) == {1}
    assert window(4)(found, 100) == {0, 1}
    assert window(1)(found[:1], 100) == {0}  # the newest unit stays whatever it counts


def test_importance_keeps_what_matters():
    """The latest exchange stays before all, then what the user said, the newer first, as far as it fits."""
    found = said(
        *("we decided to use SQLite", "fine"),
        *("never push to main", "noted"),
        *("ok thanks", "you are welcome"),
        *("the build failed with an error", "looking at it"),
        *("what now?", "a moment"),
    )
    assert importance(found, 20) == {8, 9}
    assert importance(found, 50) == {2, 4, 6, 8, 9}
    assert importance(found, 1000) == set(range(10))


def test_names():
    """The four strategies have names, a function is its own, and another name is refused with all names."""
    assert list(STRATEGIES) == ["recency", "turns", "window", "importance"]
    assert strategy("recency") is recency
    assert strategy(turns) is turns
    with pytest.raises(InvalidInput, match="'newest'") as caught:
        strategy("newest")
    assert caught.value.hint == "Choose one of recency, turns, window, importance."


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Make conversations with system messages, calls, results in any order, orphans and open calls."""
    roles = {"s": "system", "u": "user", "a": "assistant", "f": "function"}
    ids = st.sampled_from(["1", "2", "3"])
    words = st.sampled_from(["", "ok", "we decided on it", "the error was fixed", "x" * 30])
    made: list[Message] = []
    for kind in draw(st.lists(st.sampled_from("suuaaacrrof"), max_size=24)):
        text = draw(words)
        if kind == "c":
            names = draw(st.lists(ids, min_size=1, max_size=2))
            made.append(calls(0, *names, content=text))
        elif kind in "ro":
            made.append(Message(0, "tool", text, tool_call_id=draw(ids) if kind == "r" else "orphan"))
        else:
            made.append(Message(0, roles[kind], text))
    return made


@given(conversations(), st.integers(1, 120), st.sampled_from(sorted(STRATEGIES)))
def test_what_every_strategy_promises(messages: list[Message], budget: int, name: str):
    """The budget holds while there is something to drop; units, order and system messages are kept."""
    messages = [message._replace(seq=place) for place, message in enumerate(messages)]
    pruned = prune(messages, budget, LENGTH, STRATEGIES[name])
    system = [message for message in messages if is_instruction(message)]

    assert list(pruned.kept[: len(system)]) == system
    kept = [message.seq for message in pruned.kept[len(system) :]]
    dropped = [message.seq for message in pruned.dropped]
    assert kept == sorted(kept)
    assert dropped == sorted(dropped)
    assert sorted([*kept, *dropped, *(message.seq for message in system)]) == list(range(len(messages)))
    assert pruned.tokens == sum(len(message.content) for message in pruned.kept)
    assert pruned.fits is (pruned.tokens <= budget)
    assert pruned.fits or (not kept and "system messages alone" in pruned.note)
    for unit in units(messages, LENGTH.weigh):
        assert set(unit.places) <= set(kept) or set(unit.places) <= set(dropped)


@given(conversations(), st.integers(1, 120))
def test_recency_leaves_no_gap(messages: list[Message], budget: int):
    """Whatever ends after the newest unit that was dropped stays; whatever ends before it goes too."""
    messages = [message._replace(seq=place) for place, message in enumerate(messages)]
    dropped = {message.seq for message in prune(messages, budget, LENGTH, recency).dropped}
    ends: dict[bool, list[int]] = {True: [], False: []}
    for unit in units(messages, LENGTH.weigh):
        ends[set(unit.places).isdisjoint(dropped)].append(unit.places[-1])
    assert max(ends[False], default=-1) < min(ends[True], default=len(messages))
