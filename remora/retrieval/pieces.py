"""Candidates among pieces of files: chunks of source files, and written files of the journal.

Chunks are searched only on request (`kinds=["code"]`): an agent has its own ways to search code, and tens of
thousands of chunks would displace the few memories that have no other source.

Written files are MEMORY.md, HISTORY, daily notes, notes and archives. Archives are machine-made summaries of
conversations and may repeat an error or an outdated wish. They are returned only for explicit searches, not
for unrequested context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.paths import matches
from remora.core.query import named_paths
from remora.core.values import FILE_KINDS, NOTE_KINDS, Filters, Reason
from remora.retrieval.candidates import (
    FILES_FOLLOWED,
    NEIGHBOUR,
    SAME_FILE,
    SEARCHED,
    Pool,
    Question,
    affordable,
    lexical,
    pooled,
)
from remora.retrieval.request import Candidate, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from remora.store.database import Database

    Find = Callable[[Sequence[str], int], list[tuple[int, float]]]

CHUNKS = 100  # chunks each path looks at; a filter on files looks at more
FILTERED = 2_000
TEST_FACTOR = 0.75  # odds of a chunk of a test, unless the query asks for tests


def wants_code(request: Request) -> bool:
    """Return whether chunks were requested; they have no type, module, scope or time for a filter."""
    filters = request.filters
    others = filters.types or filters.scope or filters.modules or filters.said
    return "code" in filters.kinds and not others


def wanted_notes(request: Request) -> tuple[str, ...]:
    """Return the kinds of notes that are allowed; they have no type, file or module for a filter.

    Most quotes concern the moment: they are searched only if their kind or the role "user" is given.
    """
    filters = request.filters
    if filters.types or filters.files or filters.modules or filters.scope:
        return ()
    kinds = tuple(k for k in NOTE_KINDS if k in filters.kinds) if filters.kinds else FILE_KINDS
    if filters.role is not None:
        of_user = filters.role.lower() == "user" and (not filters.kinds or "quote" in filters.kinds)
        return ("quote",) if of_user else ()
    return kinds if request.explicit else tuple(k for k in kinds if k != "archive")


def code(db: Database, request: Request, asked: Question) -> Pool:
    """Return the chunks found by any path, without their texts."""
    depth = max(CHUNKS, request.k) if not request.filters.files else FILTERED
    dense = _dense(db, "chunk", asked, depth, None)
    by_words, words = _by_words(db, "code_chunks", request, asked, db.chunks.search, depth)
    files = db.chunks.paths_of({*dense, *words})
    if request.filters.files:
        files = {i: path for i, path in files.items() if _passes(path, request.filters)}
    near_by = {} if "graph" in request.without else _at_hand(db, request)
    why = {i: Reason("graph", *near_by[path]) for i, path in files.items() if path in near_by}
    lists = {"dense": list(dense), "fts": by_words}
    return pooled(db, "code", asked, sorted(files), dense, words, lists, why)


def notes(db: Database, request: Request, asked: Question, kinds: Sequence[str]) -> Pool:
    """Return the notes of some kinds found by any path, without their texts."""
    depth, filters = max(SEARCHED, request.k), request.filters

    def find(terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        return db.notes.search(terms, kinds, limit, filters)

    bound = filters.branch != "*" and "quote" in kinds and db.notes.on_branches()
    every = len(kinds) == len(NOTE_KINDS) and not bound and not filters.said
    allowed = (
        None if every or asked.vector is None else {str(i) for i in db.notes.ids_of(kinds, filters=filters)}
    )
    dense = _dense(db, "note", asked, depth, allowed)
    by_words, words = _by_words(db, "notes", request, asked, find, depth)
    # A vector may outlive its note by a moment: the rows decide.
    found = sorted(db.notes.ids_of(kinds, {*dense, *words}, filters))
    return pooled(db, "note", asked, found, dense, words, {"dense": list(dense), "fts": by_words}, {})


def _dense(
    db: Database, kind: str, asked: Question, depth: int, allowed: Collection[str] | None
) -> dict[int, float]:
    """Return the cosines of the pieces nearest to a query, best first; empty without its vector."""
    if asked.vector is None:
        return {}
    near = db.nearest(kind, asked.vector.model_id).search(asked.vector.vector, depth, allowed)
    return {int(n.owner_id): n.cosine for n in near}


def _by_words(
    db: Database, table: str, request: Request, asked: Question, find: Find, depth: int
) -> tuple[list[int], dict[int, float]]:
    """Return the pieces found by their words, best first, and how much of the query each covers."""
    if "fts" in request.without:
        return [], {}
    stats = db.fulltext.term_stats(table, asked.terms)
    found = find(affordable(stats), depth)
    return [i for i, _ in found], lexical(stats, found, find)


def with_chunks(db: Database, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with their chunks; those deleted meanwhile are dropped."""
    rows = db.chunks.get_many([int(c.key[2]) for c in candidates])
    found = ((c, rows.get(int(c.key[2]))) for c in candidates)
    return [c._replace(chunk=row, text=row.text) for c, row in found if row is not None]


def with_notes(db: Database, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with their notes; those deleted meanwhile are dropped."""
    rows = db.notes.get_many([int(c.key[2]) for c in candidates])
    found = ((c, rows.get(int(c.key[2]))) for c in candidates)
    return [c._replace(note=row, text=row.content) for c, row in found if row is not None]


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
