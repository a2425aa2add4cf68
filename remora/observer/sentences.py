"""The wording of memories: short sentences, names in backticks, counts of sessions with dates."""

from __future__ import annotations

from remora.core.events import SeenCount
from remora.core.text import shorten

LINE = 220  # characters of a quoted line


def seen_words(seen: SeenCount) -> str:
    """Return the number of sessions and the date of the last one, in brackets.

    >>> seen_words(SeenCount(4, "2026-01-05T10:00:00Z", "2026-01-20T10:00:00Z"))
    '(seen in 4 sessions, last 2026-01-20)'
    >>> seen_words(SeenCount(1, None, "2026-01-20T10:00:00Z")), seen_words(SeenCount(1))
    ('(seen once, 2026-01-20)', '(seen once)')
    """
    day = (seen.last or "")[:10]
    if seen.sessions <= 1:
        return f"(seen once, {day})" if day else "(seen once)"
    return f"(seen in {seen.sessions} sessions, last {day})" if day else f"(seen in {seen.sessions} sessions)"


def too_few(sessions: int, needed: int) -> str:
    """Return the reason that more sessions are needed.

    >>> too_few(1, 2), too_few(2, 3)
    ('seen once, 2 sessions are needed', 'seen in 2 sessions, 3 are needed')
    """
    if sessions <= 1:
        return f"seen once, {needed} sessions are needed"
    return f"seen in {sessions} sessions, {needed} are needed"


def code(text: str) -> str:
    """Return a name in backticks; backticks inside it become quotes.

    >>> code("a`b`.py")
    "`a'b'.py`"
    """
    return "`" + text.replace("`", "'") + "`"


def quoted(text: str, limit: int = LINE) -> str:
    """Return a line as a quotation.

    >>> quoted('declared and not used:   x ')
    '“declared and not used: x”'
    """
    return f"“{shorten(text, limit)}”"


def sentence(text: str) -> str:
    """Return a text with the final punctuation of a sentence.

    >>> sentence("done:"), sentence("really?")
    ('done.', 'really?')
    """
    text = text.strip().rstrip(",;:").rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
