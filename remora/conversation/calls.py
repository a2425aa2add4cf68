"""Match tool results to tool calls, in any order, and keep both together as units.

A result belongs to the preceding call with its id, or without an id to the one with its name; if there are
several, to the nearest message's, in their order. A result without a call is an orphan: its call was cut off,
or was never written.
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
    open_calls: dict[tuple[str, str | None], list[CallPlace]] = {}  # of the nearest message, by id or by name
    found: dict[int, CallPlace] = {}
    for at, message in enumerate(messages):
        own: defaultdict[tuple[str, str | None], list[CallPlace]] = defaultdict(list)
        for i, call in enumerate(message.tool_calls):
            # A result without an id may have no name either.
            for key in [(call.id, None)] if call.id else [("", call.name), ("", None)]:
                own[key].append(CallPlace(at, i))
        open_calls.update(own)
        if is_result(message):
            name = None if message.tool_call_id else message.tool_name
            places = open_calls.get((message.tool_call_id or "", name))
            if places:
                found[at] = places.pop(0) if len(places) > 1 else places[0]
    return found


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


def exchanges(found: Sequence[Unit]) -> list[list[int]]:
    """Return the positions of units by exchange, oldest first.

    An exchange begins with a user's message after another speaker, and lasts until the next one.
    """
    grouped: list[list[int]] = []
    before = ""
    for position, unit in enumerate(found):
        role = unit.messages[0].role.lower()
        if not grouped or (role == "user" and before != "user"):
            grouped.append([])
        grouped[-1].append(position)
        before = role
    return grouped
