"""The latest exchange of a conversation, noted in the daily note of today."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.config import JournalSettings
from remora.core.values import Message
from remora.journal.daily import note_line
from remora.journal.files import Journal

_TIME = len("[10:00]")  # begins a line of a daily note


def last_exchange(messages: Sequence[Message]) -> tuple[str, str] | None:
    """Return the last message of the user and the final answer to it; None without both.

    What an assistant says beside a call of a tool is no final answer.
    """
    answer = ""
    for message in reversed(messages):
        if message.role == "user":
            return (message.content, answer) if answer else None
        if message.role == "assistant" and not message.tool_calls and message.content.strip():
            answer = answer or message.content
    return None


def note_exchange(journal: Journal, messages: Sequence[Message], settings: JournalSettings) -> str:
    """Note the last message of the user with the final answer to it; return the line.

    Nothing is noted without both, or by a journal that is off; the line is empty then. The exchange in the
    last line of the day is not noted again.

    Args:
        journal: where to.
        messages: of the conversation, oldest first.
        settings: whether the journal is on.

    Raises:
        StoreError: the line could not be written.
    """
    exchange = last_exchange(messages) if settings.enabled else None
    if exchange is None:
        return ""
    line = note_line(*exchange, journal.moment()).strip()
    noted = journal.read_day(journal.moment().date()).text.splitlines()
    if noted and noted[-1][_TIME:] == line[_TIME:]:
        return noted[-1] + "\n"
    return journal.append_today(*exchange)
