"""Where a conversation stands against the tokens that it may take.

    tokens = int(characters / 3.5) + 8000
    limit  = min(int(0.8 * what the model takes), 50000)

The estimate and the limit are those of the session document, and every number is a setting. A
conversation is over when its tokens are strictly above the limit.

Characters are everything of a message that a model is sent: its content, tool results included, and
the names and arguments of its tool calls. The document counts "message.length", its program the content
alone; for messages without calls that is the same. A coding agent writes whole files through the
arguments of its calls, so leaving them out would let a context overflow that looks half empty.
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
    """How large a conversation is; `tokens` is an estimate and includes the overhead."""

    characters: int
    tokens: int
    limit: int
    over: bool


def characters(messages: Iterable[Message]) -> int:
    """Return how many characters of some messages a model is sent."""
    return sum(
        len(message.content)
        + sum(len(call.name) + len(arguments_text(call.arguments)) for call in message.tool_calls)
        for message in messages
    )


def limit_of(settings: CompactionSettings, input_limit: int | None = None) -> int:
    """Return the tokens that a conversation may take.

    Args:
        settings: the share of the model's limit, and the most whatever the model.
        input_limit: tokens that the model takes; None, and 0 or less, where the caller does not know it:
            then the setting counts.
    """
    known = input_limit if input_limit is not None and input_limit > 0 else settings.model_input_limit
    return min(int(known * settings.model_share), settings.max_context_tokens)


def room(settings: CompactionSettings) -> int:
    """Return how many characters a summary may have: 2,500 by default."""
    return max(LEAST_ROOM, settings.summary_tokens * SUMMARY_CHARACTERS)


def measure(count: int, settings: CompactionSettings, input_limit: int | None = None) -> Standing:
    """Return where a conversation of so many characters stands.

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
    """Return where a conversation stands; see `limit_of` for the arguments."""
    return measure(characters(messages), settings, input_limit)
