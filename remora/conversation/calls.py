"""Match tool results to tool calls, in any order.

A result belongs to the preceding call with its id; if an id occurs twice, to the one in the nearest message.
Without an id, tool names and the order decide. A result without a call is an orphan: its call was cut off, or
was never written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
