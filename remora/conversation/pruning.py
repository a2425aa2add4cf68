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

from remora.conversation.calls import Unit, is_instruction, orphans, units
from remora.conversation.format import SUMMARY_HEAD
from remora.conversation.sentences import shorten_to_sentence
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
            not, or for a window set to disregard it.
        note: remarks for the caller; empty if there are none.
    """

    kept: tuple[Message, ...]
    dropped: tuple[Message, ...]
    tokens: int
    budget: int
    fits: bool
    note: str


class Outcome(NamedTuple):
    """A pruned conversation by positions in the given list, for a caller that changes that list.

    Attributes:
        pruned: the same as messages.
        instructions: the positions of the system messages that stay.
        conversation: the positions of the conversation that stay; the kept messages are these two, in this
            order, with the summary between them.
        summary: the new summary; None without one.
    """

    pruned: Pruned
    instructions: tuple[int, ...]
    conversation: tuple[int, ...]
    summary: Message | None = None


class _Split(NamedTuple):
    kept: tuple[int, ...]  # of the conversation
    dropped: tuple[int, ...]
    left: int  # room that is not used, in parts of a token


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
) -> Outcome:
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
    instructions = tuple(
        sorted(
            (place for place, message in enumerate(messages) if is_instruction(message)),
            key=lambda place: is_summary(messages[place]),  # summaries behind the rest
        )
    )
    room = counter.fitting(max_tokens) - sum(counter.weigh(messages[place]) for place in instructions)
    plain = _split(found, room, strategy)
    failure = ""
    if summarise is not None and plain.dropped:
        earlier = tuple(place for place in instructions if is_summary(messages[place]))
        freed = room + sum(counter.weigh(messages[place]) for place in earlier)
        reserve = min(summary_tokens * counter.parts, freed // 4)
        if reserve >= LEAST_SUMMARY * counter.parts:
            split = _split(found, freed - reserve, strategy)
            told = [messages[place] for place in (*earlier, *split.dropped)]
            text, failure = _summary(summarise, told)
            if text:
                most = min(split.left + reserve, summary_tokens * counter.parts)
                summary = _cut(text, most, counter)
                others = tuple(place for place in instructions if place not in earlier)
                return _outcome(messages, max_tokens, counter, others, split, summary)
        else:
            failure = "no summary: not enough tokens"
    return _outcome(messages, max_tokens, counter, instructions, plain, failure=failure)


def _split(found: Sequence[Unit], room: int, strategy: Strategy) -> _Split:
    chosen = set(strategy(found, room)) if room >= 0 and found else set()
    chosen &= set(range(len(found)))
    kept = sorted(place for position in chosen for place in found[position].places)
    dropped = sorted(place for at, unit in enumerate(found) if at not in chosen for place in unit.places)
    return _Split(tuple(kept), tuple(dropped), room - sum(found[position].size for position in chosen))


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
    """Return the summary as a message within its weight limit, cut at a sentence or a word."""
    whole = summary_message(text)
    if counter.weigh(whole) <= most:
        return whole

    def weight(length: int) -> int:
        return counter.weigh(summary_message(text[:length] + "…"))

    fitting = bisect_right(range(1, len(text) + 1), most, key=weight)
    return summary_message(shorten_to_sentence(text, fitting))


def _outcome(
    messages: Sequence[Message],
    budget: int,
    counter: Estimator,
    instructions: tuple[int, ...],
    split: _Split,
    summary: Message | None = None,
    failure: str = "",
) -> Outcome:
    front = [messages[place] for place in instructions]
    kept = (*front, *([summary] if summary else []), *(messages[place] for place in split.kept))
    tokens = counter.tokens(kept)
    notes = [failure] if failure else []
    if tokens > budget:
        who = "the strategy keeps" if split.kept else "the system messages alone take"
        notes.append(f"{who} {tokens} tokens of {budget}")
    elif split.dropped and not split.kept:
        notes.append("the latest message does not fit")
    lost = orphans(kept)
    if lost:
        notes.append(f"{lost} tool result{'s stand' if lost > 1 else ' stands'} without the call")
    dropped = tuple(messages[place] for place in split.dropped)
    note = "; ".join(notes)
    pruned = Pruned(kept, dropped, tokens, budget, tokens <= budget, note)
    return Outcome(pruned, instructions, split.kept, summary)
