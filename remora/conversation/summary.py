"""Summarise messages that leave a working context: by a model or by rules, within limits.

The model gets the older messages as `role: content` lines, each truncated, without tool results and blank
ones; an earlier summary is passed separately and whole, to be merged into the new one. Every answer is
limited to `room(settings)` characters, so a summary of summaries never grows.

A model that fails, answers late or returns nothing only costs quality: the extract replaces its answer, and
`Summary.note` gives the reason. Only an error that is no failure of a model or a network (a bug in a caller's
model object) is raised: the boundary has not moved then, so nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from remora.conversation.cut import is_summary, limit_of, room
from remora.conversation.flatten import clip, held
from remora.conversation.format import SUMMARY_HEAD
from remora.core.config import CompactionSettings
from remora.core.errors import RemoraError
from remora.core.extract import extract
from remora.core.fences import unfenced
from remora.core.text import clean, collapse, shorten, sound
from remora.core.values import Message, is_result
from remora.llm.client import Completion, LanguageModel, strip_thinking
from remora.llm.client import Message as Prompt
from remora.llm.prompts import fill, load

WORDS_PER_TOKEN = 0.6  # asked for, so that an answer ends before it is cut; English has about 0.75
ROLE_CHARACTERS = 60  # of a speaker's name

_GAP = re.compile(r"\n\s*\n+")


class Summary(NamedTuple):
    """The replacement of older messages.

    `how` is "model" or "extract"; `note` describes problems, empty if there were none.
    """

    text: str
    how: Literal["model", "extract"]
    note: str = ""


def summarise(
    older: Sequence[Message],
    model: LanguageModel | None,
    settings: CompactionSettings,
) -> Summary:
    """Summarise messages that leave the context, together with an earlier summary.

    Args:
        older: the messages as in the log; an earlier summary among them is recognized.
        model: None for the extract.
        settings: tokens, temperature, seconds and characters of a message.

    Returns:
        A text that is never blank and at most `room(settings)` characters long, and how it was made.
    """
    previous = "\n".join(m.content for m in older if is_summary(m))
    previous = previous.replace(f"{SUMMARY_HEAD}\n", "").strip()
    messages = [m for m in older if not is_summary(m)]
    lines = conversation_lines(messages, settings.message_characters)
    if not messages and previous:
        return Summary(held(previous, room(settings)), "extract", "no new messages")
    if model is None:
        answer, note = "", "there is no model"
    elif not lines:
        answer, note = "", "there were only tool calls and results; the model was not called"
    else:
        answer, note = _ask(model, lines, previous, settings)
    if not answer:
        return Summary(extract(messages, room(settings), previous=previous), "extract", note)
    return Summary(answer, "model", note)


def conversation_lines(messages: Sequence[Message], characters: int) -> list[str]:
    """Return messages as `role: content`, one a line, each truncated with three dots.

    Tool results and blank messages are left out, and so are the arguments of tool calls.
    """
    return [
        f"{shorten(m.role, ROLE_CHARACTERS)}: {clip(said, characters)}"
        for m in messages
        if not is_result(m) and (said := collapse(clean(sound(m.content))))
    ]


def _ask(
    model: LanguageModel, lines: Sequence[str], previous: str, settings: CompactionSettings
) -> tuple[str, str]:
    """Return the model's summary, empty if it gave none, and a note."""
    words = str(max(1, int(settings.summary_tokens * WORDS_PER_TOKEN)))
    system = fill(load("remora.conversation", "summary"), words=words)
    conversation, note = _fitting(lines, settings)
    if not conversation:
        return "", "the messages are too long for the model; it was not called"
    if previous:
        earlier = held(previous, room(settings))
        conversation = f"Earlier summary:\n{earlier}\n\nConversation since then:\n{conversation}"
    else:
        conversation = f"Conversation:\n{conversation}"
    try:
        completion = model.complete(
            [Prompt("system", system), Prompt("user", conversation)],
            max_tokens=settings.summary_tokens,
            temperature=settings.summary_temperature,
            timeout=settings.summary_timeout,
        )
    except (RemoraError, OSError) as error:  # OSError: timeouts and sockets of a model that is not ours
        return "", f"the model failed: {shorten(str(error) or type(error).__name__, 300)}"
    answer, cut = _usable(completion, settings)
    if not answer:
        return "", "the model returned no text"
    return answer, "; ".join(filter(None, (note, cut)))


def _fitting(lines: Sequence[str], settings: CompactionSettings) -> tuple[str, str]:
    """Return the lines that the model can take, of too many the most recent ones, and a note."""
    left = int(limit_of(settings) * settings.characters_per_token)
    start = len(lines)
    while start and len(lines[start - 1]) < left:
        start -= 1
        left -= len(lines[start]) + 1
    note = f"the first {start} of {len(lines)} messages were not sent to the model" if start else ""
    return "\n".join(lines[start:]), note


def _usable(completion: Completion, settings: CompactionSettings) -> tuple[str, str]:
    """Return an answer as usable in a context, within limits, and a note if it was cut."""
    text = unfenced(strip_thinking(clean(sound(completion.text))))
    text = _GAP.sub("\n\n", text.replace(SUMMARY_HEAD, "")).strip()
    kept = held(text, room(settings))
    if kept != text:
        return kept, f"the answer had {len(text):,} characters; the first {len(kept):,} were kept"
    broken = text and completion.finish_reason == "length"
    return text, f"the answer was cut at {settings.summary_tokens} tokens" if broken else ""
