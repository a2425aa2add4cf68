"""Counts over all learned sessions, as promotion needs them.

Every count includes the session that is being judged: it is counted first and judged then, so that new and
old projects are treated the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.events import ErrorSeen
from remora.core.text import words

if TYPE_CHECKING:
    from remora.store.session_reader import SessionReader, ShownRow

KEPT = 50  # details of one signal that are read, the newest
PROMPTED = 200  # newest sessions whose prompts are compared


class SeenCount(NamedTuple):
    """The number of sessions that showed something, with the first and the last time (ISO 8601)."""

    sessions: int = 0
    first: str | None = None
    last: str | None = None

    def plus(self, at: str | None) -> SeenCount:
        """Return the count with one more session that showed it at a time."""
        times = [t for t in (self.first, self.last, at) if t]
        return SeenCount(self.sessions + 1, min(times, default=None), max(times, default=None))


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


class ErrorMet(NamedTuple):
    """An error as one session met it."""

    session_id: str
    at: str | None
    error: ErrorSeen


class Seen:
    """Counts over all learned sessions, including the one being judged."""

    def __init__(self, sessions: SessionReader) -> None:
        self._sessions = sessions
        self._prompts: Counter[str] | None = None

    def total(self) -> SeenCount:
        """Return the number of occasions; the sessions of one branch and day are one occasion."""
        return SeenCount(*self._sessions.totals())

    def sessions(self, type: str, key: str) -> SeenCount:  # noqa: A002  as an Observation's signals have it
        """Return the number of sessions that showed a signal."""
        return SeenCount(*self._sessions.sessions_with(type, key))

    def shown(self, type: str, key: str) -> Sequence[ShownRow]:  # noqa: A002
        """Return a signal as the sessions showed it, oldest first, at most the newest KEPT."""
        return self._sessions.signals(type, key, KEPT)

    def errors(self, fingerprint: str) -> Sequence[ErrorMet]:
        """Return an error as the sessions met it, oldest first, at most the newest KEPT."""
        return [ErrorMet(*row) for row in self._sessions.errors(fingerprint, KEPT)]

    def met(self, fingerprint: str) -> SeenCount:
        """Return the number of sessions that met an error."""
        return SeenCount(*self._sessions.met(fingerprint))

    def asked(self, prompt: str) -> int:
        """Return the number of the newest PROMPTED sessions with a prompt of the same words."""
        if self._prompts is None:
            self._prompts = Counter(
                asked
                for _, prompts in self._sessions.prompts(PROMPTED)
                for asked in {same_words(line) for line in prompts.split("\n")}
            )
        return self._prompts[same_words(prompt)]

    def edits(self, path: str) -> SeenCount:
        """Return the number of occasions on which a file was changed."""
        return SeenCount(*self._sessions.edits(path))

    def co_edits(self, path: str) -> Mapping[str, SeenCount]:
        """Return the files changed in the same sessions as a file, with the number of occasions."""
        return {other: SeenCount(*count) for other, count in self._sessions.co_edits(path).items()}
