"""Candidates among written files: MEMORY.md, HISTORY, daily notes, notes and archives.

Archives are machine-made summaries of conversations and may repeat an error or an outdated wish. They are
returned only for explicit searches, not for unrequested context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.values import NOTE_KINDS
from remora.retrieval.candidates import SEARCHED, Pool, Question, affordable, lexical, pooled
from remora.retrieval.request import Candidate, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remora.store.database import Database


def wanted(request: Request) -> tuple[str, ...]:
    """Return the kinds of notes that are allowed; they have no type, file or module for a filter."""
    filters = request.filters
    if filters.types or filters.files or filters.modules or filters.scope:
        return ()
    kinds = tuple(k for k in NOTE_KINDS if not filters.kinds or k in filters.kinds)
    if filters.role is not None:
        kinds = tuple(k for k in kinds if k == "quote" and filters.role.lower() == "user")
    return kinds if request.explicit else tuple(k for k in kinds if k != "archive")


def notes(db: Database, request: Request, asked: Question, kinds: Sequence[str]) -> Pool:
    """Return the notes of some kinds found by any path, without their texts."""
    depth, filters = max(SEARCHED, request.k), request.filters
    dense: dict[int, float] = {}
    if asked.vector is not None:
        near = db.nearest("note", asked.vector.model_id)
        bound = filters.branch != "*" and "quote" in kinds and db.notes.on_branches()
        every = len(kinds) == len(NOTE_KINDS) and not bound and not filters.said
        allowed = None if every else {str(i) for i in db.notes.ids_of(kinds, filters=filters)}
        dense = {int(n.owner_id): n.cosine for n in near.search(asked.vector.vector, depth, allowed)}
    words: dict[int, float] = {}
    by_words: list[tuple[int, float]] = []
    if "fts" not in request.without:

        def find(terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
            return db.notes.search(terms, kinds, limit, filters)

        stats = db.fulltext.term_stats("notes", asked.terms)
        by_words = find(affordable(stats), depth)
        words = lexical(stats, by_words, find)
    # A vector may outlive its note by a moment: the rows decide.
    found = sorted(db.notes.ids_of(kinds, {*dense, *words}, filters))
    lists = {"dense": list(dense), "fts": [i for i, _ in by_words]}
    return pooled(db, "note", asked, found, dense, words, lists, {})


def with_notes(db: Database, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with their texts; those deleted meanwhile are dropped."""
    rows = db.notes.get_many([int(c.key[2]) for c in candidates])
    return [
        c._replace(note=rows[int(c.key[2])], text=rows[int(c.key[2])].content)
        for c in candidates
        if int(c.key[2]) in rows
    ]
