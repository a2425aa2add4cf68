"""What a few sessions showed, kept in memory: the answer of the store to `Seen`, without a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from remora.core.events import Observation, Signal
from remora.observer.past_sessions import KEPT, ErrorMet, SeenCount, Shown, same_words


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
