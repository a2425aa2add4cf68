"""What promotion asks of the counts over all learned sessions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from remora.core.text import words

if TYPE_CHECKING:
    from remora.store.session_reader import SessionReader

PROMPTED = 200  # newest sessions whose prompts are compared


def needed(sessions: int, agents: int) -> int:
    """Return the number of sessions that must show a signal; each further agent of one counts as a session.

    >>> needed(3, 1), needed(3, 2), needed(2, 5)
    (3, 2, 1)
    """
    return max(1, sessions - max(0, agents - 1))


def same_words(prompt: str) -> str:
    """Return the words of a prompt as a key, equal for prompts with the same words.

    >>> same_words("Address PR feedback!") == same_words("address pr  feedback")
    True
    """
    return " ".join(words(prompt))


def prompts_asked(seen: SessionReader) -> Counter[str]:
    """Return in how many of the newest PROMPTED sessions each prompt was made, by its `same_words`."""
    return Counter(
        line
        for _, prompts in seen.prompts(PROMPTED)
        for line in {same_words(line) for line in prompts.split("\n")}
    )
