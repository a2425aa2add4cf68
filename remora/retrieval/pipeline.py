"""The stages from a query to a list of hits, in order. Start reading here.

    gather      every path returns its candidates, with its evidence         candidates.py
    fuse        ranks select the candidates, evidence gives their relevance  fusion.py
    read        the rows of the best are fetched; the rest is dropped        candidates.py
    boost       neighbours of the best hits' files are boosted               boost.py
    weigh       phase, source, age, use, staleness                           weigh.py
    rerank      a stronger model reorders the top, if there is one           rerank.py

Each stage takes the run and the candidates and returns candidates; scores are relevances from 0 to 1 from
`fuse` on; every order is total. After the stages: a guess by a language model if too few hits are good
(hyde.py), then contradictions are marked (contradictions.py), and later turns come before the earlier ones
that they restate (amended.py). Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from remora.core import cochange
from remora.core.query import WEIGHTS, PathWeights, detect_type
from remora.core.text import MAX_QUERY_CHARS
from remora.core.values import Hit, Reason
from remora.retrieval import amended, contradictions, fusion, hyde, pieces
from remora.retrieval import boost as boosting
from remora.retrieval import candidates as gathering
from remora.retrieval import rerank as reranking
from remora.retrieval import weigh as weighing
from remora.retrieval.candidates import Pool, Question, TurnEvidence
from remora.retrieval.request import Candidate, Key, Reader, Request, ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEPT = 50  # section 7 (50 to 70): candidates that go on after the fusion
READ = 16  # memories that are read and weighed: without the boost, none below reaches the first page
FIRST = 8  # hits whose order counts as changed by the boost (the specification's boost rate)
NEIGHBOURS = 5  # of each file, for the boost


class Run(NamedTuple):
    """A running search: the request, the readable databases, the results of the paths.

    `boosted` records for each pass whether the neighbourhood boost changed the first hits.
    """

    request: Request
    reader: Reader
    asked: Question
    kind: str
    weights: PathWeights
    lists: dict[str, list[Key]]
    turns: dict[Key, TurnEvidence]
    scored: dict[Key, _Scored]
    notes: list[str]
    boosted: list[bool]


Stage = Callable[[Run, list[Candidate]], list[Candidate]]


class Results(NamedTuple):
    """Hits, best first, and notes on the models that were not available.

    `boosted`: whether the neighbourhood boost changed the first hits; None if it is off.
    """

    hits: list[Hit]
    notes: tuple[str, ...]
    boosted: bool | None = None


def search(reader: Reader, request: Request) -> Results:
    """Return the best `request.k` hits."""
    found = run(reader, request)
    hits = [gathering.as_hit(c) for c in found.candidates[: max(request.k * 2, 20)]]
    if len(reader.databases) > 1:
        hits = contradictions.mark(hits, _similarity(reader, found.run))
    turns = {c.key[2]: c.turn for c in found.candidates if c.turn is not None}
    db = reader.databases[0]
    if turns and "amended" not in request.without:
        said = db.fulltext.term_stats("turns", found.run.asked.terms)
        hits = amended.mark(hits, turns, gathering.word_weights(said))
    cut = gathering.with_context(db, contradictions.cut(hits, request.k), turns)
    boosted = any(found.run.boosted) if found.run.boosted else None
    return Results(cut, tuple(found.run.notes), boosted)


class Found(NamedTuple):
    """Ranked candidates with the run that found them."""

    candidates: list[Candidate]
    run: Run


def run(reader: Reader, request: Request) -> Found:
    """Run all stages, and once more with a guessed answer if too few hits are good."""
    request = request._replace(text=request.text[:MAX_QUERY_CHARS])
    first = _pass(reader, request, gathering.question(request, reader))
    model, asked = reader.llm, first.run.asked
    # A guess is searched for by its vector: where the question has none, the guess would have none.
    if not (request.explicit and reader.hyde) or model is None or not asked.compared:
        return first
    if "hyde" in request.without or not hyde.wanted([c.score for c in first.candidates]):
        return first
    answer, note = hyde.guess(request.text, model)
    vector, note = reader.embed(answer) if answer else (None, note)
    if vector is None:
        first.run.notes.append(note)
        return first
    second = _pass(reader, request, asked.guessing(vector))
    merged = {c.key: c for c in first.candidates}
    for candidate in second.candidates:
        known = merged.get(candidate.key)
        if known is None or candidate.score > known.score:
            merged[candidate.key] = candidate.because("hyde", candidate.score, "near the guessed answer")
    return Found(ranked(list(merged.values())), first.run)


def begin(reader: Reader, request: Request, asked: Question) -> Run:
    """Return a search before its first stage."""
    kind = detect_type(request.text, request.recent_tools)
    return Run(request, reader, asked, kind, WEIGHTS[kind], {}, {}, {}, [], [])


def _pass(reader: Reader, request: Request, asked: Question) -> Found:
    state = begin(reader, request, asked)
    found: list[Candidate] = []
    for name, stage in STAGES:
        if name not in request.without:
            found = stage(state, found)
    shown = max(2 * request.k, 20)
    return Found([*(_with_reasons(state, c) for c in found[:shown]), *found[shown:]], state)


def gather(state: Run, _: list[Candidate]) -> list[Candidate]:
    """Query the paths over every database; conversations are the project's."""
    request, asked, project = state.request, state.asked, state.reader.databases[0]
    pools: list[tuple[str, Pool]] = []
    if gathering.wanted(request, "memory"):
        everywhere = state.reader.databases
        pools += [(f"memory:{db.realm}", gathering.memories(db, request, asked)) for db in everywhere]
    if pieces.wants_code(request):
        pools.append((f"code:{project.realm}", pieces.code(project, request, asked)))
    kinds = pieces.wanted_notes(request)
    if kinds and project.notes.any():
        pools.append((f"note:{project.realm}", pieces.notes(project, request, asked, kinds)))
    found: list[Candidate] = []
    for name, pool in pools:
        found += pool.candidates.values()
        state.lists.update((f"{name}:{path}", keys) for path, keys in pool.lists.items())
    if gathering.wanted(request, "turn") and project.turns.count():
        evidence, lists = gathering.turns(project, request, asked, state.reader)
        for item in evidence:
            key = ("turn", project.realm, str(item.turn.id))
            state.turns[key] = item
            found.append(
                Candidate(key, item.turn.content, turn=item.turn, dense=item.dense, lexical=item.own)
            )
        for path, ids in lists.items():
            keys: list[Key] = [("turn", project.realm, str(i)) for i in ids]
            state.lists[f"turn:{project.realm}:{path}"] = keys
    if asked.note:
        state.notes.append(asked.note)
    return found


def fuse(state: Run, candidates: list[Candidate]) -> list[Candidate]:
    """Keep the candidates that the paths rank best, and compute the relevance of each."""
    kept = _kept(state, candidates)
    words = {s: [c.lexical for c in candidates if c.key[:2] == s] for s in {c.key[:2] for c in candidates}}
    semantic = state.kind == "semantic" or "query_type" in state.request.without
    # Identifiers are trusted however many texts contain them, and so are words without vectors.
    doubt = semantic and state.asked.compared and "trust" not in state.request.without
    trusted = {s: fusion.trust(v) if doubt else 1.0 for s, v in words.items()}
    dense_weight = state.weights.dense / WEIGHTS["semantic"].dense
    words_weight = state.weights.fts / WEIGHTS["semantic"].fts
    graph_weight = state.weights.graph / WEIGHTS["semantic"].graph
    if semantic:
        dense_weight = words_weight = graph_weight = 1.0
    scored: list[_Scored] = []
    for candidate, rrf in kept:
        turn = state.turns.get(candidate.key)
        trust = trusted[candidate.key[:2]]
        cosine = fusion.cosine_or_expected(candidate.dense, candidate.lexical)
        evidence = dense_weight * cosine + words_weight * trust * fusion.OWN_WORDS * candidate.lexical
        evidence += graph_weight * fusion.GRAPH * candidate.graph
        if turn is not None:
            evidence += _context(turn, state.request.without)
        if "evidence" in state.request.without:
            # What ranks alone can say: the share of a first place in every path.
            score = min(1.0, rrf * (fusion.RRF_K + 1))
        else:
            scale = fusion.MEMORY_SCALE if turn is None else fusion.TURN_SCALE
            score = fusion.relevance(evidence, scale)
        scored.append(_Scored(candidate, score, rrf, evidence, trust))
    best = _best(state, scored)
    state.scored.update((s.candidate.key, s._replace(place=place)) for place, s in enumerate(best, start=1))
    return [s.candidate._replace(score=s.score) for s in best]


class _Scored(NamedTuple):
    """A candidate after the fusion: its relevance, the components of it, its place."""

    candidate: Candidate
    score: float
    rrf: float
    evidence: float
    trust: float
    place: int = 0


def _best(state: Run, scored: list[_Scored]) -> list[_Scored]:
    """Return the turns, and the memories and chunks to read, best first."""
    order = sorted(scored, key=lambda s: (-s.score, s.candidate.key))
    judged = state.reader.rerank_candidates if state.reader.reranker is not None else 0
    raised = KEPT if state.reader.boost and "boost" not in state.request.without else 0
    room = max(READ, 2 * state.request.k, judged, raised)
    kept: list[_Scored] = []
    for item in order:
        if item.candidate.turn is None:
            if room == 0:
                continue
            room -= 1
        kept.append(item)
    return kept


def _with_reasons(state: Run, candidate: Candidate) -> Candidate:
    """Return a candidate with its rank in each path and the components of its relevance.

    These reasons stand before those of the later stages. Only what may be shown gets any.
    """
    scored = state.scored.get(candidate.key)
    if scored is None:
        return candidate
    before = scored.candidate.reasons
    made = _fused(state, scored)
    return candidate._replace(reasons=(*before, *made, *candidate.reasons[len(before) :]))


def _fused(state: Run, scored: _Scored) -> tuple[Reason, ...]:
    candidate = scored.candidate
    turn = state.turns.get(candidate.key)
    places = _places(state, candidate.key)
    if "evidence" in state.request.without:
        return (Reason("paths", scored.rrf, scored.place, places),)
    notes = [f"cosine {candidate.dense:.2f}" if candidate.dense is not None else "no vector"]
    notes.append(f"words {candidate.lexical:.2f} (trusted {scored.trust:.1f})")
    if turn is not None and "window" not in state.request.without:
        notes.append(f"words around {turn.window:.2f}")
    if turn is not None and turn.author and "author" not in state.request.without:
        notes.append(f"said by {turn.turn.role}")
    if turn is not None and turn.then and "time" not in state.request.without:
        notes.append("said at the time asked about")
    if turn is not None and turn.asks and "questions" not in state.request.without:
        notes.append("a question")
    if candidate.graph:
        notes.append(f"graph {candidate.graph:.2f}")
    evidence = Reason("evidence", scored.evidence, scored.place, ", ".join(notes))
    return Reason("paths", scored.rrf, None, places), evidence


def read(state: Run, candidates: list[Candidate]) -> list[Candidate]:
    """Fetch the rows of the candidates, which the later stages need."""
    found = [c for c in candidates if c.turn is not None]
    for kind, fetch in (("code", pieces.with_chunks), ("note", pieces.with_notes)):
        if own := [c for c in candidates if c.key[0] == kind]:
            found += fetch(state.reader.databases[0], own)
    for db in state.reader.databases:
        own = [c for c in candidates if c.key[:2] == ("memory", db.realm)]
        found += gathering.with_rows(db, own, state.request.filters)
    return _each_text_once(ranked(found))


def _each_text_once(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates, of memories with equal texts the best: two machines may learn the same."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for candidate in candidates:
        if candidate.memory is not None:
            text = (candidate.key[1], candidate.memory.content)
            if text in seen:
                continue
            seen.add(text)
        kept.append(candidate)
    return kept


def boost(state: Run, candidates: list[Candidate]) -> list[Candidate]:
    """Boost candidates about files coupled to, or co-changing with, the files of the best hits."""
    if not state.reader.boost:
        return candidates
    db = state.reader.databases[0]

    def neighbours(file: str) -> dict[str, float]:
        near = cochange.related(file, db.history, NEIGHBOURS, db.file_coupling.of(file))
        return {hit.path: hit.score for hit in near if hit.score >= gathering.MIN_CO_ACCESS}

    boosted = boosting.boost(candidates, neighbours)
    state.boosted.append([c.key for c in boosted[:FIRST]] != [c.key for c in ranked(candidates)[:FIRST]])
    return boosted


def weigh(state: Run, candidates: list[Candidate]) -> list[Candidate]:
    """Apply the factors of each memory's fields."""
    files = {f for c in candidates for f in c.files}
    history = state.reader.databases[0].history
    stats = history.stats(files) if files else {}
    clock = history.clock() if any(c.chunk is not None for c in candidates) else 0.0
    disputed = {one.memory_id for db in state.reader.databases for one in db.shared.disputes()}
    given = (state.request, state.reader, stats, clock, disputed)
    return ranked([weighing.weigh(c, *given) for c in candidates])


def rerank(state: Run, candidates: list[Candidate]) -> list[Candidate]:
    """Let the configured model reorder the top."""
    reader = state.reader
    if reader.reranker is None:
        return candidates
    order, note = reranking.rerank(
        candidates,
        state.request.text,
        reader.reranker,
        limit=reader.rerank_candidates,
        seconds=reader.rerank_seconds,
    )
    if note:
        state.notes.append(note)
    return order


STAGES: tuple[tuple[str, Stage], ...] = (
    ("gather", gather),
    ("fuse", fuse),
    ("read", read),
    ("boost", boost),
    ("weigh", weigh),
    ("rerank", rerank),
)

# Everything that `Request.without` understands, for ablations.
PARTS = (
    "dense",
    "fts",
    "graph",
    "window",
    "neighbours",
    "author",
    "time",
    "questions",
    "amended",
    "trust",
    "query_type",
    "evidence",
    "boost",
    "weigh",
    "busy",
    "phase",
    "source",
    "use",
    "confidence",
    "stale",
    "review",
    "pinned",
    "rerank",
    "hyde",
)


def _kept(state: Run, candidates: list[Candidate]) -> list[tuple[Candidate, float]]:
    """Return the candidates with the best sums of reciprocal ranks, with the sums."""
    by_path = {"dense": state.weights.dense, "fts": state.weights.fts, "graph": state.weights.graph}
    by_path["window"] = state.weights.fts
    paths = [(keys, by_path[path.rpartition(":")[2]]) for path, keys in state.lists.items()]
    scores = fusion.weighted_rrf(paths)
    best = [(c, scores.get(c.key, 0.0)) for c in candidates]
    turns = sorted((b for b in best if b[0].turn is not None), key=lambda b: (-b[1], b[0].key))
    others = sorted((b for b in best if b[0].turn is None), key=lambda b: (-b[1], b[0].key))
    return others[: max(KEPT, state.request.k)] + turns


def _context(turn: TurnEvidence, without: frozenset[str]) -> float:
    """Return the evidence that a turn's neighbours and speaker add."""
    extra = 0.0
    if "neighbours" not in without:
        extra += fusion.NEIGHBOUR_COSINE * turn.neighbours
    if "window" not in without:
        alone = min(1.0, fusion.WINDOW_CHARACTERS / max(1, len(turn.turn.content)))
        extra += fusion.WINDOW_WORDS * alone * turn.window
    if turn.author and "author" not in without:
        extra += fusion.AUTHOR
    if turn.then and "time" not in without:
        extra += fusion.THEN
    if turn.asks and "questions" not in without:
        extra -= fusion.ASKS
    return extra


def _places(state: Run, key: Key) -> str:
    """Return the rank of a candidate in each path, such as "dense #3, fts #1"."""
    places = []
    for path, keys in state.lists.items():
        if key in keys:
            places.append(f"{path.rpartition(':')[2]} #{keys.index(key) + 1}")
    return ", ".join(places) or "outside the first results of every path"


def _similarity(reader: Reader, state: Run) -> contradictions.Similarity:
    databases = {db.realm: db for db in reader.databases}

    @cache
    def vector(realm: str, memory_id: str) -> NDArray[np.float32] | None:
        asked = state.asked.vector if state.asked.compared else None
        if asked is None:
            return None
        found = databases[realm].nearest("memory", asked.model_id).vectors_of([memory_id])
        return found[memory_id][0] if memory_id in found else None

    def cosine(a: Hit, b: Hit) -> float | None:
        first, second = vector(a.realm, a.id), vector(b.realm, b.id)
        return float(first @ second) if first is not None and second is not None else None

    return cosine
