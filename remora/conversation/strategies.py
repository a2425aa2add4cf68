"""Pruning strategies by name: the choice of the units that stay.

A strategy is a function of the units of a conversation and the room for them. It returns the positions of the
units that stay. It decides nothing else: system messages, order and the use of the rest belong to `pruning`.
The names:

- `recency`: the newest, up to the first that does not fit. No gaps.
- `turns`: the same with whole exchanges, from the user's message to the end of the answer.
- `window`: the newest 20 messages (`window(n)` for another number), as far as they fit.
- `importance`: the user's messages first, then tool results and long texts, the newer before the older; there
  may be gaps.

Every strategy tries the latest exchange first. None exceeds the room.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from remora.conversation.calls import Unit, exchanges
from remora.core.errors import InvalidInput
from remora.core.values import is_result

# Gets the units, by the position of their newest message, and the maximum sum of their sizes, in parts of a
# token, 0 or more; returns the positions of the units that stay.
Strategy = Callable[[Sequence[Unit], int], Collection[int]]

_RESULT = 1.0  # what a tool found cannot be guessed again
_USER = 3.0  # what was asked, at any age, is worth more than how it was answered
_LONG = 400  # characters from which a text has its whole point for length
_NEWEST = 2.0  # points of the newest unit; the oldest has none


def recency(units: Sequence[Unit], room: int) -> set[int]:
    """Keep the newest units, and stop at the first that does not fit."""
    return _newest(units, range(len(units)), room)


def turns(units: Sequence[Unit], room: int) -> set[int]:
    """Keep the newest exchanges whole, and stop at the first that does not fit.

    If the latest one alone is too large, its newest messages are kept by recency: half of the current
    exchange is better than none.
    """
    kept: set[int] = set()
    for group in reversed(exchanges(units)):
        size = sum(units[position].size for position in group)
        if size > room:
            return kept or _newest(units, group, room)
        room -= size
        kept.update(group)
    return kept


def window(messages: int = 20) -> Strategy:
    """Return the strategy that keeps the newest messages, up to a number.

    The newest unit stays whole even if it has more messages.

    Args:
        messages: maximum number, without system messages.

    Raises:
        InvalidInput: the number is not positive.
    """
    if messages <= 0:
        raise InvalidInput(f"a window must have at least one message, not {messages}")

    def newest_messages(units: Sequence[Unit], room: int) -> set[int]:
        kept: set[int] = set()
        taken = 0
        for position in reversed(range(len(units))):
            unit = units[position]
            taken += len(unit.places)
            if (kept and taken > messages) or unit.size > room:
                break
            room -= unit.size
            kept.add(position)
        return kept

    return newest_messages


def importance(units: Sequence[Unit], room: int) -> set[int]:
    """Keep the latest exchange, newest first, then the most important units, if they fit.

    Units that do not fit are skipped, so there may be gaps.
    """
    if not units:
        return set()
    latest = exchanges(units)[-1]
    last = max(1, len(units) - 1)
    points = [_points(unit) + _NEWEST * position / last for position, unit in enumerate(units)]
    others = sorted(set(range(len(units))) - set(latest), key=lambda at: (-points[at], -at))
    kept: set[int] = set()
    for position in [*reversed(latest), *others]:
        if units[position].size <= room:
            room -= units[position].size
            kept.add(position)
    return kept


def _points(unit: Unit) -> float:
    points = min(1.0, sum(len(message.content) for message in unit.messages) / _LONG)
    if any(is_result(message) for message in unit.messages):
        points += _RESULT
    if unit.messages[0].role.lower() == "user":
        points += _USER
    return points


def _newest(units: Sequence[Unit], positions: Sequence[int], room: int) -> set[int]:
    kept: set[int] = set()
    for position in reversed(positions):
        if units[position].size > room:
            break
        room -= units[position].size
        kept.add(position)
    return kept


STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "recency": recency,
        "turns": turns,
        "window": window(),
        "importance": importance,
    }
)


def strategy(name: str | Strategy) -> Strategy:
    """Return the strategy of a name; a function is returned unchanged.

    Raises:
        InvalidInput: no strategy has that name.
    """
    if not isinstance(name, str):
        return name
    found = STRATEGIES.get(name)
    if found is None:
        raise InvalidInput(
            f"unknown pruning strategy: {name!r}", hint=f"Choose one of {', '.join(STRATEGIES)}."
        )
    return found
