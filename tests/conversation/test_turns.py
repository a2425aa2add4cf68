"""The search index gets every message with what was said around it, and no tool traffic."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from remora.conversation.turns import windows
from remora.core.values import Message, ToolCall


def said(seq: int, content: str, role: str = "user", **more: Any) -> Message:
    """Return a message of a log."""
    return Message(seq, role, content, **more)


TALK = [
    said(1, "Which port?"),
    said(2, "", "assistant", tool_calls=(ToolCall("c", "grep"),)),
    said(3, "PORT = 8080", "tool", tool_call_id="c", tool_name="grep"),
    said(4, "8080.", "assistant", external_id="e4"),
    said(5, "Yes, that one."),
]


def test_each_turn_has_its_neighbours() -> None:
    """Tool calls without words and tool results are no turns and stand between no neighbours."""
    assert [(turn.seq, turn.before, turn.after) for turn in windows(TALK)] == [
        (1, (), ("assistant: 8080.",)),
        (4, ("user: Which port?",), ("user: Yes, that one.",)),
        (5, ("assistant: 8080.",), ()),
    ]
    assert [turn.external_id for turn in windows(TALK)] == [None, "e4", None]


def test_wider_and_narrower_windows() -> None:
    """As many neighbours as asked for, in the order of the conversation."""
    talk = [said(n, str(n)) for n in range(1, 7)]
    assert windows(talk, 2, 3)[2].before == ("user: 1", "user: 2")
    assert windows(talk, 2, 3)[2].after == ("user: 4", "user: 5", "user: 6")
    assert all(turn.before == () == turn.after for turn in windows(talk, 0, 0))


def test_text_joins_the_parts() -> None:
    """The single text has heading, what came before, the turn and what came after, one a line."""
    calls = (ToolCall("1", "ls"), ToolCall("2", "ls"))
    talk = [
        said(1, "Hi", time="2026-01-01T00:00:00.000Z"),
        said(2, "Look\nhere", "Ann", time="2026-01-01T00:01:00.000Z", tool_calls=calls),
        said(3, "Done", time="2026-01-01T00:02:00.000Z"),
    ]
    turn = windows(talk, heading="cli:42")[1]
    assert turn.tools == ("ls",)
    assert turn.text == (
        "cli:42 · 2026-01-01T00:01:00.000Z\nuser: Hi\nAnn: Look\nhere\ntools: ls\nuser: Done"
    )


def test_the_callers_words_for_the_time_come_first() -> None:
    """Where a time was given in words, the words are what the index sees."""
    (turn,) = windows([said(1, "a", time="2026-01-01T00:00:00.000Z", time_text="8 May, 2023")])
    assert (turn.time, turn.heading) == ("8 May, 2023", "8 May, 2023")


def test_roles_that_are_skipped() -> None:
    """System texts and tool results are left out whatever their case, unless somebody wants them."""
    talk = [said(1, "You are helpful", "System"), said(2, "x", "tool"), said(3, "a"), said(4, " \n")]
    assert [turn.seq for turn in windows(talk)] == [3]
    assert [turn.seq for turn in windows(talk, skipped_roles=())] == [1, 2, 3]


def test_a_long_neighbour_is_cut_and_the_turn_itself_is_not() -> None:
    """A window never carries ten megabytes of somebody else's words."""
    talk = [said(1, "word " * 2_000_000), said(2, "short")]
    first, second = windows(talk, neighbour_chars=50)
    assert len(first.content) == 10_000_000
    assert len(second.before[0]) <= len("user: ") + 50
    assert second.before[0].endswith("…")


def test_only_what_changes() -> None:
    """With `since` come the new turns and the ones before them whose neighbours they are."""
    talk = [said(n, str(n)) for n in range(1, 8)]
    assert [turn.seq for turn in windows(talk, since=6)] == [5, 6, 7]
    assert [turn.seq for turn in windows(talk, 1, 2, since=6)] == [4, 5, 6, 7]
    assert windows(talk, since=8) == []
    assert windows([]) == []


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 3), st.integers(0, 3), st.data())
def test_indexing_in_steps_equals_indexing_at_once(
    total: int, split: int, before: int, after: int, data: st.DataObject
) -> None:
    """An index that is brought up to date with `since` holds what one made from nothing holds."""
    roles = data.draw(st.lists(st.sampled_from(["user", "tool"]), min_size=total, max_size=total))
    talk = [said(n, f"m{n}", role) for n, role in enumerate(roles, 1)]
    index = {turn.seq: turn for turn in windows(talk[:split], before, after)}
    index |= {turn.seq: turn for turn in windows(talk, before, after, since=split + 1)}
    assert index == {turn.seq: turn for turn in windows(talk, before, after)}
