"""What happened through one server since it started: recorded, handed out, asked about.

It is kept in this process alone and is bounded. From it `why` says why a memory was recalled lately, and
`record_memory` sees when a text says again what an unverified memory said that was handed out before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from remora.core.sketch import word_set
from remora.core.text import collapse, shorten
from remora.core.values import Hit, MemoryRecord

MOST = 200  # of everything that is kept
RECALLS = 5  # of one memory
ASKED_CHARS = 120
# A text says again what an unverified memory said if so many of its words are that memory's, or so many of
# the memory's words are in it; and of those so many at least, since fewer are chance.
ECHO, ECHO_WORDS = 0.6, 3
WHOLE, WHOLE_WORDS = 0.8, 6


class Recall(NamedTuple):
    """A memory that was handed out: when, by which tool, for what, at which rank, and the reasons."""

    at: float
    tool: str
    asked: str
    rank: int
    score: float
    why: tuple[str, ...]


class Recorded(NamedTuple):
    """A memory that came in through this server."""

    at: float
    id: str
    type: str
    action: str
    text: str


class Log:
    """The log of one server; safe to use from several threads."""

    def __init__(self, started: float) -> None:
        self.started = started
        self._lock = threading.Lock()
        self._recorded: OrderedDict[str, Recorded] = OrderedDict()
        self._recalled: OrderedDict[str, deque[Recall]] = OrderedDict()
        self._files: OrderedDict[str, float] = OrderedDict()
        self._unverified: OrderedDict[str, frozenset[str]] = OrderedDict()

    def handed_out(self, tool: str, asked: str, hits: Sequence[Hit], at: float) -> None:
        """Note the memories among some hits, best first."""
        for rank, hit in enumerate(hits, 1):
            if hit.memory is not None:
                why = tuple(str(reason) for reason in hit.why)
                self._recall(hit.memory, Recall(at, tool, _brief(asked), rank, hit.score, why))

    def shown(self, tool: str, asked: str, records: Iterable[MemoryRecord], at: float) -> None:
        """Note memories that were handed out without a search."""
        for rank, record in enumerate(records, 1):
            self._recall(record, Recall(at, tool, _brief(asked), rank, 0.0, ()))

    def _recall(self, record: MemoryRecord, recall: Recall) -> None:
        with self._lock:
            self._recalled.setdefault(record.id, deque(maxlen=RECALLS)).append(recall)
            self._recalled.move_to_end(record.id)
            _bound(self._recalled)
            if record.taint is not None:
                self._unverified[record.id] = word_set(record.content)
                _bound(self._unverified)

    def recorded(self, record: MemoryRecord, at: float) -> None:
        """Note a memory that came in."""
        action = record.receipt.action if record.receipt is not None else "stored"
        with self._lock:
            if (known := self._recorded.get(record.id)) is not None:
                action = known.action  # said again, it is merged; that it came in here is what matters
            text = shorten(record.content, 160)
            self._recorded[record.id] = Recorded(at, record.id, record.type, action, text)
            self._recorded.move_to_end(record.id)
            _bound(self._recorded)

    def asked_about(self, paths: Iterable[str], at: float) -> None:
        """Note files that a call was about."""
        with self._lock:
            for path in paths:
                self._files[path] = at
                self._files.move_to_end(path)
            _bound(self._files)

    def recalls(self, memory_id: str) -> tuple[Recall, ...]:
        """Return when and why a memory was handed out, the last time first."""
        with self._lock:
            return tuple(reversed(self._recalled.get(memory_id, ())))

    def latest(self, number: int) -> tuple[tuple[str, Recall], ...]:
        """Return the memories that were handed out last, with the last time of each."""
        with self._lock:
            found = [(memory_id, recalls[-1]) for memory_id, recalls in self._recalled.items()]
        return tuple(reversed(found[-number:]))

    def records(self) -> tuple[Recorded, ...]:
        """Return what came in, each once, the last first."""
        with self._lock:
            return tuple(reversed(self._recorded.values()))

    def files(self, number: int) -> tuple[str, ...]:
        """Return the files that were asked about last."""
        with self._lock:
            return tuple(reversed(self._files))[:number]

    def echoes(self, text: str) -> tuple[str, ...]:
        """Return the ids of unverified memories that were handed out and that a text says again."""
        said = word_set(text)
        with self._lock:
            return tuple(memory_id for memory_id, known in self._unverified.items() if _echo(said, known))


def _echo(said: frozenset[str], known: frozenset[str]) -> bool:
    shared = len(said & known)
    again = shared >= max(ECHO_WORDS, ECHO * len(said))
    return again or shared >= max(WHOLE_WORDS, WHOLE * len(known))


def _brief(text: str) -> str:
    return shorten(collapse(text[: 20 * ASKED_CHARS]), ASKED_CHARS)


def _bound(kept: OrderedDict[str, Any]) -> None:
    while len(kept) > MOST:
        kept.popitem(last=False)
