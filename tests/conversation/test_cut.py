"""A cut keeps the last messages, and every call with its results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.conversation.calls import pair, waiting
from remora.conversation.cut import clamped, cut, cut_to_fit, is_summary
from remora.core.errors import InvalidInput
from remora.core.values import Message
from tests.conversation.compaction import SETTINGS, calls, result, said

SUMMARY = Message(0, "system", "[Conversation summary]\nEarlier.")
TEN = [said(i) for i in range(1, 11)]


def test_the_last_are_kept() -> None:
    """Of ten messages with three kept, seven go; an earlier summary is never counted or cut alone."""
    assert [cut(TEN, keep) for keep in (3, 0, 9)] == [7, 10, 1]
    assert [cut([SUMMARY, *TEN], keep) for keep in (3, 9, 10)] == [8, 2, 0]
    assert cut([SUMMARY], 0) == 0
    assert is_summary(SUMMARY)
    assert not is_summary(Message(0, "user", "no summary"))
    with pytest.raises(InvalidInput, match="-3"):
        cut(TEN, -3)  # a mistake, not a wish to keep none


def test_a_call_stays_with_its_results() -> None:
    """A cut among the results moves back to the call."""
    messages = [said(1), said(2), calls(3, "a", "b"), result(4, "a"), result(5, "b"), said(6), said(7)]
    assert [cut(messages, keep) for keep in range(1, 7)] == [6, 5, 2, 2, 2, 1]
    first = [calls(1, "a"), result(2, "a"), said(3), said(4)]
    assert cut(first, 3) == 0
    assert cut([SUMMARY, *first], 3) == 0
    chain = [calls(1, "a"), calls(2, "b"), result(3, "a"), result(4, "b"), said(5)]
    assert cut(chain, 3) == 0


@pytest.mark.parametrize(("asked", "kept"), [(-5, 1), (0, 1), (1, 1), (10, 10), (100, 100), (101, 100)])
def test_what_a_person_asks_for_is_clamped(asked: int, kept: int) -> None:
    """001: /compact N is held to 1..100."""
    assert clamped(asked) == kept


MAKERS = {
    "said": said,
    "calls": lambda seq: calls(seq, "a", "b"),
    "result a": lambda seq: result(seq, "a"),
    "result b": lambda seq: result(seq, "b"),
}


@given(st.lists(st.sampled_from(sorted(MAKERS)), max_size=14), st.integers(0, 15), st.booleans())
def test_no_result_is_ever_parted_from_its_call(kinds: list[str], keep: int, summarised: bool) -> None:
    """Calls and results are on one side, and never do fewer stay."""
    body = [MAKERS[kind](seq) for seq, kind in enumerate(kinds, 1)]
    messages = [SUMMARY, *body] if summarised else body
    place = cut(messages, keep)
    assert 0 <= place <= len(messages)
    assert place != 1 or not summarised
    assert all((at < place) == (call.message < place) for at, call in pair(messages).items())
    at_work = waiting(messages)
    assert at_work is None or place <= at_work
    assert place == 0 or len(messages) - place >= keep


def test_a_compaction_by_itself_keeps_fewer_if_it_must() -> None:
    """Few huge messages: the number kept is halved until the rest fits, and is the setting where it fits."""
    huge = [said(i, "x" * 20_000) for i in range(1, 21)]
    assert cut(huge, 20) == 0
    assert cut_to_fit(huge, SETTINGS) == 15  # 20, 10, 5: 100,000 characters fit
    assert cut_to_fit(huge, SETTINGS._replace(keep_last=6)) == 17  # 6 leave less than a quarter free
    assert cut_to_fit(huge, SETTINGS, 12_000) == 19
    assert cut_to_fit([said(1, "x" * 200_000)], SETTINGS) == 0
    five = SETTINGS._replace(keep_last=5)
    assert cut_to_fit([said(i) for i in range(1, 51)], five) == 45
    result_of_flattening = [*TEN, calls(11, "a"), result(12, "a", "x" * 200_000)]  # has 2,000 characters
    assert cut_to_fit(result_of_flattening, five) == 7
