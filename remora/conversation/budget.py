"""The size of a conversation against its token limit.

    tokens = int(characters / 3.5) + 8000
    limit  = min(int(0.8 * the model's limit), 50000)

The estimate and the limit are those of the session document, and every number is a setting. A conversation is
over its limit if its tokens are strictly above it.

Characters are everything of a message that is sent to a model: its content, tool results included, and the
names and arguments of its tool calls. The document counts "message.length", its program the content alone;
for messages without calls that is the same. A coding agent writes whole files through the arguments of its
calls, so leaving them out would let a context overflow that looks half empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from remora.conversation.calls import arguments_text
from remora.core.config import CompactionSettings
from remora.core.values import Message

SUMMARY_CHARACTERS = 5  # a token of a summary, at most: English prose has 4 to 5, so an honest answer fits
LEAST_ROOM = 400  # characters of a summary; in fewer there is no room for what was asked first


class Standing(NamedTuple):
    """The size of a conversation; `tokens` is an estimate and includes the overhead."""

    characters: int
    tokens: int
    limit: int
    over: bool


def characters(messages: Iterable[Message]) -> int:
    """Return the number of characters of some messages as sent to a model."""
    return sum(
        len(message.content)
        + sum(len(call.name) + len(arguments_text(call.arguments)) for call in message.tool_calls)
        for message in messages
    )


def limit_of(settings: CompactionSettings, input_limit: int | None = None) -> int:
    """Return the token limit of a conversation.

    Args:
        settings: the share of the model's limit, and the maximum for any model.
        input_limit: the model's limit in tokens; None, and 0 or less, if unknown: then the setting counts.
    """
    known = input_limit if input_limit is not None and input_limit > 0 else settings.model_input_limit
    return min(int(known * settings.model_share), settings.max_context_tokens)


def room(settings: CompactionSettings) -> int:
    """Return the maximum characters of a summary: 2,500 by default."""
    return max(LEAST_ROOM, settings.summary_tokens * SUMMARY_CHARACTERS)


def measure(count: int, settings: CompactionSettings, input_limit: int | None = None) -> Standing:
    """Return the standing of a conversation with a number of characters.

    >>> measure(147_003, CompactionSettings())
    Standing(characters=147003, tokens=50000, limit=50000, over=False)
    >>> measure(147_004, CompactionSettings()).over
    True
    """
    tokens = int(count / settings.characters_per_token) + settings.overhead_tokens
    limit = limit_of(settings, input_limit)
    return Standing(count, tokens, limit, tokens > limit)


def standing(
    messages: Iterable[Message], settings: CompactionSettings, input_limit: int | None = None
) -> Standing:
    """Return the standing of a conversation; see `limit_of` for the arguments."""
    return measure(characters(messages), settings, input_limit)
