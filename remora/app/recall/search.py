"""Prepare the data of a search, embed fresh writes, search, and pack the hits.

Texts without a vector are embedded for a moment, the newest first, so that a process finds its own writes.
The rest (a switch of models, another process, changed files) is embedded in the background, and keywords find
it meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from remora.app.memories.embedding import catch_up, go_on_in_background
from remora.app.records.note_index import follow_written
from remora.app.records.session import follow_all
from remora.core.errors import InvalidInput, RemoraError
from remora.core.text import clean
from remora.core.values import FILE_KINDS, Context, Filters, Hit
from remora.journal.daily import one_line
from remora.retrieval import pipeline
from remora.retrieval.candidates import SAME_FILE
from remora.retrieval.packing import BUDGETS, pack
from remora.retrieval.pipeline import Results
from remora.retrieval.request import QueryVector, Reader, Request
from remora.retrieval.weigh import PHASE_WEIGHTS

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

T = TypeVar("T")
MAX_QUERY = 20_000_000  # characters; more is a file, not a question
BACKLOG_SECONDS = 0.3
CONTEXT_HITS = 60
GOOD = 0.5  # a hit this relevant counts as used
RELEVANT, WRITTEN = 0.3, 0.15  # least relevance in a context block: of a memory, of other texts
WEIGHTS = "trial.weights"  # meta key: applied phase weights, oldest first, each of (phase, type, weight)
AT_HAND = 5  # memories about the files at hand that are included whatever their relevance


def ask(
    project: OpenProject,
    query: str,
    k: int,
    filters: Filters,
    *,
    phase: str | None = None,
    recent_tools: Sequence[str] = (),
    recent_files: Sequence[str] = (),
    min_score: float = 0.0,
) -> Results:
    """Search for a caller: good hits count as used; see `Memory.search`."""
    found = search(project, query, k, filters, phase, recent_tools, recent_files)
    hits = [hit for hit in found.hits if hit.score >= min_score]
    project.accesses.note([hit for hit in hits if hit.score >= GOOD], boosted=found.boosted)
    return found._replace(hits=hits)


def search(
    project: OpenProject,
    query: str,
    k: int,
    filters: Filters,
    phase: str | None = None,
    recent_tools: Sequence[str] = (),
    recent_files: Sequence[str] = (),
    *,
    explicit: bool = True,
    without: frozenset[str] = frozenset(),
) -> Results:
    """Return the best hits; none counts as used."""
    request = Request(
        text=checked_query(query),
        k=checked_k(k),
        filters=filters,
        phase=phase,
        recent_tools=tuple(recent_tools),
        recent_files=tuple(recent_files),
        explicit=explicit,
        without=without,
    )
    if request.k == 0:
        return Results([], ())
    without_them: list[str] = []
    code = "code" in filters.kinds
    if code:
        from remora.app.codebase.freshness import up_to_date

        without_them += up_to_date(project)
    found = pipeline.search(reader(project, without, without_them, code=code), request)
    if code:
        found, without_them = _fresh_code(project, request, found, without_them)
    if project.trouble and not any(project.trouble in note for note in found.notes):
        without_them.append(f"some texts have no vector yet: {project.trouble}")
    hits = [_placed(project, hit) for hit in found.hits]
    return found._replace(hits=hits, notes=(*found.notes, *without_them))


def _placed(project: OpenProject, hit: Hit) -> Hit:
    """Return a hit in a written file with the file's absolute path, so that it can be opened."""
    if hit.source not in FILE_KINDS or hit.path is None:
        return hit
    return hit._replace(path=str(project.memory_folder / hit.path))


def _fresh_code(
    project: OpenProject, request: Request, found: Results, notes: list[str]
) -> tuple[Results, list[str]]:
    """Return the hits, searched again if files in them had changed, and the notes."""
    from remora.app.codebase.freshness import refresh

    if note := refresh(project, [hit.path for hit in found.hits if hit.source == "code" and hit.path]).note:
        notes = [*notes, note]
        if not project.read_only:
            found = pipeline.search(reader(project, request.without), request)
    return found, notes


def context(
    project: OpenProject,
    task: str,
    filters: Filters,
    phase: str,
    budget: int | None,
    recent_files: Sequence[str],
    told: str = "",
) -> tuple[Context, tuple[str, ...]]:
    """Return the packed block for a task, without turns that `told` holds, and the notes of the search.

    What it holds counts as used.
    """
    from remora.app.codebase.freshness import IN_PROGRESS, notices

    if budget is not None and budget <= 0:
        raise InvalidInput("budget must be above 0 tokens")
    files = (*recent_files, *filters.files)
    filters = filters._replace(files=())
    found = search(project, task, CONTEXT_HITS, filters, phase, (), files, explicit=False)
    tokens = BUDGETS[phase].tokens if budget is None else budget
    hits = [
        h
        for h in _worth_telling(found.hits)
        if h.source != "turn" or one_line(h.text, len(h.text)) not in told  # as daily notes hold a turn
    ]
    packed = pack(hits, phase, tokens)
    project.accesses.note(packed.hits)
    return packed, (*found.notes, *(note for note in notices(project) if note == IN_PROGRESS))


def _worth_telling(hits: Sequence[Hit]) -> list[Hit]:
    """Return the relevant hits, and the best few about the files at hand, in order."""
    at_hand = [h for h in hits if any(r.stage == "graph" and r.score >= SAME_FILE for r in h.why)]
    wanted = {(h.source, h.id) for h in at_hand[:AT_HAND]}
    return [
        h
        for h in hits
        if h.score >= (RELEVANT if h.memory is not None else WRITTEN) or (h.source, h.id) in wanted
    ]


def reader(
    project: OpenProject,
    without: frozenset[str] = frozenset(),
    notes: list[str] | None = None,
    *,
    code: bool = False,
) -> Reader:
    """Return the `Reader` of a search; unavailable parts are added to `notes`.

    With `code`, chunks of code without a vector are embedded too, as far as time allows.
    """
    notes = [] if notes is None else notes
    if not project.read_only:
        by_vectors = "dense" not in without
        started = time.monotonic()
        if by_vectors:  # what was just written comes before files that are read anew
            catch_up(project, BACKLOG_SECONDS)
        late = time.monotonic() - started >= BACKLOG_SECONDS
        follow_all(project)
        follow_written(project)
        if by_vectors and not project.trouble:
            if not late:
                catch_up(project, BACKLOG_SECONDS, code=code)
            go_on_in_background(project, code=code)
    databases = tuple(store.db for store in project.searched_stores())
    if project.user_trouble:
        notes.append(project.user_trouble)
    return Reader(
        databases=databases,
        embed=lambda text: embed_query(project, text),
        now=project.clock.now(),
        mtime=project.mtime(),
        recent=cache(project.recent_changes),  # called for every hit, computed once a search
        llm=_if_possible(lambda: project.llm("hyde"), "language model", notes),
        reranker=_if_possible(project.reranker, "reranker", notes),
        rerank_candidates=project.settings.rerank.candidates,
        rerank_seconds=project.settings.rerank.budget_ms / 1000.0,
        hyde=project.settings.search.hyde,
        boost=project.settings.search.neighbourhood_boost,
        phase_weights=phase_weights(project),
    )


def weight_versions(project: OpenProject) -> list[list[Any]]:
    """Return the versions of the phase weights that a person applied, oldest first."""
    found: list[list[Any]] = project.db.meta.get(WEIGHTS) or []
    return found


def phase_weights(project: OpenProject) -> Mapping[str, Mapping[str, float]]:
    """Return the phase weights in force, by phase and type."""
    applied = weight_versions(project)
    if not applied:
        return PHASE_WEIGHTS
    found = {phase: dict(types) for phase, types in PHASE_WEIGHTS.items()}
    for phase, kind, value in applied[-1]:
        found.setdefault(phase, {})[kind] = value
    return found


def _if_possible(make: Callable[[], T | None], what: str, notes: list[str]) -> T | None:
    """Return an optional part; if it cannot be made, add a note and return None."""
    try:
        return make()
    except RemoraError as error:
        notes.append(f"no {what}: {error}")
        return None


def embed_query(project: OpenProject, text: str) -> tuple[QueryVector | None, str]:
    """Return the vector of a query, or None and the reason; a failing model never fails a search."""
    try:
        embedder = project.embedder()
        if embedder is None:
            return None, "no embedding model"
        return QueryVector(embedder.model_id, embedder.embed_query(text)), ""
    except RemoraError as error:
        return None, f"no vector: {error}"


def checked_query(query: str) -> str:
    """Return a query in a form that can be searched.

    Raises:
        InvalidInput: it is empty, or too long to be a question.
    """
    if len(query) > MAX_QUERY:
        raise InvalidInput(f"the query is too long: {len(query):,} characters", hint="Ask in a sentence.")
    text = clean(query.encode("utf-8", "replace").decode("utf-8")).strip()
    if not any(c.isalnum() for c in text):
        raise InvalidInput("the query is empty", hint="Ask with a word, a name or a question.")
    return text


def checked_k(k: int) -> int:
    """Return a number of hits, 0 or more."""
    if k < 0:
        raise InvalidInput(f"k must be a whole number of hits, 0 or more, not {k!r}")
    return k
