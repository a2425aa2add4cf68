"""Note the latest exchange of a conversation in today's file; a failure is told and stops nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from remora.core.config import JournalSettings
from remora.core.errors import RemoraError
from remora.core.values import Message
from remora.journal.daily import last_exchange, note_line
from remora.journal.files import Journal

_TIME = len("[10:00]")  # begins a line of a daily note
_ANSWER = " | "


class Noted(NamedTuple):
    """The line that was noted, empty if none was, and why it could not be."""

    line: str = ""
    problem: str = ""


def note_exchange(journal: Journal, messages: Sequence[Message], settings: JournalSettings) -> Noted:
    """Note the last message of the user with the final answer to it.

    Nothing is noted without both, or by a journal that is off. While an exchange goes on, its line is the
    last of the day: a later answer takes the place of an earlier one, and the same again changes nothing.

    Args:
        journal: where to.
        messages: of the conversation, oldest first.
        settings: whether the journal is on.
    """
    exchange = last_exchange(messages) if settings.enabled else None
    if exchange is None:
        return Noted()
    try:
        line = note_line(*exchange, journal.moment()).strip()
        noted = journal.read_day(journal.moment().date()).text.strip().splitlines()
        last = noted[-1] if noted else ""
        if last[_TIME:] == line[_TIME:]:
            return Noted(last + "\n")
        goes_on = _answers(messages) > 1 and last[_TIME:].startswith(
            line[_TIME:].partition(_ANSWER)[0] + _ANSWER
        )
        return Noted(journal.append_today(*exchange, instead_of=last if goes_on else ""))
    except RemoraError as error:
        return Noted(problem=str(error))


def _answers(messages: Sequence[Message]) -> int:
    """Return how many answers the last message of the user has by now."""
    number = 0
    for message in reversed(messages):
        if message.role == "user":
            break
        number += message.role == "assistant" and bool(message.content.strip())
    return number
