"""Tool traffic becomes text, once, and nothing else changes."""

from __future__ import annotations

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from remora.conversation.flatten import FLATTENED_TO, flatten, settled, working_context
from remora.conversation.replay import Boundary
from remora.core.values import Message, ToolCall
from tests.conversation.compaction import calls, result, said
from tests.conversation.logs import texts


def test_a_call_and_its_result_become_text() -> None:
    """001: content, then each call's name and arguments and what it gave back, <no response> or <empty>."""
    asked = calls(2, "read", "bash", content="Look.", k="v")
    flat = flatten([said(1), asked, result(3, "bash", "b"), result(4, "read", "a"), said(5)])
    text = 'Look.\n[Tool: read | Args: {"k": "v"}]\n[Result: a]\n[Tool: bash | Args: {"k": "v"}]\n[Result: b]'
    assert texts(flat) == ["msg1", text, "msg5"]
    assert [m.seq for m in flat] == [1, 2, 5]
    assert texts(flatten([calls(1, "a", "b"), result(2, "b", "")])) == [
        "[Tool: a | Args: {}]\n[Result: <no response>]\n[Tool: b | Args: {}]\n[Result: <empty>]"
    ]


def test_long_arguments_and_results_are_cut() -> None:
    """001: arguments at 200 characters, results at 2000, with three dots; at the limit nothing happens."""

    def lines(argument: str, given: str) -> list[str]:
        asked = Message(1, "assistant", "", tool_calls=(ToolCall("i", "t", argument),))
        return flatten([asked, Message(2, "tool", given, tool_call_id="i")])[0].content.split("\n")

    assert lines("a" * 200, "r" * 2000) == [f"[Tool: t | Args: {'a' * 200}]", f"[Result: {'r' * 2000}]"]
    assert lines("a" * 201, "r" * 2001) == [f"[Tool: t | Args: {'a' * 200}...]", f"[Result: {'r' * 2000}...]"]


def test_an_orphan_becomes_the_assistants_text() -> None:
    """001: a result without its call names the tool, or says unknown."""
    flat = flatten([result(1, "grep", "x"), Message(2, "tool", "", tool_call_id="9")])
    assert flat == [
        Message(1, "assistant", "[Tool: grep]\n[Result: x]"),
        Message(2, "assistant", "[Tool: unknown]\n[Result: <empty>]"),
    ]


def test_everything_else_of_a_message_stays() -> None:
    """Number, time, the caller's id, metadata and a speaker's name survive; calls and call ids do not."""
    noon, asked = "2026-01-01T12:00:00.000Z", (ToolCall("1", "t"),)
    planned = Message(7, "Planner", "x", noon, "e7", asked, "0", "n", {"a": 1}, "noon")
    text = "x\n[Tool: t | Args: {}]\n[Result: <no response>]"
    assert flatten([planned]) == [
        Message(7, "Planner", text, noon, "e7", metadata={"a": 1}, time_text="noon")
    ]
    assert flatten([Message(8, "tool", "", tool_calls=asked)])[0].role == "assistant"


def test_only_what_was_there_is_flattened() -> None:
    """Above the given number messages stay, but late results join their call and orphans become text."""
    messages = [calls(1, "a"), result(2, "a"), calls(3, "a"), result(4, "a"), said(5)]
    assert flatten(messages, 2)[1:] == messages[2:]
    assert flatten(messages, 0) == messages
    late = [calls(1, "a"), said(2), result(3, "a", "late"), result(4, "gone", "x")]
    joined = "[Tool: a | Args: {}]\n[Result: late]"
    assert texts(flatten(late, 1)) == [joined, "msg2", "[Tool: gone]\n[Result: x]"]


def test_a_call_at_work_is_not_settled() -> None:
    """An agent that is shortened between call and result finds the call when the result comes."""
    messages = [said(1), said(4), calls(6, "a", "b"), result(8, "a")]
    assert settled(messages) == 4
    assert settled([*messages, result(9, "b")]) == 9
    assert settled([*messages, said(9)]) == 9
    assert settled([calls(1, "a")]) == 0
    assert settled([]) == 0


def boundary(kind: Literal["clear", "compact"], **details: object) -> Boundary:
    """Return the marker of a clear or a compaction."""
    return Boundary(kind, 1, "", 0, "S", None, details)


def test_the_working_context_is_flattened_up_to_the_marker() -> None:
    """Summary first, what was kept as text, then everything after it as it is."""
    summary = Message(0, "system", "[Conversation summary]\nS")
    messages = [summary, calls(5, "a"), result(6, "a"), calls(7, "a"), result(8, "a")]
    context = working_context(messages, boundary("compact", **{FLATTENED_TO: 6}))
    assert context[0] == summary
    assert [m.seq for m in context] == [0, 5, 7, 8]
    assert context[2:] == messages[3:]


def test_other_boundaries_change_nothing() -> None:
    """No marker, a clear, a compaction by another program, or a number that is none leave all as it is."""
    messages = [calls(1, "a"), result(2, "a"), result(3, "gone")]
    for other in (
        None,
        boundary("clear", **{FLATTENED_TO: 3}),
        boundary("compact"),
        boundary("compact", **{FLATTENED_TO: "3"}),
        boundary("compact", **{FLATTENED_TO: True}),
        Boundary("compact", 1, "", 0, "S"),
    ):
        assert working_context(messages, other) == messages


CALLS = st.tuples(st.sampled_from(["", "1", "2"]), st.sampled_from(["x", "y"])).map(lambda c: ToolCall(*c))
MESSAGES = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "tool", "Function", "system"]),
        st.text(max_size=5),
        st.lists(CALLS, max_size=3),
        st.sampled_from([None, None, "1", "2", "3"]),
        st.sampled_from([None, "x", "y"]),
    ),
    max_size=12,
).map(
    lambda drawn: [
        Message(seq, role, content, tool_calls=tuple(asked), tool_call_id=call_id, tool_name=name)
        for seq, (role, content, asked, call_id, name) in enumerate(drawn, 1)
    ]
)


@given(MESSAGES, st.integers(0, 13))
def test_flattening_twice_changes_nothing_more(messages: list[Message], up_to: int) -> None:
    """Idempotent, in order, and no tool's role and no call is left, but above a given number."""
    flat = flatten(messages)
    assert flatten(flat) == flat
    assert all(m.role.lower() not in ("tool", "function") and not m.tool_calls for m in flat)
    assert all(m.tool_call_id is None for m in flat)
    assert [m.seq for m in flat] == sorted({m.seq for m in flat})
    part = flatten(messages, up_to)
    assert flatten(part, up_to) == part
    assert [m for m in part if m.tool_calls] == [m for m in messages if m.tool_calls and m.seq > up_to]
