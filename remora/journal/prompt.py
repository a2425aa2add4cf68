"""The prompt of a consolidation: the long-term memory, the conversation line by line, the request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from remora.core.text import collapse, shorten
from remora.core.values import Message
from remora.journal.judge import EMPTY
from remora.journal.reply import FACTS, HISTORY_ENTRY, MEMORY_UPDATE
from remora.llm.prompts import fill, load

MOST_CHARS = 100_000  # of the conversation in a prompt; about 25,000 tokens, which every usual model takes
LEAST_SHARE = 200  # characters that every message may have, however many there are

# The types that a conversation can tell. The others have payloads that are measured, not said.
FACT_TYPES = (
    "gotcha",
    "decision",
    "preference",
    "pattern",
    "requirement",
    "error_pattern",
    "module_insight",
    "dead_end",
)
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        HISTORY_ENTRY: {"type": "string"},
        MEMORY_UPDATE: {"type": "string"},
        FACTS: {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "type": {"type": "string", "enum": list(FACT_TYPES)},
                    "files": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["content", "type"],
            },
        },
    },
    "required": [HISTORY_ENTRY, MEMORY_UPDATE],
    "additionalProperties": False,
}
_TIME_CHARS = 16  # of an ISO instant: to the minute
_TIME_TEXT_CHARS = 40


def conversation_line(message: Message, limit: int) -> str:
    """Return a message as the prompt shows it.

    Args:
        message: its time is cut to the minute; a time in the caller's own words is unchanged.
        limit: characters of the content; the middle of a longer one is left out.

    >>> conversation_line(Message(1, "user", "hello", time="2026-02-27T14:30:00.000Z"), 80)
    '[2026-02-27T14:30] USER: hello'
    >>> conversation_line(Message(1, "user", "hello"), 80)
    '[?] USER: hello'
    """
    time = shorten(message.time_text or "", _TIME_TEXT_CHARS) or (message.time or "?")[:_TIME_CHARS]
    tools = ", ".join(collapse(call.name) for call in message.tool_calls)
    used = f" [tools: {tools}]" if tools else ""
    return f"[{time}] {message.role.upper()}{used}: {_cut(message.content, limit)}"


def _cut(content: str, limit: int) -> str:
    over = len(content) - limit
    if over <= 0:
        return content
    head = limit * 3 // 4  # a message says first what it is about, and last what came of it
    return f"{content[:head]} [… {over:,} characters …] {content[over + head :]}"


def conversation(messages: Sequence[Message]) -> tuple[str, tuple[str, ...]]:
    """Return the lines of all messages with content, and notes on truncations.

    The messages of a conversation that is too long are cut to the same length; of too many messages for that,
    the middle is left out.
    """
    spoken = [m for m in messages if m.content.strip()]
    limit = MOST_CHARS
    if sum(len(m.content) for m in spoken) > MOST_CHARS:
        limit = max(LEAST_SHARE, MOST_CHARS // len(spoken))
    lines = [conversation_line(m, limit) for m in spoken]
    cut = sum(len(m.content) > limit for m in spoken)
    notes = (f"messages that were shown to the model in part: {cut}",) if cut else ()
    room = MOST_CHARS // LEAST_SHARE
    if len(lines) > room:
        left_out = len(lines) - room
        lines[room // 2 : room // 2 + left_out] = [f"[… {left_out} messages …]"]
        notes = (*notes, f"messages that were not shown to the model: {left_out}, of the middle")
    return "\n".join(lines), notes


def build_prompt(
    memory: str, messages: Sequence[Message], max_memory_size: int
) -> tuple[str, tuple[str, ...]]:
    """Return the prompt of a consolidation, and notes on its omissions.

    Args:
        memory: the long-term memory, trimmed.
        messages: the conversation, oldest first.
        max_memory_size: bytes; shortening is requested for a larger memory.
    """
    said, notes = conversation(messages)
    size = len(memory.encode())
    compression = ""
    if size > max_memory_size:
        note = load(__package__, "compression")
        compression = "\n" + fill(note, size=str(size), limit=str(max_memory_size)) + "\n"
    types = ", ".join(f'"{name}"' for name in FACT_TYPES)
    text = fill(
        load(__package__, "consolidation"),
        types=types,
        memory=memory or EMPTY,
        conversation=said,
        compression=compression,
    )
    return text, notes
