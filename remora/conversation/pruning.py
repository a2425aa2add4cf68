"""Prune a conversation to a token budget: kept messages, dropped messages, and a summary of the dropped ones.

    system messages, all of them, at the front        always kept, whatever their size
    [Conversation summary] of the dropped messages    if the caller has a summariser
    the strategy's choice of the conversation         whole units, in their order

The budget is for all of it. If the system messages alone exceed it, nothing else is kept and the result says
so, because an agent needs its instructions. The room of the summary is reserved before the strategy chooses,
so that one call of the summariser is enough, and a longer text is cut. An earlier summary is passed to the
summariser with the dropped messages and replaced by the new one: there is never more than one, and it does
not grow. If the summariser fails, the conversation is pruned without it, the earlier summary stays, and the
dropped messages are in the result.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from remora.conversation.calls import Unit, is_instruction, units
from remora.conversation.flatten import held
from remora.conversation.format import SUMMARY_HEAD
from remora.conversation.strategies import Strategy
from remora.core.errors import InvalidInput
from remora.core.tokens import Estimator
from remora.core.values import Message

SUMMARY_TOKENS = 500  # that a summary may take, and never more than a quarter of the conversation's room
LEAST_SUMMARY = 16  # tokens below which a summary says nothing

Summarise = Callable[[Sequence[Message]], str | None]


class Pruned(NamedTuple):
    """The result of a pruning.

    Attributes:
        kept: the new conversation, in order; the memory's `get_all` returns the same.
        dropped: the removed messages, in order, for an archive. A replaced summary is not among them.
        tokens: of the kept messages, by the memory's counter.
        budget: the requested budget.
        fits: whether the kept messages are within the budget; False only if the system messages alone are
            not.
        note: remarks for the caller; empty if there are none.
    """

    kept: tuple[Message, ...]
    dropped: tuple[Message, ...]
    tokens: int
    budget: int
    fits: bool
    note: str


def is_summary(message: Message) -> bool:
    """Return whether a system message is the summary of dropped or compacted messages."""
    return is_instruction(message) and message.content.startswith(SUMMARY_HEAD)


def summary_message(text: str) -> Message:
    """Return the system message of a summary."""
    return Message(0, "system", f"{SUMMARY_HEAD}\n{text}")


def prune(
    messages: Sequence[Message],
    max_tokens: int,
    counter: Estimator,
    strategy: Strategy,
    summarise: Summarise | None = None,
    summary_tokens: int = SUMMARY_TOKENS,
) -> Pruned:
    """Return the part of a conversation that fits a budget. Pure, except for the summariser.

    Args:
        messages: the conversation, oldest first.
        max_tokens: the budget for all kept messages.
        counter: counts tokens.
        strategy: chooses among the units of the conversation.
        summarise: gets the earlier summary, if there is one, and the dropped messages; returns the text of
            the new summary. Called at most once, and only if something is dropped.
        summary_tokens: maximum tokens of the summary.

    Raises:
        InvalidInput: the budget is not positive.
    """
    if max_tokens <= 0:
        raise InvalidInput("max_tokens must be positive", hint=f"It is {max_tokens}; give 1 or more.")
    found = units(messages, counter.weigh)
    front = [message for message in messages if is_instruction(message) and not is_summary(message)]
    summaries = [message for message in messages if is_summary(message)]
    room = counter.fitting(max_tokens) - sum(map(counter.weigh, front))
    kept, dropped = _split(found, room - sum(map(counter.weigh, summaries)), strategy)
    notes = []
    if summarise is not None and dropped:
        reserve = min(summary_tokens * counter.parts, room // 4)
        if reserve >= LEAST_SUMMARY * counter.parts:
            with_summary = _split(found, room - reserve, strategy)
            text, failure = _summary(summarise, [*summaries, *with_summary[1]])
            if text:
                summaries = [_cut(text, reserve, counter)]
                kept, dropped = with_summary
        else:
            failure = "no summary: not enough tokens"
        notes += [failure] if failure else []
    whole = (*front, *summaries, *kept)
    tokens = counter.tokens(whole)
    if tokens > max_tokens:
        notes.append(f"the system messages alone take {tokens} tokens of {max_tokens}")
    elif dropped and not kept:
        notes.append("the latest message does not fit")
    return Pruned(whole, tuple(dropped), tokens, max_tokens, tokens <= max_tokens, "; ".join(notes))


def _split(found: Sequence[Unit], room: int, strategy: Strategy) -> tuple[list[Message], list[Message]]:
    """Return the messages that stay and those that go, both in order."""
    chosen = set(strategy(found, room)) if room >= 0 and found else set()
    parts: tuple[dict[int, Message], dict[int, Message]] = ({}, {})
    for position, unit in enumerate(found):
        parts[position not in chosen].update(zip(unit.places, unit.messages, strict=True))
    kept, dropped = ([message for _, message in sorted(part.items())] for part in parts)
    return kept, dropped


def _summary(summarise: Summarise, messages: Sequence[Message]) -> tuple[str, str]:
    """Return the text of a summary and an empty note, or no text and the error."""
    try:
        text = summarise(messages)
    except Exception as error:  # noqa: BLE001 - the caller's code, often a model: nothing it raises may lose messages
        return "", f"no summary: the summarizer failed ({type(error).__name__}: {error})"
    if not isinstance(text, str) or not text.strip():
        return "", "no summary: the summarizer returned no text"
    return text.strip().removeprefix(SUMMARY_HEAD).strip(), ""


def _cut(text: str, most: int, counter: Estimator) -> Message:
    """Return the summary as a message within its weight limit."""
    lengths = range(1, len(text) + 1)
    fitting = bisect_right(
        lengths, most, key=lambda length: counter.weigh(summary_message(held(text, length)))
    )
    return summary_message(held(text, fitting))
