"""Log of one server since its start: recorded and recalled memories.

The log is in memory and bounded. `why` reads from it the reasons of recent recalls, and `record_memory`
detects with it that a text repeats an unverified memory that was returned before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from remora.core.statement import word_set
from remora.core.text import collapse, shorten
from remora.core.values import Hit, MemoryRecord

T = TypeVar("T")
MOST = 200  # entries of each kind
ASKED_CHARS = 120
# A text repeats an unverified memory if this share of its words is in the memory, or this share of the
# memory's words is in the text; with a minimum number of shared words, since fewer are chance.
ECHO, ECHO_WORDS = 0.6, 3
WHOLE, WHOLE_WORDS = 0.8, 6


class Recall(NamedTuple):
    """A returned memory: time, tool, query, rank and reasons."""

    at: float
    tool: str
    asked: str
    rank: int
    why: tuple[str, ...]


class Recorded(NamedTuple):
    """A memory recorded through this server."""

    at: float
    id: str
    type: str
    text: str


class Log:
    """The log of one server. Thread-safe."""

    def __init__(self, started: float) -> None:
        self.started = started
        self._lock = threading.Lock()
        self._recorded: OrderedDict[str, Recorded] = OrderedDict()
        self._recalled: OrderedDict[str, Recall] = OrderedDict()
        self._unverified: OrderedDict[str, frozenset[str]] = OrderedDict()

    def handed_out(self, tool: str, asked: str, hits: Sequence[Hit], at: float) -> None:
        """Log the memories among hits, best first."""
        for rank, hit in enumerate(hits, 1):
            if hit.memory is not None:
                why = tuple(str(reason) for reason in hit.why)
                self._recall(hit.memory, Recall(at, tool, _brief(asked), rank, why))

    def shown(self, tool: str, asked: str, records: Iterable[MemoryRecord], at: float) -> None:
        """Log memories that were returned without a search."""
        for rank, record in enumerate(records, 1):
            self._recall(record, Recall(at, tool, _brief(asked), rank, ()))

    def _recall(self, record: MemoryRecord, recall: Recall) -> None:
        with self._lock:
            _keep(self._recalled, record.id, recall)
            if record.taint is not None:
                _keep(self._unverified, record.id, word_set(record.content))

    def recorded(self, record: MemoryRecord, at: float) -> None:
        """Log a recorded memory."""
        with self._lock:
            text = shorten(record.content, 160)
            _keep(self._recorded, record.id, Recorded(at, record.id, record.type, text))

    def recall(self, memory_id: str) -> Recall | None:
        """Return the latest recall of a memory."""
        with self._lock:
            return self._recalled.get(memory_id)

    def latest(self, number: int) -> list[tuple[str, Recall]]:
        """Return ids and recalls of the most recently returned memories, the latest first."""
        with self._lock:
            return list(reversed(self._recalled.items()))[:number]

    def records(self) -> list[Recorded]:
        """Return the recorded memories, each once, the latest first."""
        with self._lock:
            return list(reversed(self._recorded.values()))

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
