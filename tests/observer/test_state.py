"""State that is copied while an observer goes on, and bounded."""

from __future__ import annotations

from remora.observer.state import State, cut, keep_last, make_room


class Inner(State):
    """A state inside another."""

    def __init__(self) -> None:
        self.names = {"a"}


class Outer(State):
    """A state with every kind of field."""

    def __init__(self) -> None:
        self.points, self.pairs, self.inner = [1], {"a": [1]}, {"x": Inner()}


def test_a_copy_is_independent():
    """Lists, mappings, sets and states inside states."""
    one = Outer()
    other = one.copy()
    one.points.append(2)
    one.pairs["a"].append(2)
    one.inner["x"].names.add("b")
    assert (other.points, other.pairs, other.inner["x"].names) == ([1], {"a": [1]}, {"a"})


def test_bounds():
    """Lists keep their newest, mappings lose their oldest, texts keep both ends."""
    items: list[int] = []
    for number in range(100):
        keep_last(items, number, 8)
    assert items[-1] == 99
    assert 8 <= len(items) <= 10
    known = dict.fromkeys(range(100), True)
    assert (make_room(known, 100), 0 in known, make_room(known, 200)) == (2, False, 0)
    assert cut("a" * 50 + "b" * 50, 21) == "aaaaaaaaa\n…\nbbbbbbbbb"
