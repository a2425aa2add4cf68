"""Turns of conversations: positions without gaps, neighbours, and how far each log was read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.values import Message, ToolCall, Turn
from remora.store.space import Space
from tests.store.makers import AT, message


def add(space: Space, messages: Sequence[Message], session: str = "s", read_to: int = 10) -> list[int]:
    """Index messages in a transaction of their own."""
    with space.db.transaction(durable=False):
        return space.turns.add(session, f"{session}.jsonl", messages, read_to, AT)


def positions(space: Space, session: str = "s") -> list[tuple[int, int, str]]:
    """Return (position, sequence number, content) of every turn of a session."""
    sql = "SELECT position, seq, content FROM turns WHERE session_id = ? ORDER BY position"
    return space.db.rows(sql, (session,))


def test_turns_keep_what_was_said(space: Space):
    """A turn has its message's number, speaker, text, time and the caller's own id."""
    (first, second) = add(
        space,
        [
            message(3, "hello", role="Ann", time="2026-03-04T10:00:00.000Z", external_id="D1:3"),
            message(4, "hi", role="Bob", time=AT, time_text="yesterday at noon"),
        ],
    )
    assert space.turns.get_many([first, second, 99]) == {
        first: Turn(first, "s", 3, 0, "Ann", "hello", "2026-03-04T10:00:00.000Z", "D1:3"),
        second: Turn(second, "s", 4, 1, "Bob", "hi", "yesterday at noon", None),
    }
    assert space.turns.get_many([]) == {}


def test_messages_without_words_get_no_turn(space: Space):
    """Tool traffic and blank messages are passed over, and positions have no gap for them."""
    add(
        space,
        [
            message(1, "one"),
            message(2, "", role="assistant", tool_calls=(ToolCall("c1", "grep"),)),
            message(3, "file contents", role="tool", tool_call_id="c1"),
            message(4, " \n\t"),
            message(5, "two"),
        ],
    )
    assert positions(space) == [(0, 1, "one"), (1, 5, "two")]
    assert space.turns.count() == 2


def test_batches_go_on_where_the_last_one_ended(space: Space):
    """Each session counts its own positions, over any number of batches."""
    add(space, [message(1, "a1"), message(2, "a2")], "a", 20)
    add(space, [message(1, "b1")], "b", 5)
    add(space, [], "a", 30)
    add(space, [message(3, "a3")], "a", 40)
    assert [p for p, _, _ in positions(space, "a")] == [0, 1, 2]
    assert [p for p, _, _ in positions(space, "b")] == [0]
    assert space.turns.sessions() == [("a", "a.jsonl", 40, 3), ("b", "b.jsonl", 5, 1)]


def test_messages_seen_twice_count_once(space: Space):
    """A batch that overlaps the one before adds only what is new."""
    first = add(space, [message(1, "one"), message(2, "two")])
    again = add(space, [message(2, "two"), message(3, "three")])
    assert positions(space) == [(0, 1, "one"), (1, 2, "two"), (2, 3, "three")]
    assert len(first) == 2
    assert len(again) == 1
    assert add(space, [message(3, "three")]) == []


def test_how_far_a_log_was_read(space: Space):
    """The offset of the last batch is kept by session; an unknown one starts at 0."""
    assert space.turns.read_to("s") == 0
    add(space, [message(1, "one")], read_to=120)
    assert space.turns.read_to("s") == 120
    add(space, [], read_to=150)
    assert space.turns.read_to("s") == 150
    assert space.turns.read_to("other") == 0


def test_forgotten_session_starts_again(space: Space):
    """A forgotten session is read from the start, from position 0, under new ids."""
    old = add(space, [message(1, "one"), message(2, "two")])
    add(space, [message(1, "kept")], "b")
    with space.db.transaction():
        space.turns.forget_session("s")
        space.turns.forget_session("nobody")
    assert (space.turns.read_to("s"), positions(space), space.turns.count()) == (0, [], 1)
    new = add(space, [message(1, "one again")])
    assert positions(space) == [(0, 1, "one again")]
    assert not set(old) & set(new)


def test_neighbours(space: Space):
    """Around a turn are those up to so many positions away, of its own session."""
    add(space, [message(n, f"a{n}") for n in range(1, 8)], "a")
    add(space, [message(n, f"b{n}") for n in range(1, 3)], "b")
    turns = {t.content: t for t in space.turns.get_many(range(1, 20)).values()}
    around = space.turns.around([turns["a4"], turns["b1"]], 2)
    assert {k: t.content for k, t in around.items()} == {
        **{("a", p): f"a{p + 1}" for p in range(1, 6)},
        ("b", 0): "b1",
        ("b", 1): "b2",
    }
    assert space.turns.around([turns["a4"]], 0) == {("a", 3): turns["a4"]}
    assert space.turns.around([], 2) == {}


def test_roles(space: Space):
    """Every speaker is known once, in order of the name."""
    assert space.turns.roles() == []
    add(space, [message(1, "x", role="user"), message(2, "y", role="Ann"), message(3, "z", role="user")])
    assert space.turns.roles() == ["Ann", "user"]


@pytest.mark.parametrize("session", ["cli:42", "ünï/\"'cödé", "%", "a b"])
def test_any_session_name(space: Space, session: str):
    """A session's name may hold any signs."""
    add(space, [message(1, "one"), message(2, "two")], session)
    (first, _) = space.turns.get_many([1, 2]).values()
    assert first.session_id == session
    assert set(space.turns.around([first], 1)) == {(session, 0), (session, 1)}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(["word", "", "数据", " ", "'\"\n"]), max_size=4), max_size=5))
def test_positions_have_no_gaps(space: Space, batches: list[list[str]]):
    """Over any batches, positions are 0, 1, 2, … in the order of the messages with text."""
    with space.db.transaction(durable=False):
        space.turns.forget_session("s")
    seq = 0
    expected: list[tuple[int, int, str]] = []
    for batch in batches:
        messages = [message(seq + n, text) for n, text in enumerate(batch, start=1)]
        seq += len(batch)
        add(space, messages)
        expected += [
            (len(expected) + n, m.seq, m.content)
            for n, m in enumerate(m for m in messages if m.content.strip())
        ]
    assert positions(space) == expected
    assert space.db.check() == []
