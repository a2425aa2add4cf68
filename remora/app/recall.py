"""Build what a search may read, catch up on fresh writes, search, and pack.

What this process has just written is embedded before it searches, so that one always finds what one
has just said. A backlog left by others (a switch of models, another process) is worked off for a
moment, then in the background; keywords find the rest meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from remora.app.session import follow_all
from remora.app.worker import catch_up, go_on_in_background
from remora.app.written import follow_written
from remora.core import cochange
from remora.core.cochange import BESIDE, NAMED_ALIKE
from remora.core.errors import InvalidInput, RemoraError, SourceError
from remora.core.text import MAX_QUERY_CHARS, clean
from remora.core.values import FILE_KINDS, MEMORY_KINDS, Context, FileHit, Filters, Hit, Ownership
from remora.retrieval import pipeline
from remora.retrieval.candidates import SAME_FILE
from remora.retrieval.packing import BUDGETS, pack
from remora.retrieval.pipeline import PARTS as SEARCH_PARTS
from remora.retrieval.pipeline import Results
from remora.retrieval.request import QueryVector, Reader, Request

if TYPE_CHECKING:
    from remora.app.wiring import Parts

T = TypeVar("T")
MAX_QUERY = 20_000_000  # characters; more is a file, not a question
BACKLOG_SECONDS = 0.3
CONTEXT_HITS = 60
CO_ACCESS_WEIGHT = 0.5
SPEAKING = 8  # memories that are asked about a task's files
GOOD = 0.5  # a hit this relevant counts as used
RELEVANT = 0.15  # what is put into a prompt unasked must be at least this relevant
THRESHOLD = "inject.relevance"  # meta key: what is relevant enough in this store (`calibrating`)
CHANCE = 0.5  # where nobody has measured it
AT_HAND = 5  # memories about the files at hand that are told though the words of the task say nothing of them


def ask(
    parts: Parts,
    query: str,
    k: int,
    filters: Filters,
    *,
    phase: str | None = None,
    recent_tools: Sequence[str] = (),
    recent_files: Sequence[str] = (),
    min_score: float = 0.0,
) -> Results:
    """Search for whoever asks: good hits count as used; see `Memory.search`."""
    found = search(parts, query, k, filters, phase, recent_tools, recent_files)
    hits = [hit for hit in found.hits if hit.score >= min_score]
    parts.accesses.note([hit for hit in hits if hit.score >= GOOD])
    return found._replace(hits=hits)


def search(
    parts: Parts,
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
    """Return the best hits; counts nothing as used."""
    request = Request(
        text=checked_query(query),
        k=_checked_k(k),
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
        from remora.app.freshness import up_to_date

        without_them += up_to_date(parts)
    found = pipeline.search(reader(parts, without, without_them, code=code), request)
    if code:
        found, without_them = _fresh_code(parts, request, found, without_them)
    if parts.trouble and not any(parts.trouble in note for note in found.notes):
        without_them.append(f"not everything has a vector yet: {parts.trouble}")
    return Results([_placed(parts, hit) for hit in found.hits], (*found.notes, *without_them))


def relevance_bar(parts: Parts) -> float:
    """Return the relevance that a memory must have to be said with a prompt."""
    found = parts.room("project").space.meta.get(THRESHOLD)
    return float(found) if isinstance(found, int | float) else CHANCE


def _placed(parts: Parts, hit: Hit) -> Hit:
    """Return a hit in a written file with the file's whole path, so that it can be opened."""
    if hit.source not in FILE_KINDS or hit.path is None:
        return hit
    return hit._replace(path=str(parts.memory_folder / hit.path))


def _fresh_code(
    parts: Parts, request: Request, found: Results, notes: list[str]
) -> tuple[Results, list[str]]:
    """Return the hits again when files in them had changed, with what to know about that."""
    from remora.app.freshness import refresh

    if note := refresh(parts, [hit.path for hit in found.hits if hit.source == "code" and hit.path]).note:
        notes = [*notes, note]
        if not parts.read_only:
            found = pipeline.search(reader(parts, request.without), request)
    return found, notes


def context(
    parts: Parts,
    task: str,
    filters: Filters,
    phase: str,
    budget: int | None,
    recent_files: Sequence[str],
) -> tuple[Context, tuple[str, ...]]:
    """Return the packed block for a task, and what the search had to do without."""
    from remora.app.freshness import IN_PROGRESS, notices

    if budget is not None and budget <= 0:
        raise InvalidInput("budget must be above 0 tokens")
    files = (*recent_files, *filters.files)
    filters = filters._replace(files=())
    found = search(parts, task, CONTEXT_HITS, filters, phase, (), files, explicit=False)
    tokens = BUDGETS[phase].tokens if budget is None else budget
    packed = pack(_worth_telling(found.hits), phase, tokens)
    parts.accesses.note(packed.hits)
    return packed, (*found.notes, *(note for note in notices(parts) if note == IN_PROGRESS))


def _worth_telling(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits that are relevant, and the best few about the very files at hand, in order."""
    at_hand = [h for h in hits if any(r.stage == "graph" and r.score >= SAME_FILE for r in h.why)]
    wanted = {(h.source, h.id) for h in at_hand[:AT_HAND]}
    return [h for h in hits if h.score >= RELEVANT or (h.source, h.id) in wanted]


def related_files(parts: Parts, path: str, k: int) -> list[FileHit]:
    """Return files that change, are tied or are read together with one; see `Memory.related_files`."""
    from remora.app.freshness import checked

    wanted, k = _relative(parts, path), _checked_k(k)
    found = _related(parts, wanted, k)
    files = [wanted, *(hit.path for hit in found)]
    return checked(parts, found, lambda: _related(parts, wanted, k), files)[0]


def ownership(parts: Parts, path: str) -> Ownership | None:
    """Return the module of a file and who changed it; see `Memory.ownership`."""
    return parts.room("project").space.history.ownership(_relative(parts, path))


def _related(parts: Parts, wanted: str, k: int) -> list[FileHit]:
    """Return the files related to one by history, code and sessions, best first."""
    space = parts.room("project").space
    history, ties = space.history, space.ties.of(wanted)
    found = {hit.path: hit for hit in cochange.related(wanted, history, k + 10, ties)}
    for _, other, weight in history.co_access([wanted], 0.0, 50):
        share = min(1.0, weight)
        known = found.get(other, FileHit(other, 0.0))
        # Two independent witnesses: the chance that both are wrong is the product.
        score = 1.0 - (1.0 - known.score) * (1.0 - CO_ACCESS_WEIGHT * share)
        found[other] = FileHit(other, score, (*known.why, f"read together in agent sessions ({share:.0%})"))
    if not history.stats([wanted]) and not os.path.lexists(parts.project.root / wanted):
        # Of a file that nobody has seen only its name and its folder tell anything, the root nothing.
        telling = {NAMED_ALIKE, BESIDE} if "/" in wanted else {NAMED_ALIKE}
        found = {path: hit for path, hit in found.items() if not telling.isdisjoint(hit.why)}
    return sorted(found.values(), key=lambda h: (-h.score, h.path))[:k]


def predict_files(
    parts: Parts,
    task: str,
    k: int,
    *,
    tests: bool = False,
    without: frozenset[str] = frozenset(),
    look: bool = True,
) -> tuple[list[FileHit], tuple[str, ...]]:
    """Return the files that a task will touch, and what to know about the answer; see `Memory`.

    Without `look` only the files of the answer are held against the index.
    """
    from remora.app.freshness import checked, notices, up_to_date
    from remora.retrieval.files import predict

    text, k = checked_query(task), _checked_k(k)
    notes = list(up_to_date(parts) if look else notices(parts))
    found = reader(parts, without, notes, code=True)
    vector = None
    if "dense" not in without and "meaning" not in without:
        vector, note = found.embed(text[:MAX_QUERY_CHARS])
        if note:
            notes.append(note)
    about: list[Hit] = []
    if "memories" not in without:
        request = Request(
            text,
            SPEAKING,
            Filters(kinds=MEMORY_KINDS),
            explicit=False,
            without=without & frozenset(SEARCH_PARTS),
        )
        about = pipeline.search(found, request).hits
    space = parts.room("project").space
    there = _in_tree(parts)
    branch = _on_branch(parts, uncommitted=look) if "branch" not in without else []
    said: list[str] = []

    def ask() -> list[FileHit]:
        said.clear()
        return predict(
            space,
            text,
            k,
            vector=vector,
            memories=about,
            tests=tests,
            branch=branch,
            without=without,
            there=there,
            notes=said,
        )

    hits = ask()
    hits, note = checked(parts, hits, ask, [hit.path for hit in hits])
    notes += said
    if note:
        notes.append(note)
    return hits, tuple(dict.fromkeys(notes))


def _on_branch(parts: Parts, *, uncommitted: bool) -> list[str]:
    """Return the files that the branch in use has changed; none where git cannot be asked."""
    from remora.sources.branches import own_files

    repository = parts.project.repository
    try:
        return own_files(repository, uncommitted=uncommitted) if repository is not None else []
    except SourceError:
        return []


def _in_tree(parts: Parts) -> Callable[[str], bool] | None:
    """Return what tells whether a file is in the project's tree, None where there is no tree."""
    root, repository = parts.project.root, parts.project.repository
    if repository is not None and repository.bare:
        return None

    def there(path: str) -> bool:
        inside = not path.startswith("/") and ".." not in path.split("/") and path.partition("/")[0] != ".git"
        return inside and os.path.isfile(root / path)  # noqa: PTH113  a Path's own fails on a loop of links

    return there


def reader(
    parts: Parts,
    without: frozenset[str] = frozenset(),
    notes: list[str] | None = None,
    *,
    code: bool = False,
) -> Reader:
    """Return everything a search may read; what it has to do without is added to `notes`.

    With `code`, parts of code that have no vector yet get theirs, too, as far as time allows.
    """
    notes = [] if notes is None else notes
    if not parts.read_only:
        follow_all(parts)
        follow_written(parts)
        if "dense" not in without:
            catch_up(parts, BACKLOG_SECONDS, code=code)
            go_on_in_background(parts, code=code)
    spaces = tuple(room.space for room in parts.searched_rooms())
    if parts.user_trouble:
        notes.append(parts.user_trouble)
    return Reader(
        spaces=spaces,
        embed=lambda text: embed_query(parts, text),
        now=parts.clock.now(),
        mtime=parts.mtime(),
        recent=cache(parts.recent_changes),  # asked for every hit, answered once a search
        llm=_if_possible(parts.llm, "language model", notes),
        reranker=_if_possible(parts.reranker, "reranker", notes),
        rerank_candidates=parts.settings.rerank.candidates,
        rerank_seconds=parts.settings.rerank.budget_ms / 1000.0,
        hyde=parts.settings.search.hyde,
        boost=parts.settings.search.neighbourhood_boost,
    )


def _if_possible(make: Callable[[], T | None], what: str, notes: list[str]) -> T | None:
    """Return an optional part; one that cannot be made leaves a note and the answer plainer."""
    try:
        return make()
    except RemoraError as error:
        notes.append(f"no {what}: {error}")
        return None


def embed_query(parts: Parts, text: str) -> tuple[QueryVector | None, str]:
    """Return the vector of a query, or None and why; a model that fails never fails a search."""
    try:
        embedder = parts.embedder()
        if embedder is None:
            return None, "no embedding model"
        return QueryVector(embedder.model_id, embedder.embed_query(text)), ""
    except RemoraError as error:
        return None, f"no vector: {error}"


def checked_query(query: object) -> str:
    """Return a query that can be searched for.

    Raises:
        InvalidInput: it is not text, is empty, or is too long to be a question.
    """
    if not isinstance(query, str):
        raise InvalidInput(f"a query is text, not {type(query).__name__}")
    if len(query) > MAX_QUERY:
        raise InvalidInput(f"the query has {len(query):,} characters", hint="Ask in a sentence.")
    text = clean(query.encode("utf-8", "replace").decode("utf-8")).strip()
    if not any(c.isalnum() for c in text):
        raise InvalidInput("the query is empty", hint="Ask with a word, a name or a question.")
    return text


def _checked_k(k: object) -> int:
    if isinstance(k, bool) or not isinstance(k, int) or k < 0:
        raise InvalidInput(f"k must be a whole number of hits, 0 or more, not {k!r}")
    return k


def _relative(parts: Parts, path: str) -> str:
    """Return a path as git names it: relative to the root, with forward slashes."""
    from pathlib import Path

    if not isinstance(path, str) or not path.strip():
        raise InvalidInput("the path is empty", hint="Name a file of the repository.")
    given = Path(path).expanduser() if path.startswith("~/") else Path(path)
    if given.is_absolute():
        try:
            # A Path's own way to resolve fails on a loop of links.
            return Path(os.path.realpath(given)).relative_to(parts.project.root).as_posix()
        except ValueError:
            raise InvalidInput(
                f"{path} is not in {parts.project.root}", hint="Name a file of this project."
            ) from None
    return path.replace("\\", "/").removeprefix("./")
