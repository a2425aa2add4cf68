"""Results find the calls that they answer, and what of a conversation belongs together."""

from __future__ import annotations

from remora.conversation.calls import CallPlace, exchanges, pair, units, waiting
from remora.core.values import Message, ToolCall
from tests.conversation.compaction import calls, result, said


def placed(*messages: Message) -> list[tuple[int, ...]]:
    """Return the places of each unit."""
    return [unit.places for unit in units(messages, lambda _message: 1)]


def test_interleaved_results_find_their_calls() -> None:
    """Results in another order, between other messages, belong to the call with their id."""
    messages = [calls(1, "a", "b"), result(2, "b"), calls(3, "c"), said(4), result(5, "a"), result(6, "c")]
    assert pair(messages) == {1: CallPlace(0, 1), 4: CallPlace(0, 0), 5: CallPlace(2, 0)}


def test_an_id_that_is_used_again_means_the_nearest_call() -> None:
    """Programs that number calls anew in each turn get each result where it was asked for."""
    messages = [calls(1, "x"), result(2, "x"), calls(3, "x"), result(4, "x"), result(5, "x")]
    assert pair(messages) == {1: CallPlace(0, 0), 3: CallPlace(2, 0), 4: CallPlace(2, 0)}
    twins = [calls(1, "x", "x"), result(2, "x"), result(3, "x")]
    assert pair(twins) == {1: CallPlace(0, 0), 2: CallPlace(0, 1)}


def test_without_ids_names_and_order_decide() -> None:
    """A result without an id answers the first open call without one, of its name if it has one."""
    asked = Message(1, "assistant", "", tool_calls=(ToolCall("", "read"), ToolCall("", "bash")))
    messages = [asked, Message(2, "tool", "x", tool_name="bash"), Message(3, "tool", "y")]
    assert pair(messages) == {1: CallPlace(0, 1), 2: CallPlace(0, 0)}
    assert pair([asked, Message(2, "tool", "x", tool_name="grep")]) == {}
    assert pair([asked, Message(2, "tool", "x", tool_call_id="7")]) == {}


def test_a_call_waits_until_it_is_answered_or_someone_speaks() -> None:
    """Only the last thing said can be at work, as long as one of its results is missing."""
    assert waiting([said(1), calls(2, "a", "b"), result(3, "a")]) == 1
    assert waiting([said(1), calls(2, "a", "b"), result(3, "a"), result(4, "b")]) is None
    assert waiting([calls(1, "a"), said(2)]) is None
    assert waiting([]) is None
    assert waiting([result(1, "a")]) is None


def test_what_is_a_unit() -> None:
    """A message alone, or a call with all its results, where they end; system messages are in none."""
    system, developer = said(1, role="system"), said(2, role="developer")
    assert placed(system, said(2), developer, said(4, role="assistant")) == [(1,), (3,)]
    assert placed(said(1), calls(2, "a", "b"), result(3, "a"), result(4, "b"), said(5)) == [
        (0,),
        (1, 2, 3),
        (4,),
    ]
    assert placed(calls(1, "a"), said(2), result(3, "a"), said(4)) == [(1,), (0, 2), (3,)]
    alone = (result(1, "gone"), said(2), calls(3, "open"))
    assert placed(*alone) == [(0,), (1,), (2,)]


def test_exchanges() -> None:
    """An exchange begins with the user and goes on until the user speaks again after somebody else."""
    hello, done = said(1, role="assistant"), said(6, role="assistant")
    messages = [hello, said(2), said(3), calls(4, "a"), result(5, "a"), done, said(7)]
    assert exchanges(units(messages, lambda _message: 1)) == [[0], [1, 2, 3, 4], [5]]
    assert exchanges([]) == []
