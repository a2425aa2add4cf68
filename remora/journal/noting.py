"""Note the latest exchange of a conversation in today's file; a failure is told and stops nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from remora.core.config import JournalSettings
from remora.core.errors import RemoraError
from remora.core.values import Message
from remora.journal.daily import last_exchange
from remora.journal.files import Journal


class Noted(NamedTuple):
    """The line that was noted, empty if none was, and why it could not be."""

    line: str = ""
    problem: str = ""


def note_exchange(journal: Journal, messages: Sequence[Message], settings: JournalSettings) -> Noted:
    """Note the last message of the user with the final answer to it.

    Nothing is noted without both, or by a journal that is off.

    Args:
        journal: where to.
        messages: of the conversation, oldest first.
        settings: whether the journal is on.
    """
    exchange = last_exchange(messages) if settings.enabled else None
    if exchange is None:
        return Noted()
    try:
        return Noted(journal.append_today(*exchange))
    except RemoraError as error:
        return Noted(problem=str(error))
