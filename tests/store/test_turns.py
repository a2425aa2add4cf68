"""Turns of conversations: positions without gaps, neighbours, and how far each log was read."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.values import Message, ToolCall, Turn
from remora.store.database import Database
from tests.store.makers import AT, message, save


def add(db: Database, messages: Sequence[Message], session: str = "s", read_to: int = 10) -> list[int]:
    """Index messages in a transaction of their own."""
    return save(db, db.turns.add, session, f"{session}.jsonl", messages, read_to, AT)


def positions(db: Database, session: str = "s") -> list[tuple[int, int, str]]:
    """Return (position, sequence number, content) of every turn of a session."""
    sql = "SELECT position, seq, content FROM turns WHERE session_id = ? ORDER BY position"
    return db.connection.rows(sql, (session,))


def test_turns_keep_what_was_said(db: Database):
    """A turn has its message's number, speaker, text, time and the caller's own id; roles come by name."""
    assert db.turns.roles() == []
    time = "2026-03-04T10:00:00.000Z"
    messages = [
        message(3, "hello", time=time, external_id="D1:3"),
        message(4, "hi", role="Bob", time=AT, time_text="yesterday at noon"),
        message(5, "", role="assistant", tool_calls=(ToolCall("c1", "grep"),)),
        message(6, "file contents", role="tool", tool_call_id="c1"),
        message(7, "so", role="Bob"),
    ]
    first, second, third = add(db, messages)
    assert db.turns.get_many([first, second, 99]) == {
        first: Turn(first, "s", 3, 0, "user", "hello", time, "D1:3", time),
        second: Turn(second, "s", 4, 1, "Bob", "hi", "yesterday at noon", None, AT),
    }
    assert db.turns.get_many([third])[third].position == 2
    assert db.turns.get_many([]) == {}
    assert (db.turns.count(), db.turns.roles()) == (3, ["Bob", "user"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(["word", "", "数据", " ", "'\"\n"]), max_size=4), max_size=5))
def test_positions_have_no_gaps(db: Database, batches: list[list[str]]):
    """Over any batches, seen once or twice, positions are 0, 1, 2, … of the messages with text."""
    with db.connection.transaction(durable=False):
        db.turns.forget_session("s")
        db.turns.forget_session("nobody")
    assert db.turns.read_to("s") == 0
    add(db, [message(1, "kept")], "other", 5)
    seq = 0
    expected: list[tuple[int, int, str]] = []
    for batch in batches:
        messages = [message(seq + n, text) for n, text in enumerate(batch, start=1)]
        seq += len(batch)
        add(db, messages)
        assert add(db, messages) == []
        expected += [
            (len(expected) + n, m.seq, m.content)
            for n, m in enumerate(m for m in messages if m.content.strip())
        ]
    assert positions(db) == expected
    assert db.connection.check() == []
