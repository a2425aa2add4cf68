"""Measure a conversation against its token limit, and cut it: no call is separated from its results.

    tokens = int(characters / 3.5) + 8000
    limit  = min(int(0.8 * the model's limit), 50000)

The estimate and the limit are those of the session document, and every number is a setting. A conversation is
over its limit if its tokens are strictly above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remora.conversation.calls import arguments_text, pair, waiting
from remora.conversation.flatten import flatten
from remora.conversation.format import SUMMARY_HEAD
from remora.core.config import CompactionSettings
from remora.core.errors import InvalidInput
from remora.core.values import Message

LEAST_KEPT, MOST_KEPT = 1, 100  # what a person may ask to keep
FREE_SHARE = 0.25  # of the room, free after a compaction that started by itself, so that it lasts


def clamped(keep_last: int) -> int:
    """Return the number of messages to keep for a requested number.

    >>> clamped(0), clamped(7), clamped(1000)
    (1, 7, 100)
    """
    return min(max(keep_last, LEAST_KEPT), MOST_KEPT)


def is_summary(message: Message) -> bool:
    """Return whether a message is the summary of an earlier compaction."""
    return message.seq == 0 and message.content.startswith(SUMMARY_HEAD)


def cut(messages: Sequence[Message], keep_last: int) -> int:
    """Return the position of the first message that stays: the messages before it are summarised.

    0 means that nothing is summarised. An earlier summary at the front is never counted as kept, and is never
    summarised alone. If the cut would separate a tool call from a result, it moves back, so that the call
    stays too. A call without a result yet always stays.

    Args:
        messages: the working context as in the log, not flattened.
        keep_last: number of messages that stay, without the summary.

    Raises:
        InvalidInput: a negative number.
    """
    if keep_last < 0:
        raise InvalidInput(f"keep_last must be 0 or more, not {keep_last}")
    pairs = pair(messages)
    at_work = waiting(messages, pairs)
    place = max(0, len(messages) - keep_last)
    if at_work is not None:
        place = min(place, at_work)
    for at, call in sorted(pairs.items(), reverse=True):
        if call.message < place <= at:
            place = call.message
    return 0 if place == 1 and is_summary(messages[0]) else place


def cut_to_fit(
    messages: Sequence[Message],
    settings: CompactionSettings,
    input_limit: int | None = None,
) -> int:
    """Return the cut of an automatic compaction: at the setting, or later if necessary.

    A conversation of few, huge messages would stay over its limit with the last 20 kept, or exceed it again
    with the next message. So the number is halved until the kept messages, flattened and with a summary,
    leave a quarter of the room free, or one message is left.

    Args:
        messages: as in `cut`.
        settings: number of kept messages, and the limit.
        input_limit: the model's limit in tokens, if known.
    """
    summary = Message(0, "system", SUMMARY_HEAD + " " * room(settings))
    keep = settings.keep_last
    while True:
        place = cut(messages, keep)
        stands = standing([summary, *flatten(messages[place:])], settings, input_limit)
        free = max(0, stands.limit - settings.overhead_tokens) * FREE_SHARE
        if keep <= 1 or stands.tokens <= stands.limit - free:
            return place
        keep //= 2


SUMMARY_CHARACTERS = 5  # a token of a summary, at most: English prose has 4 to 5, so an honest answer fits
LEAST_ROOM = 400  # characters of a summary; in fewer there is no room for what was asked first


class Standing(NamedTuple):
    """The size of a conversation; `tokens` is an estimate and includes the overhead."""

    characters: int
    tokens: int
    limit: int
    over: bool


def characters(messages: Iterable[Message]) -> int:
    """Return the number of characters of some messages as sent to a model, with their tool calls.

    The document counts "message.length", its program the content alone; for messages without calls that is
    the same. A coding agent writes whole files through the arguments of its calls, so leaving them out would
    let a context overflow that looks half empty.
    """
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


def standing(
    messages: Iterable[Message], settings: CompactionSettings, input_limit: int | None = None
) -> Standing:
    """Return the standing of a conversation; see `limit_of` for the arguments.

    >>> standing([Message(1, "user", "x" * 147_003)], CompactionSettings())
    Standing(characters=147003, tokens=50000, limit=50000, over=False)
    >>> standing([Message(1, "user", "x" * 147_004)], CompactionSettings()).over
    True
    """
    count = characters(messages)
    tokens = int(count / settings.characters_per_token) + settings.overhead_tokens
    limit = limit_of(settings, input_limit)
    return Standing(count, tokens, limit, tokens > limit)
