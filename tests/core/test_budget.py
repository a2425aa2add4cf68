"""A block that reads one item has a budget of time, asked for between its parts."""

from __future__ import annotations

import pytest

from remora.core.budget import look, within
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput
from remora.core.skip import sparing
from remora.core.values import Skipped


def test_an_item_that_takes_too_long_is_named_and_the_next_one_has_its_own_budget():
    """What an item spends is not the next one's."""
    clock, skipped, read = FixedClock(), list[Skipped](), list[str]()
    for item, seconds in (("a", 0.1), ("slow", 0.6), ("b", 0.1)):
        with sparing(item, skipped), within(1.0, clock.now):
            for _ in range(3):
                look()
                clock.advance(seconds=seconds)
            read.append(item)
    assert read == ["a", "b"]
    assert skipped == [Skipped("slow", "took more than 1 s to read")]


def test_a_budget_inside_of_another_is_not_paid_by_it():
    """A file that is read on the way to another one has its own time; without a budget nothing is stopped."""
    clock = FixedClock()
    with within(1.0, clock.now):
        with within(10.0, clock.now):
            clock.advance(seconds=5.0)
            look()
        look()
        clock.advance(seconds=1.5)
        with pytest.raises(InvalidInput, match="more than 1 s"):
            look()
    look()
