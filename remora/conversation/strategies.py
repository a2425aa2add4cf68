"""Pruning strategies by name: the choice of the units that stay.

A strategy is a function of the units of a conversation and the room for them. It returns the positions of the
units that stay. It decides nothing else: system messages, order and the use of the rest belong to `pruning`.
The names:

- `recency`: the newest, up to the first that does not fit. No gaps.
- `turns`: the same with whole exchanges, from the user's message to the end of the answer.
- `window`: the newest 20 messages (`window(n)` for another number), as far as they fit.
- `importance`: the user's messages first, then tool results and long texts; there may be gaps.
- `hybrid`: half of the room by recency, the rest by importance.

`semantic(embed)` has no name, since it needs a model: it keeps the messages closest to the latest exchange.
Every strategy tries the latest exchange first. None exceeds the room, except `window(n,
within_budget=False)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from remora.conversation.calls import Unit, exchanges
from remora.core.errors import InvalidInput
from remora.core.values import is_result


class Strategy(Protocol):
    """Chooses the units that stay; pure and deterministic."""

    def __call__(self, units: Sequence[Unit], room: int, /) -> Collection[int]:
        """Return the positions of the units that stay.

        Args:
            units: the conversation, by the position of their newest message.
            room: maximum sum of their sizes, in parts of a token; 0 or more.
        """
        ...


Score = Callable[[Sequence[Unit]], Sequence[float]]
Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

_READ = 8_000  # characters of a unit that are read
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


def window(messages: int = 20, *, within_budget: bool = True) -> Strategy:
    """Return the strategy that keeps the newest messages, up to a number.

    The newest unit stays whole even if it has more messages.

    Args:
        messages: maximum number, without system messages.
        within_budget: whether the room also applies; otherwise only the number does.

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
            if (kept and taken > messages) or (within_budget and unit.size > room):
                break
            room -= unit.size
            kept.add(position)
        return kept

    return newest_messages


def by_score(score: Score) -> Strategy:
    """Return the strategy that keeps the highest scores, after the fitting part of the latest exchange.

    Equal scores: the newer first. Units that do not fit are skipped, so there may be gaps.
    """

    def highest(units: Sequence[Unit], room: int) -> set[int]:
        return _best(units, room, score, set())

    return highest


def hybrid(recent: float = 0.5, score: Score | None = None) -> Strategy:
    """Return the strategy that gives a share of the room to recency and the rest to the highest scores.

    Args:
        recent: the share, 0 to 1.
        score: scores the rest; importance by default.

    Raises:
        InvalidInput: the share is outside 0..1.
    """
    if not 0.0 <= recent <= 1.0:
        raise InvalidInput(f"the share of recency must be from 0 to 1, not {recent}")

    def both(units: Sequence[Unit], room: int) -> set[int]:
        return _best(units, room, score or importance_scores, recency(units, int(room * recent)))

    return both


def semantic(embed: Embed) -> Strategy:
    """Return the strategy that keeps the units closest in meaning to the latest exchange.

    Args:
        embed: turns texts into vectors of one length, e.g. the `embed` of an embedder.
    """

    def closeness(units: Sequence[Unit]) -> list[float]:
        latest = "\n".join(_text(units[position]) for position in exchanges(units)[-1])
        wanted, *vectors = embed([latest[:_READ], *map(_text, units)])
        return [_cosine(wanted, vector) for vector in vectors]

    return by_score(closeness)


def importance_scores(units: Sequence[Unit]) -> list[float]:
    """Return the importance of each unit, in points: by its kind, its length and its age."""
    last = max(1, len(units) - 1)
    return [_points(unit) + _NEWEST * position / last for position, unit in enumerate(units)]


def _points(unit: Unit) -> float:
    points = min(1.0, len(_text(unit)) / _LONG)
    if any(is_result(message) for message in unit.messages):
        points += _RESULT
    if unit.messages[0].role.lower() == "user":
        points += _USER
    return points


def _text(unit: Unit) -> str:
    return "\n".join(message.content for message in unit.messages)[:_READ]


def _newest(units: Sequence[Unit], positions: Sequence[int], room: int) -> set[int]:
    kept: set[int] = set()
    for position in reversed(positions):
        if units[position].size > room:
            break
        room -= units[position].size
        kept.add(position)
    return kept


def _best(units: Sequence[Unit], room: int, score: Score, kept: set[int]) -> set[int]:
    """Add the latest exchange, newest first, then the highest scores, if they fit."""
    if not units:
        return kept
    latest = exchanges(units)[-1]
    scores = score(units)
    others = sorted(set(range(len(units))) - set(latest), key=lambda at: (-scores[at], -at))
    kept = set(kept)
    room -= sum(units[position].size for position in kept)
    for position in [*reversed(latest), *others]:
        if position not in kept and units[position].size <= room:
            room -= units[position].size
            kept.add(position)
    return kept


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    product = math.fsum(float(x) * float(y) for x, y in zip(a, b, strict=True))
    lengths = math.hypot(*map(float, a)) * math.hypot(*map(float, b))
    return product / lengths if lengths else 0.0


importance: Strategy = by_score(importance_scores)

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "recency": recency,
        "turns": turns,
        "window": window(),
        "importance": importance,
        "hybrid": hybrid(),
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
