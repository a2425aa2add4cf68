"""What all sessions showed so far, as far as a promotion needs to know it.

`Seen` is the question; the store answers it from SQL, `SeenHere` from the sessions it was given (a trial
run that writes nothing, and tests). Every count includes the session that is being judged: it is
counted first and judged then, so that a new project and an old one go the same way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from remora.core.events import ErrorSeen, Observation, Signal
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


class SeenHere:
    """What the sessions showed that were added to it; nothing is stored."""

    def __init__(self) -> None:
        self._occasions: dict[str, str | None] = {}
        self._ids: set[str] = set()
        self._counts: dict[tuple[str, str], SeenCount] = defaultdict(SeenCount)
        self._shown: dict[tuple[str, str], list[Shown]] = defaultdict(list)
        self._errors: dict[str, list[ErrorMet]] = defaultdict(list)
        self._met: dict[str, SeenCount] = defaultdict(SeenCount)
        self._asked: dict[str, int] = defaultdict(int)
        self._edits: dict[str, dict[str, str | None]] = defaultdict(dict)
        self._pairs: dict[str, dict[str, dict[str, str | None]]] = defaultdict(lambda: defaultdict(dict))

    def add(self, session: Observation, more: Iterable[Signal] = ()) -> None:
        """Count a session, with signals beyond its own (see `promotion.tallies`); each session once."""
        if session.session_id in self._ids:
            return
        self._ids.add(session.session_id)
        at = session.ended or session.started
        occasion = f"{session.branch or ''}{(session.started or session.session_id)[:10]}"
        self._occasions[occasion] = at
        for signal in {(s.type, s.key): s for s in (*session.signals, *more)}.values():
            name = (signal.type, signal.key)
            self._counts[name] = self._counts[name].plus(signal.at or at)
            own = Shown(session.session_id, signal.at or at, signal.detail, signal.paths, signal.taint)
            self._shown[name].append(own)
            del self._shown[name][:-KEPT]
        for error in session.errors:
            self._errors[error.fingerprint].append(ErrorMet(session.session_id, at, error))
            del self._errors[error.fingerprint][:-KEPT]
            self._met[error.fingerprint] = self._met[error.fingerprint].plus(at)
        for asked in {same_words(prompt) for prompt in session.prompts}:
            self._asked[asked] += 1
        changed = [use.path for use in session.files if use.edits]
        for path in changed:
            self._edits[path][occasion] = at
            for other in changed:
                if other != path:
                    self._pairs[path][other][occasion] = at

    def total(self) -> SeenCount:
        """Return on how many occasions sessions were added."""
        return _counted(self._occasions)

    def sessions(self, type: str, key: str) -> SeenCount:  # noqa: A002  as an Observation's signals have it
        """Return in how many sessions a signal showed."""
        return self._counts.get((type, key), SeenCount())

    def shown(self, type: str, key: str) -> Sequence[Shown]:  # noqa: A002
        """Return how sessions showed a signal, oldest first."""
        return tuple(self._shown.get((type, key), ()))

    def errors(self, fingerprint: str) -> Sequence[ErrorMet]:
        """Return how sessions met an error, oldest first."""
        return tuple(self._errors.get(fingerprint, ()))

    def met(self, fingerprint: str) -> SeenCount:
        """Return in how many sessions an error was met."""
        return self._met.get(fingerprint, SeenCount())

    def asked(self, prompt: str) -> int:
        """Return in how many sessions somebody typed the same words as a prompt."""
        return self._asked.get(same_words(prompt), 0)

    def edits(self, path: str) -> SeenCount:
        """Return on how many occasions a file was changed."""
        return _counted(self._edits.get(path, {}))

    def co_edits(self, path: str) -> Mapping[str, SeenCount]:
        """Return the files changed in the same sessions as a file, and on how many occasions."""
        return {other: _counted(times) for other, times in self._pairs.get(path, {}).items()}


def _counted(occasions: Mapping[str, str | None]) -> SeenCount:
    count = SeenCount()
    for at in occasions.values():
        count = count.plus(at)
    return count
