"""Text of a record: joined from blocks, without the host's insertions, and truncated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from remora.core.cut import both_ends

MAX_PROMPT = 8_000  # characters of a prompt, of a reply and of a thought
MAX_RESULT = 4_000  # of a result
MAX_NAME = 1_000  # of a path, a pattern, an address

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\))")
# One that is never closed goes on to the end.
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


def without_reminders(text: str) -> str:
    """Return a text without the hidden reminders of a host for its model.

    >>> without_reminders("1 passed<system-reminder>be kind</system-reminder>!")
    '1 passed!'
    """
    return _REMINDER.sub("", text)


def without_colours(text: str) -> str:
    r"""Return a text without the escape sequences of terminals.

    >>> without_colours("\x1b[31mFAIL\x1b[0m a")
    'FAIL a'
    """
    return _ANSI.sub("", text) if "\x1b" in text else text


def result_text(content: Any, limit: int = MAX_RESULT) -> str:
    """Return the text of a tool's result, truncated: of a string, or of a list of blocks."""
    text = without_reminders(joined(content)).strip("\n")
    # Megabytes of output are shortened first. Then colours are removed, since they do not count for the size.
    ends = text if len(text) <= 100_000 else text[:50_000] + text[-50_000:]
    if "\x1b" in ends:
        text = without_colours(ends)
    return both_ends(text, limit)


def joined(content: Any) -> str:
    """Return the text of a message's content; other blocks are named in brackets."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts: list[str] = []
    for block in content:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, Mapping):
            text = block.get("text")
            if isinstance(text, str):
                parts.append(text)
            elif isinstance(block.get("type"), str):
                parts.append(f"[{block['type'][:40]}]")
    return "\n".join(parts)


def string(value: Any, limit: int = MAX_NAME) -> str:
    """Return a value if it is a string, truncated, else an empty one."""
    return both_ends(value, limit) if isinstance(value, str) else ""


def number(value: Any) -> int | None:
    """Return a value if it is an integer that a database can hold."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if -(2**53) < value < 2**53 else None
