"""The line of a daily note for one exchange, and the two messages of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from remora.core.values import Message

USER_CHARS, ASSISTANT_CHARS = 200, 300

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
