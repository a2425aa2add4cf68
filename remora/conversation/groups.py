"""Group a conversation into units that are kept or dropped whole: a call with its results.

A unit is one message, or a message with tool calls together with all its results, wherever they are.
Providers reject a result whose call is missing, and a model that sees a call without its result makes the
call again. Results without a call, and calls without results, are units of their own: they were already
separate. System messages are in no unit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from remora.conversation.calls import pair
from remora.core.values import Message, is_result

INSTRUCTION_ROLES = frozenset({"system", "developer"})  # the second is what newer interfaces call the first


class Unit(NamedTuple):
    """Messages that are kept or dropped together.

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
