"""State of an observer: copied for an observation while it goes on, and bounded."""

from __future__ import annotations

from typing import Any, Self, TypeVar

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class State:
    """Base class of state that can be copied."""

    def copy(self) -> Self:
        """Return an independent copy; immutable records are shared."""
        other = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(other, name, _copied(value))
        return other


def _copied(value: Any) -> Any:
    if isinstance(value, State):
        return value.copy()
    if isinstance(value, dict):
        return {
            key: _copied(v) if isinstance(v, list | dict | set | State) else v for key, v in value.items()
        }
    if isinstance(value, list | set):
        return type(value)(value)
    return value


def keep_last(items: list[T], item: T, limit: int) -> None:
    """Append to a list; at a quarter over the limit, cut it back to its newest `limit` items."""
    items.append(item)
    if len(items) > limit + limit // 4:
        del items[: len(items) - limit]


def make_room(items: dict[K, V], limit: int) -> int:
    """Drop the oldest entries of a mapping that has reached its limit; return how many."""
    if len(items) < limit:
        return 0
    oldest = [key for key, _ in zip(items, range(max(1, limit // 50)), strict=False)]
    for key in oldest:
        del items[key]
    return len(oldest)


def cut(text: str, limit: int) -> str:
    """Return a text cut in the middle to at most `limit` characters; line breaks are kept."""
    if len(text) <= limit:
        return text
    head = (limit - 3) // 2
    return f"{text[:head]}\n…\n{text[len(text) - (limit - 3 - head) :]}"[:limit]
