"""Candidates among chunks of source files: by meaning, by words, and by the names in a query.

Chunks are searched only on request (`kinds=["code"]`): an agent has its own ways to search code, and tens of
thousands of chunks would displace the few memories that have no other source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.globs import matches
from remora.core.query import named_paths
from remora.core.values import Filters, Reason
from remora.retrieval.candidates import (
    FILES_FOLLOWED,
    NEIGHBOUR,
    SAME_FILE,
    Pool,
    Question,
    affordable,
    lexical,
    pooled,
)
from remora.retrieval.request import Candidate, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remora.store.database import Database

SEARCHED = 100  # parts each path looks at; a filter on files looks at more
FILTERED = 2_000
TEST_FACTOR = 0.75  # odds of a part of a test, unless the query asks for tests


def wanted(request: Request) -> bool:
    """Return whether chunks were requested; they have no type, module, scope or time for a filter."""
    filters = request.filters
    others = filters.types or filters.scope or filters.modules or filters.said
    return "code" in filters.kinds and not others


def code(db: Database, request: Request, asked: Question) -> Pool:
    """Return the chunks found by any path, without their texts."""
    depth = max(SEARCHED, request.k) if not request.filters.files else FILTERED
    dense: dict[int, float] = {}
    if asked.vector is not None:
        near = db.nearest("chunk", asked.vector.model_id).search(asked.vector.vector, depth)
        dense = {int(n.owner_id): n.cosine for n in near}
    words: dict[int, float] = {}
    by_words: list[tuple[int, float]] = []
    if "fts" not in request.without:
        stats = db.fulltext.term_stats("code_chunks", asked.terms)
        by_words = db.chunks.search(affordable(stats), depth)
        words = lexical(stats, by_words, db.chunks.search)
    lists = {"dense": list(dense), "fts": [i for i, _ in by_words]}
    files = db.chunks.paths_of({*dense, *words})
    if request.filters.files:
        files = {i: path for i, path in files.items() if _passes(path, request.filters)}
    near_by = {} if "graph" in request.without else _at_hand(db, request)
    why = {i: Reason("graph", *near_by[path]) for i, path in files.items() if path in near_by}
    return pooled(db, "code", asked, sorted(files), dense, words, lists, why)


def with_chunks(db: Database, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with their chunks; those deleted meanwhile are dropped."""
    rows = db.chunks.get_many([int(c.key[2]) for c in candidates])
    return [
        c._replace(chunk=rows[int(c.key[2])], text=rows[int(c.key[2])].text)
        for c in candidates
        if int(c.key[2]) in rows
    ]


def asks_for_tests(text: str) -> bool:
    """Return whether a query is about tests."""
    return "test" in text.lower() or "spec" in text.lower().split()


def _at_hand(db: Database, request: Request) -> dict[str, tuple[float, None, str]]:
    """Return the score, rank and note of files: those just read or named, and their neighbours."""
    hand = list(dict.fromkeys(request.recent_files))
    if named := named_paths(request.text):
        hand += [p for name in named for p in db.graph.ending(name)]
    hand = hand[:FILES_FOLLOWED]
    if not hand:
        return {}
    found = {other: (NEIGHBOUR, None, f"linked to {path}") for path, other, _ in db.closure.near(hand)}
    return found | {path: (SAME_FILE, None, f"in {path}") for path in hand}


def _passes(path: str, filters: Filters) -> bool:
    return any(
        path == f or (f.endswith("/") and path.startswith(f)) or ("*" in f and matches(f, path))
        for f in filters.files
    )
