"""State of an observer is bounded."""

from __future__ import annotations

from remora.observer.state import cut, keep_last, make_room


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
