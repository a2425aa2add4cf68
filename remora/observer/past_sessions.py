"""What all sessions showed so far, as far as a promotion needs to know it.

`Seen` is the question; the store answers it from SQL. Every count includes the session that is being
judged: it is counted first and judged then, so that a new project and an old one go the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from remora.core.events import ErrorSeen
from remora.core.text import words
from remora.core.values import Taint

KEPT = 50  # details of one signal that are remembered, the newest


class SeenCount(NamedTuple):
    """In how many sessions something showed, and the first and last time (ISO 8601)."""

    sessions: int = 0
    first: str | None = None
    last: str | None = None

    def plus(self, at: str | None) -> SeenCount:
        """Return the count with one more session that showed it at a time."""
        times = [t for t in (self.first, self.last, at) if t]
        return SeenCount(self.sessions + 1, min(times, default=None), max(times, default=None))


def needed(sessions: int, agents: int) -> int:
    """Return how many sessions must show what some agents of one showed: each further agent counts as one.

    >>> needed(3, 1), needed(3, 2), needed(2, 5)
    (3, 2, 1)
    """
    return max(1, sessions - max(0, agents - 1))


def same_words(prompt: str) -> str:
    """Return what two prompts share that ask for the same in the same words.

    >>> same_words("Address PR feedback!") == same_words("address pr  feedback")
    True
    """
    return " ".join(words(prompt))


class Shown(NamedTuple):
    """How one session showed a signal."""

    session_id: str
    at: str | None
    detail: Mapping[str, Any]
    paths: tuple[str, ...] = ()
    taint: Taint | None = None


class ErrorMet(NamedTuple):
    """How one session met an error."""

    session_id: str
    at: str | None
    error: ErrorSeen


class Seen(Protocol):
    """Counts over all sessions that were learned, the one being judged included."""

    def total(self) -> SeenCount:
        """Return on how many occasions sessions were learned: those of one branch and day are one."""
        ...

    def sessions(self, type: str, key: str) -> SeenCount:  # noqa: A002  as an Observation's signals have it
        """Return in how many sessions a signal showed."""
        ...

    def shown(self, type: str, key: str) -> Sequence[Shown]:  # noqa: A002
        """Return how sessions showed a signal, oldest first, the newest KEPT at most."""
        ...

    def errors(self, fingerprint: str) -> Sequence[ErrorMet]:
        """Return how sessions met an error, oldest first, the newest KEPT at most."""
        ...

    def met(self, fingerprint: str) -> SeenCount:
        """Return in how many sessions an error was met."""
        ...

    def asked(self, prompt: str) -> int:
        """Return in how many sessions somebody typed the same words as a prompt."""
        ...

    def edits(self, path: str) -> SeenCount:
        """Return on how many occasions a file was changed."""
        ...

    def co_edits(self, path: str) -> Mapping[str, SeenCount]:
        """Return the files changed in the same sessions as a file, and on how many occasions."""
        ...
