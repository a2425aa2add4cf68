"""Match tool results to tool calls, in any order, and keep both together as units.

A result belongs to the preceding call with its id; if an id occurs twice, to the one in the nearest message.
Without an id, tool names and the order decide. A result without a call is an orphan: its call was cut off, or
was never written.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.values import Message, is_result


class CallPlace(NamedTuple):
    """The position of a tool call: its message, and its index in that message."""

    message: int
    call: int


def arguments_text(arguments: Any) -> str:
    """Return the displayed arguments of a call: JSON, text unchanged, `{}` for none.

    >>> arguments_text({"path": "a.py"}), arguments_text(None), arguments_text("ls -l")
    ('{"path": "a.py"}', '{}', 'ls -l')
    """
    if arguments is None:
        return "{}"
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)


def pair(messages: Sequence[Message]) -> dict[int, CallPlace]:
    """Return for the position of each result the call that it answers; orphans are left out."""
    callers: dict[str, int] = {}  # id to the nearest message so far that has it
    nameless: list[int] = []  # messages with calls that have no id
    answered: set[CallPlace] = set()
    found: dict[int, CallPlace] = {}
    for at, message in enumerate(messages):
        if message.tool_calls:
            callers.update((call.id, at) for call in message.tool_calls if call.id)
            if not all(call.id for call in message.tool_calls):
                nameless.append(at)
        elif is_result(message):
            place = _by_id(messages, message, callers, answered) or _by_name(
                messages, message, nameless, answered
            )
            if place:
                answered.add(place)
                found[at] = place
    return found


def _by_id(
    messages: Sequence[Message], result: Message, callers: Mapping[str, int], answered: set[CallPlace]
) -> CallPlace | None:
    """Return the first open call with the result's id in the nearest message that has it, or its last."""
    at = callers.get(result.tool_call_id or "")
    if at is None:
        return None
    places = [CallPlace(at, i) for i, c in enumerate(messages[at].tool_calls) if c.id == result.tool_call_id]
    return next((place for place in places if place not in answered), places[-1])


def _by_name(
    messages: Sequence[Message], result: Message, nameless: Sequence[int], answered: set[CallPlace]
) -> CallPlace | None:
    """Return the first matching open call without an id, in the nearest message with such calls."""
    if result.tool_call_id is not None or not nameless:
        return None
    at = nameless[-1]
    for i, call in enumerate(messages[at].tool_calls):
        fits = not call.id and result.tool_name in (None, call.name)
        if fits and CallPlace(at, i) not in answered:
            return CallPlace(at, i)
    return None


def waiting(messages: Sequence[Message], pairs: Mapping[int, CallPlace] | None = None) -> int | None:
    """Return the position of the message with running tools; None if no result is pending.

    A call without a result is pending only until the next message by somebody.
    """
    last = next((i for i in reversed(range(len(messages))) if not is_result(messages[i])), None)
    if last is None or not messages[last].tool_calls:
        return None
    answered = set((pair(messages) if pairs is None else pairs).values())
    every = {CallPlace(last, i) for i in range(len(messages[last].tool_calls))}
    return None if every <= answered else last


INSTRUCTION_ROLES = frozenset({"system", "developer"})  # the second is what newer interfaces call the first


class Unit(NamedTuple):
    """Messages that are kept or dropped together.

    It is one message, or a message with tool calls together with all its results, wherever they are.
    Providers reject a result whose call is missing, and a model that sees a call without its result makes
    the call again. Results without a call, and calls without results, are units of their own: they were
    already separate. System messages are in no unit.

    Attributes:
        places: their positions in the list, ascending.
        messages: the messages themselves, in that order.
        size: their total weight, in parts of a token (`Estimator.parts`).
    """

    places: tuple[int, ...]
    messages: tuple[Message, ...]
    size: int


def is_instruction(message: Message) -> bool:
    """Return whether a message is a system message, which pruning always keeps."""
    return message.role.lower() in INSTRUCTION_ROLES


def units(messages: Sequence[Message], weigh: Callable[[Message], int]) -> list[Unit]:
    """Return the units of a conversation, ordered by the place of their newest message.

    Args:
        messages: in order; system messages among them are left out.
        weigh: the weight of a message.
    """
    places = [place for place, message in enumerate(messages) if not is_instruction(message)]
    answers = pair([messages[place] for place in places])
    members: defaultdict[int, list[int]] = defaultdict(list)
    for at, place in enumerate(places):
        members[answers[at].message if at in answers else at].append(place)
    found = [
        Unit(tuple(own), tuple(messages[p] for p in own), sum(weigh(messages[p]) for p in own))
        for own in map(sorted, members.values())
    ]
    return sorted(found, key=lambda unit: unit.places[-1])


def orphans(messages: Sequence[Message]) -> int:
    """Return the number of results without their call in a conversation."""
    said = [message for message in messages if not is_instruction(message)]
    answers = pair(said)
    return sum(is_result(message) and at not in answers for at, message in enumerate(said))


def exchanges(found: Sequence[Unit]) -> list[list[int]]:
    """Return the positions of units by exchange, oldest first; each begins with a user message.

    An exchange lasts until the next user message after another speaker. A unit belongs to the exchange of its
    newest message. A conversation without a user is one exchange.
    """
    newest = {unit.places[-1]: position for position, unit in enumerate(found)}
    said = sorted((place, m) for unit in found for place, m in zip(unit.places, unit.messages, strict=True))
    grouped: list[list[int]] = [[]]
    before = "user"
    for place, message in said:
        role = message.role.lower()
        if role == "user" and before != "user" and grouped[-1]:
            grouped.append([])
        before = role
        if place in newest:
            grouped[-1].append(newest[place])
    return [group for group in grouped if group]
