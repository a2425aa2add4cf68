"""The message window of a conversation: its limit, the messages that leave, the recap of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from remora.core.values import Message

RECAP_HEAD = "## Recent Conversation Recap"
RECAP_SENTENCE = (
    "These are the latest messages of a conversation that goes on; answer as if you had been there."
)


class Cut(NamedTuple):
    """The messages of a conversation to consolidate: positions `start` up to, not including, `end`.

    `kept` messages stay. `due`: whether the conversation exceeds its window.
    """

    start: int
    end: int
    kept: int
    due: bool


def window_cut(count: int, memory_window: int, consolidated: int = 0) -> Cut:
    """Return the cut of a conversation; it keeps half of its window, rounded down.

    It is due when it has more messages than the window; the cut itself does not depend on that.

    Args:
        count: messages in the conversation.
        memory_window: maximum number of messages.
        consolidated: number of the first ones already in the journal.

    >>> window_cut(52, 50)
    Cut(start=0, end=27, kept=25, due=True)
    """
    count = max(0, count)
    kept = min(count, max(0, memory_window) // 2)
    end = count - kept
    return Cut(min(max(0, consolidated), end), end, kept, count > memory_window)


def recap(messages: Sequence[Message]) -> str:
    r"""Return the remaining messages as a section for a system prompt; empty if all are empty.

    >>> print(recap([Message(1, "user", "hello"), Message(2, "assistant", ""), Message(3, "tool", "ok")]))
    ## Recent Conversation Recap
    These are the latest messages of a conversation that goes on; answer as if you had been there.
    <BLANKLINE>
    USER: hello
    TOOL: ok
    """
    lines = [f"{m.role.upper()}: {m.content}" for m in messages if m.content.strip()]
    return "\n".join([RECAP_HEAD, RECAP_SENTENCE, "", *lines]) if lines else ""
