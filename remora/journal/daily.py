"""The line of a daily note for one exchange of a conversation."""

from __future__ import annotations

import re
from datetime import datetime

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
