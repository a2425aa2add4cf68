"""State that is written as JSON and read back exactly."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from remora.core.errors import InvalidInput
from remora.observer.checkpoint import Checkpointed, cut, keep_last, make_room


class Point(NamedTuple):
    """A record."""

    x: int
    name: str | None = None


class Inner(Checkpointed):
    """A state inside another."""

    flag: bool

    def __init__(self) -> None:
        self.flag = False


class State(Checkpointed):
    """A state with every kind of field."""

    points: list[Point]
    pairs: dict[tuple[str, str], tuple[int, ...]]
    names: set[str]
    inner: Inner
    ratio: float

    def __init__(self) -> None:
        self.points, self.pairs, self.names, self.inner, self.ratio = [], {}, set(), Inner(), 0.0


def test_a_state_comes_back_with_its_types():
    """Records, tuples as keys, sets and states inside states."""
    state = State()
    state.points, state.pairs = [Point(1, "a"), Point(2)], {("a", "b"): (1, 2)}
    state.names, state.ratio = {"y", "x"}, 0.5
    state.inner.flag = True
    text = json.dumps(state.to_json())
    again = State.from_json(json.loads(text))
    assert (again.points, again.pairs, again.names, again.ratio) == (
        state.points,
        state.pairs,
        state.names,
        0.5,
    )
    assert again.inner.flag is True
    assert json.dumps(again.to_json()) == text


@pytest.mark.parametrize(
    ("field", "value"),
    [("points", [[1]]), ("points", 3), ("inner", []), ("ratio", "x"), ("pairs", [[["a"], [1]]])],
)
def test_what_is_no_such_state_is_refused(field: str, value: object):
    """Too short records, other kinds, other lengths."""
    data = {**State().to_json(), field: value}
    with pytest.raises(InvalidInput):
        State.from_json(data)


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
