"""Answer the questions of a promotion about all learned sessions, from the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remora.observer.past_sessions import KEPT, ErrorMet, SeenCount, Shown, same_words

if TYPE_CHECKING:
    from remora.store.session_reader import SessionReader

SESSIONS = 200  # newest sessions whose prompts are compared


class StoredSeen:
    """`observer.past_sessions.Seen` over the learned sessions, including the one being judged."""

    def __init__(self, observed: SessionReader) -> None:
        self._observed = observed
        self._prompts: Counter[str] | None = None

    def total(self) -> SeenCount:
        """Return the number of learned sessions."""
        return SeenCount(*self._observed.totals())

    def sessions(self, type: str, key: str) -> SeenCount:  # noqa: A002  as the protocol has it
        """Return the number of sessions with a signal."""
        return SeenCount(*self._observed.sessions_with(type, key))

    def shown(self, type: str, key: str) -> Sequence[Shown]:  # noqa: A002
        """Return the occurrences of a signal, oldest first; the newest KEPT at most."""
        rows = self._observed.signals(type, key, KEPT)
        return [Shown(row.session_id, row.at, row.detail, row.paths, row.taint) for row in rows]

    def errors(self, fingerprint: str) -> Sequence[ErrorMet]:
        """Return the occurrences of an error, oldest first; the newest KEPT at most."""
        return [ErrorMet(*row) for row in self._observed.errors(fingerprint, KEPT)]

    def met(self, fingerprint: str) -> SeenCount:
        """Return the number of sessions with an error."""
        return SeenCount(*self._observed.met(fingerprint))

    def asked(self, prompt: str) -> int:
        """Return the number of the newest sessions with a prompt in the same words."""
        if self._prompts is None:
            self._prompts = Counter(
                asked
                for _, prompts in self._observed.prompts(SESSIONS)
                for asked in {same_words(line) for line in prompts.split("\n")}
            )
        return self._prompts[same_words(prompt)]

    def edits(self, path: str) -> SeenCount:
        """Return the number of sessions that changed a file."""
        return SeenCount(*self._observed.edits(path))

    def co_edits(self, path: str) -> Mapping[str, SeenCount]:
        """Return the files changed in the same sessions as a file, with the number of sessions."""
        return {other: SeenCount(*count) for other, count in self._observed.co_edits(path).items()}
