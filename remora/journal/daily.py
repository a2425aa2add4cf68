"""The line of a daily note for one exchange of a conversation, and noting the latest one today."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from remora.core.config import JournalSettings
from remora.core.values import Message

if TYPE_CHECKING:
    from remora.journal.files import Journal

USER_CHARS, ASSISTANT_CHARS = 200, 300

_TIME = len("[10:00]")  # begins a line of a daily note
_ANSWER = " | "

# Everything that some program takes for the end of a line: a note is one line for each of them.
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def note_line(user: str, answer: str, moment: datetime, who: str = "Assistant") -> str:
    r"""Return the line of one exchange, with its line end; `who` is the speaker of the answer.

    >>> note_line("How long do\ntokens live?", "24 hours.", datetime(2026, 2, 7, 14, 15))
    '[14:15] User: How long do tokens live? | Assistant: 24 hours.\n'
    """
    said, answered = one_line(user, USER_CHARS), one_line(answer, ASSISTANT_CHARS)
    return f"[{moment:%H:%M}] User: {said} | {who}: {answered}\n"


def one_line(text: str, limit: int) -> str:
    """Return a text on one line, trimmed; one longer than `limit` characters is cut and ends in `...`.

    >>> one_line("abcdefgh", 8), one_line("abcdefghi", 8)
    ('abcdefgh', 'abcde...')
    """
    line = _LINE_END.sub(" ", text).strip()
    return line if len(line) <= limit else line[: limit - 3] + "..."


def last_exchange(messages: Sequence[Message]) -> tuple[str, str] | None:
    """Return the last message of the user and the final answer to it.

    The final answer is the last assistant message after it that is not empty. None if there is no message of
    the user, or no answer yet.
    """
    answer = ""
    for message in reversed(messages):
        if message.role == "assistant" and not answer and message.content.strip():
            answer = message.content
        elif message.role == "user":
            return (message.content, answer) if answer else None
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
    line = note_line(*exchange, journal.moment()).strip()
    noted = journal.read_day(journal.moment().date()).text.strip().splitlines()
    last = noted[-1] if noted else ""
    if last[_TIME:] == line[_TIME:]:
        return last + "\n"
    goes_on = _answers(messages) > 1 and last[_TIME:].startswith(line[_TIME:].partition(_ANSWER)[0] + _ANSWER)
    return journal.append_today(*exchange, instead_of=last if goes_on else "")


def _answers(messages: Sequence[Message]) -> int:
    """Return how many answers the last message of the user has by now."""
    number = 0
    for message in reversed(messages):
        if message.role == "user":
            break
        number += message.role == "assistant" and bool(message.content.strip())
    return number
