"""The rankings that are compared: the search as users get it, its single paths, and it without a part.

A single path is asked as deep as the comparison needs, not only as deep as the search asks it, so that
nothing is held against it. Naive fusion gives every path the same say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.baselines import PlainBM25, PlainVectors
from benchmarks.metrics import rrf, unique
from remora.app.recall.search import search
from remora.core.text import query_terms
from remora.core.values import Filters
from remora.retrieval.candidates import names_in, without_names
from remora.retrieval.pipeline import PARTS

if TYPE_CHECKING:
    from remora.app.memory import Memory
    from remora.store.database import Database

Ranking = Callable[[str, int], list[str]]

OURS = "remora"
DENSE, WORDS, WINDOW = "vectors alone", "BM25 alone", "BM25 of windows alone"
NAIVE, WITHOUT = "naive RRF", "without "
PLAIN_DENSE, PLAIN_WORDS = "plain vectors", "plain BM25"
SINGLE_PATHS = (DENSE, WORDS, WINDOW, PLAIN_DENSE, PLAIN_WORDS)


def rankings(memory: Memory, kind: str, k: int, *, ablate: bool) -> dict[str, Ranking]:
    """Return every ranking of a project's turns, memories or code by its name.

    Args:
        memory: the open, filled project.
        kind: "turn", "memory" or "code".
        k: the most that will be asked for; the naive fusion fuses lists of this length.
        ablate: also the search without each of its parts, named by `WITHOUT`.
    """
    db = memory._project.db
    single = {DENSE: _dense(memory, db, kind), WORDS: _words(db, kind)}
    if kind == "turn":
        single[WINDOW] = _window(db)
    found: dict[str, Ranking] = {
        OURS: lambda q, n: unique(h.external_id or h.path for h in memory.search(q, n, kinds=[kind]))
    }
    found |= single
    found[NAIVE] = lambda q, n: rrf([path(q, k) for path in single.values()])[:n]
    if ablate:
        found |= {f"{WITHOUT}{part}": _without(memory, kind, part) for part in PARTS}
    return found


def plain_rankings(memory: Memory, texts: Sequence[tuple[str, str]], cache: Path) -> dict[str, Ranking]:
    """Return rankings over the bare texts that owe nothing to the store: what any program could do.

    Args:
        memory: gives the embedding model.
        texts: the caller's ids and texts.
        cache: where the vectors of the texts are kept, for a project that is kept.
    """
    found: dict[str, Ranking] = {PLAIN_WORDS: PlainBM25(texts).search}
    embedder = memory._project.embedder()
    if embedder is not None:
        found[PLAIN_DENSE] = PlainVectors(embedder, texts, cache).search
    return found


def _without(memory: Memory, kind: str, part: str) -> Ranking:
    filters, left_out = Filters(kinds=(kind,)), frozenset({part})

    def ranked(query: str, k: int) -> list[str]:
        found = search(memory._project, query, k, filters, None, (), (), without=left_out)
        return unique(hit.external_id or hit.path for hit in found.hits)

    return ranked


def _dense(memory: Memory, db: Database, kind: str) -> Ranking:
    """Return the vectors' path; for turns it asks as the search does, without the speakers' names."""
    embedder = memory._project.embedder()
    speakers = set(db.turns.roles()) - {"user", "assistant"} if kind == "turn" else set()

    def ranked(query: str, k: int) -> list[str]:
        if embedder is None:
            return []
        named = names_in(query, speakers)
        vector = embedder.embed_query(without_names(query, named) if named else query)
        near = db.nearest("chunk" if kind == "code" else kind, embedder.model_id).search(vector, k)
        return _external(db, kind, [n.owner_id for n in near])

    return ranked


def _words(db: Database, kind: str) -> Ranking:
    def ranked(query: str, k: int) -> list[str]:
        terms = query_terms(query)
        if kind == "turn":
            return _external(db, kind, [str(i) for i, _ in db.fulltext.turns(terms, k)])
        if kind == "code":
            return _external(db, kind, [str(i) for i, _ in db.chunks.search(terms, k)])
        return _external(db, kind, [i for i, _ in db.fulltext.memories(terms, Filters(), k)])

    return ranked


def _window(db: Database) -> Ranking:
    def ranked(query: str, k: int) -> list[str]:
        found = db.fulltext.turn_windows(query_terms(query), k)
        return _external(db, "turn", [str(i) for i, _ in found])

    return ranked


def _external(db: Database, kind: str, ids: list[str]) -> list[str]:
    """Return the callers' own ids of turns or memories, or the files of code, in order."""
    if kind == "code":
        files = db.chunks.paths_of([int(i) for i in ids])
        return unique(files[int(i)] for i in ids if int(i) in files)
    if kind == "turn":
        turns = db.turns.get_many([int(i) for i in ids])
        return unique(turns[int(i)].external_id for i in ids if int(i) in turns)
    records = db.memories.get_many(ids)
    return unique(records[i].external_id for i in ids if i in records)
