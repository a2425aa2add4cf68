"""Counts over all learned sessions, as promotion needs them.

`Seen` is the interface; the store implements it with SQL. Every count includes the session that is being
judged: it is counted first and judged then, so that new and old projects are treated the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from remora.core.events import ErrorSeen
from remora.core.text import words
from remora.core.values import Taint

KEPT = 50  # details of one signal that are stored, the newest


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


class Shown(NamedTuple):
    """A signal as one session showed it."""

    session_id: str
    at: str | None
    detail: Mapping[str, Any]
    paths: tuple[str, ...] = ()
    taint: Taint | None = None


class ErrorMet(NamedTuple):
    """An error as one session met it."""

    session_id: str
    at: str | None
    error: ErrorSeen


class Seen(Protocol):
    """Counts over all learned sessions, including the one being judged."""

    def total(self) -> SeenCount:
        """Return the number of occasions; the sessions of one branch and day are one occasion."""
        ...

    def sessions(self, type: str, key: str) -> SeenCount:  # noqa: A002  as an Observation's signals have it
        """Return the number of sessions that showed a signal."""
        ...

    def shown(self, type: str, key: str) -> Sequence[Shown]:  # noqa: A002
        """Return a signal as the sessions showed it, oldest first, at most the newest KEPT."""
        ...

    def errors(self, fingerprint: str) -> Sequence[ErrorMet]:
        """Return an error as the sessions met it, oldest first, at most the newest KEPT."""
        ...

    def met(self, fingerprint: str) -> SeenCount:
        """Return the number of sessions that met an error."""
        ...

    def asked(self, prompt: str) -> int:
        """Return the number of sessions with a prompt of the same words."""
        ...

    def edits(self, path: str) -> SeenCount:
        """Return the number of occasions on which a file was changed."""
        ...

    def co_edits(self, path: str) -> Mapping[str, SeenCount]:
        """Return the files changed in the same sessions as a file, with the number of occasions."""
        ...
