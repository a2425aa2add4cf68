"""The request of a search, its data sources, and the candidate that every stage passes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from remora.core.errors import InvalidInput
from remora.core.values import HIT_SOURCES, MEMORY_SCOPES, Filters, MemoryRecord, Reason, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remora.core.cochange import LastChange
    from remora.llm.client import LanguageModel, Reranker
    from remora.store.chunks import ChunkRow
    from remora.store.database import Database
    from remora.store.notes import NoteRow

Key = tuple[str, str, str]  # source, realm, id


class Request(NamedTuple):
    """One search.

    Attributes:
        explicit: whether it was requested; False for unrequested context (then without HyDE).
        without: stages and paths to leave out, by name; for ablations.
    """

    text: str
    k: int
    filters: Filters = Filters()
    phase: str | None = None
    recent_tools: tuple[str, ...] = ()
    recent_files: tuple[str, ...] = ()
    explicit: bool = True
    without: frozenset[str] = frozenset()


class QueryVector(NamedTuple):
    """A query vector, and the model whose rows it may be compared with."""

    model_id: str
    vector: NDArray[np.float32]


# Text to a query vector; None if there is no model or it failed, with the reason.
EmbedQuery = Callable[[str], tuple[QueryVector | None, str]]


class Reader(NamedTuple):
    """The data sources of a search. Nothing here can write.

    Attributes:
        databases: the project's database, then the user's if there is one.
        embed: turns the query into a vector.
        now: seconds since the epoch.
        mtime: when a file of the repository was modified, seconds; None if it is deleted.
        recent: the last changes of files in commits that the history read at `init` lacks.
        phase_weights: weights of types by phase; those of the specification by default.
        rerank_candidates, rerank_seconds: maximum number of reranked candidates, and the time limit.
    """

    databases: tuple[Database, ...]
    embed: EmbedQuery
    now: float
    mtime: Callable[[str], float | None]
    recent: Callable[[], Mapping[str, LastChange]] = dict
    llm: LanguageModel | None = None
    reranker: Reranker | None = None
    rerank_candidates: int = 20
    rerank_seconds: float = 0.4
    hyde: bool = True
    boost: bool = False
    phase_weights: Mapping[str, Mapping[str, float]] | None = None


class Candidate(NamedTuple):
    """A possible hit.

    `dense` is the cosine to the query (None without a vector), `lexical` the share of the query's weight that
    its words cover (0..1), `graph` the closeness of its files to those at hand (0..1). `score` is on one
    scale from the fusion on: a relevance, 0..1.
    """

    key: Key
    text: str
    memory: MemoryRecord | None = None
    turn: Turn | None = None
    chunk: ChunkRow | None = None
    note: NoteRow | None = None
    dense: float | None = None
    lexical: float = 0.0
    graph: float = 0.0
    score: float = 0.0
    reasons: tuple[Reason, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names."""
        if self.chunk is not None:
            return (self.chunk.path,)
        return self.memory.related_files if self.memory is not None else ()

    def because(self, stage: str, score: float, note: str = "", rank: int | None = None) -> Candidate:
        """Return the candidate with one more reason."""
        return self._replace(reasons=(*self.reasons, Reason(stage, score, rank, note)))


def ranked(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates best first; equal scores are ordered by key, so the order is total."""
    return sorted(candidates, key=lambda c: (-c.score, c.key))


def checked_filters(filters: Filters) -> Filters:
    """Return the filters if they are valid.

    Raises:
        InvalidInput: a scope, kind or type that does not exist.
    """
    if filters.scope is not None and filters.scope not in MEMORY_SCOPES:
        raise InvalidInput(
            f"unknown scope {filters.scope!r}", hint=f"Choose one of {', '.join(MEMORY_SCOPES)}."
        )
    for kind in filters.kinds:
        if kind not in HIT_SOURCES:
            raise InvalidInput(
                f"unknown kind of hit {kind!r}", hint=f"Choose one of {', '.join(HIT_SOURCES)}."
            )
    for kind in filters.types:
        if not kind.replace("_", "").isalnum():
            raise InvalidInput(f"{kind!r} is not the name of a memory type")
    return filters
