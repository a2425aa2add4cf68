"""The latest exchange of a conversation, noted in the daily note of today."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.config import JournalSettings
from remora.core.values import Message
from remora.journal.daily import note_line
from remora.journal.files import Journal

_TIME = len("[10:00]")  # begins a line of a daily note
_ANSWER = " | "


def last_exchange(messages: Sequence[Message]) -> tuple[str, list[str]] | None:
    """Return the last message of the user and its answers that are not empty, the final one first.

    None if there is no message of the user, or no answer yet.
    """
    answers: list[str] = []
    for message in reversed(messages):
        if message.role == "user":
            return (message.content, answers) if answers else None
        if message.role == "assistant" and message.content.strip():
            answers.append(message.content)
    return None


def note_exchange(journal: Journal, messages: Sequence[Message], settings: JournalSettings) -> str:
    """Note the last message of the user with the final answer to it; return the line.

    Nothing is noted without both, or by a journal that is off; the line is empty then. While an exchange goes
    on, its line is the last of the day: a later answer takes the place of an earlier one, and the same again
    changes nothing.

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
    said, answers = exchange
    line = note_line(said, answers[0], journal.moment()).strip()
    noted = journal.read_day(journal.moment().date()).text.strip().splitlines()
    last = noted[-1] if noted else ""
    if last[_TIME:] == line[_TIME:]:
        return last + "\n"
    goes_on = len(answers) > 1 and last[_TIME:].startswith(line[_TIME:].partition(_ANSWER)[0] + _ANSWER)
    return journal.append_today(said, answers[0], instead_of=last if goes_on else "")
