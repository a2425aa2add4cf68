"""Log of one server since its start: recorded memories, recalled memories, files asked about.

The log is in memory and bounded. `why` reads from it the reasons of recent recalls, and `record_memory`
detects with it that a text repeats an unverified memory that was returned before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from remora.core.statement import word_set
from remora.core.text import collapse, shorten
from remora.core.values import Hit, MemoryRecord

T = TypeVar("T")
MOST = 200  # entries of each kind
RECALLS = 5  # of one memory
ASKED_CHARS = 120
# A text repeats an unverified memory if this share of its words is in the memory, or this share of the
# memory's words is in the text; with a minimum number of shared words, since fewer are chance.
ECHO, ECHO_WORDS = 0.6, 3
WHOLE, WHOLE_WORDS = 0.8, 6


class Recall(NamedTuple):
    """A returned memory: time, tool, query, rank, relevance and reasons."""

    at: float
    tool: str
    asked: str
    rank: int
    score: float
    why: tuple[str, ...]


class Recorded(NamedTuple):
    """A memory recorded through this server."""

    at: float
    id: str
    type: str
    action: str
    text: str


class Log:
    """The log of one server. Thread-safe."""

    def __init__(self, started: float) -> None:
        self.started = started
        self._lock = threading.Lock()
        self._recorded: OrderedDict[str, Recorded] = OrderedDict()
        self._recalled: OrderedDict[str, deque[Recall]] = OrderedDict()
        self._files: OrderedDict[str, float] = OrderedDict()
        self._unverified: OrderedDict[str, frozenset[str]] = OrderedDict()

    def handed_out(self, tool: str, asked: str, hits: Sequence[Hit], at: float) -> None:
        """Log the memories among hits, best first."""
        for rank, hit in enumerate(hits, 1):
            if hit.memory is not None:
                why = tuple(str(reason) for reason in hit.why)
                self._recall(hit.memory, Recall(at, tool, _brief(asked), rank, hit.score, why))

    def shown(self, tool: str, asked: str, records: Iterable[MemoryRecord], at: float) -> None:
        """Log memories that were returned without a search."""
        for rank, record in enumerate(records, 1):
            self._recall(record, Recall(at, tool, _brief(asked), rank, 0.0, ()))

    def _recall(self, record: MemoryRecord, recall: Recall) -> None:
        with self._lock:
            recalls = self._recalled.get(record.id) or deque(maxlen=RECALLS)
            recalls.append(recall)
            _keep(self._recalled, record.id, recalls)
            if record.taint is not None:
                _keep(self._unverified, record.id, word_set(record.content))

    def recorded(self, record: MemoryRecord, at: float) -> None:
        """Log a recorded memory."""
        action = record.receipt.action if record.receipt is not None else "stored"
        with self._lock:
            if (known := self._recorded.get(record.id)) is not None:
                action = known.action  # recording it again merges it; keep the first action
            text = shorten(record.content, 160)
            _keep(self._recorded, record.id, Recorded(at, record.id, record.type, action, text))

    def asked_about(self, paths: Iterable[str], at: float) -> None:
        """Log the files that a call was about."""
        with self._lock:
            for path in paths:
                _keep(self._files, path, at)

    def recalls(self, memory_id: str) -> tuple[Recall, ...]:
        """Return the recalls of a memory, the latest first."""
        with self._lock:
            return tuple(reversed(self._recalled.get(memory_id, ())))

    def latest(self, number: int) -> tuple[tuple[str, Recall], ...]:
        """Return ids and latest recall of the most recently returned memories, the latest first."""
        with self._lock:
            found = [(memory_id, recalls[-1]) for memory_id, recalls in self._recalled.items()]
        return tuple(reversed(found[-number:]))

    def records(self) -> tuple[Recorded, ...]:
        """Return the recorded memories, each once, the latest first."""
        with self._lock:
            return tuple(reversed(self._recorded.values()))

    def files(self, number: int) -> tuple[str, ...]:
        """Return the most recent files that were asked about, the latest first."""
        with self._lock:
            return tuple(reversed(self._files))[:number]

    def echoes(self, text: str) -> tuple[str, ...]:
        """Return the ids of returned unverified memories that a text repeats."""
        said = word_set(text)
        with self._lock:
            return tuple(memory_id for memory_id, known in self._unverified.items() if _echo(said, known))


def _echo(said: frozenset[str], known: frozenset[str]) -> bool:
    shared = len(said & known)
    again = shared >= max(ECHO_WORDS, ECHO * len(said))
    return again or shared >= max(WHOLE_WORDS, WHOLE * len(known))


def _brief(text: str) -> str:
    return shorten(collapse(text[: 20 * ASKED_CHARS]), ASKED_CHARS)


def _keep(kept: OrderedDict[str, T], key: str, value: T) -> None:
    """Store a value as the latest, and drop the oldest above MOST."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > MOST:
        kept.popitem(last=False)
