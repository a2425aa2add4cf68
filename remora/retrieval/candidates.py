"""Collect candidates from every path: vectors, keywords and the file graph over memories; conversation turns.

Each path applies all filters. The result is one pool of candidates, each with the evidence of every path, and
the ranked lists of ids by path, for the fusion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from remora.core import cochange
from remora.core.evidence import hit_source
from remora.core.paths import matches
from remora.core.query import named_paths, without_places
from remora.core.text import cjk_pairs, query_terms
from remora.core.times import days_in
from remora.core.values import MEMORY_KINDS, Filters, Hit, Reason, Turn, quote_id
from remora.retrieval.fusion import idf
from remora.retrieval.request import Candidate, EmbedQuery, Key, QueryVector, Reader, Request
from remora.store.notes import SESSION

if TYPE_CHECKING:
    from remora.store.database import Database
    from remora.store.fulltext import TermStats

DENSE, LEXICAL, GRAPH = 30, 20, 15  # candidates a path gives (section 7)
SEARCHED = 60  # more are read for the evidence; a path's list for the fusion is cut to the above
TURNS = 50  # turns a path gives: conversations are searched more deeply, their texts are short
SHORT_QUESTION = 150  # characters
CONTEXT = 2  # turns before and after one that is shown with it
POSTINGS = 4_000  # rows that the words of a query may touch: about 2.5 ms
MEMORY_POSTINGS = 1_500  # the same of memories, which every search asks: 0.001 MRR on CoSQA for 0.8 ms
BM25_K1 = 1.2  # FTS5's own; a term can add idf * (k1 + 1) at most
FEW_ROWS, UNSEEN = 100, 20  # up to so many texts, words are weighed as if there were these more
# Graph evidence (section 7): a file at hand, its partners in sessions and history, its neighbours in code.
SAME_FILE, PARTNER, NEIGHBOUR, MIN_CO_ACCESS = 0.8, 0.7, 0.6, 0.3
FILES_FOLLOWED, PARTNERS_FOLLOWED = 10, 15

_FIRST_PERSON = re.compile(r"\b(i|me|my|mine|myself)\b", re.IGNORECASE)
_ROLES = frozenset({"user", "assistant", "system", "tool"})


Id = TypeVar("Id", int, str)


class Pool(NamedTuple):
    """The result of the paths: candidates by key, and each path's ids, best first."""

    candidates: dict[Key, Candidate]
    lists: dict[str, list[Key]]


class Question:
    """A query prepared for the paths. It is embedded when a path first asks, which costs most of a search.

    Args:
        text: of the query, without places.
        terms: its words.
        embed: turns a text into a vector.
        guess: the vector of a guessed answer, which replaces that of the query.

    Attributes:
        note: the reason if a requested vector is missing.
        compared: whether vectors took part in the search.
    """

    def __init__(
        self, text: str, terms: tuple[str, ...], embed: EmbedQuery, guess: QueryVector | None = None
    ) -> None:
        self.text = text
        self.terms = terms
        self.note = ""
        self.compared = guess is not None
        self._embed = embed
        self._guess = guess

    @cached_property
    def vector(self) -> QueryVector | None:
        """The vector of the query, or of the guessed answer; None without a model."""
        return self._guess or self._made(self.text)

    def about(self, text: str) -> QueryVector | None:
        """Return the vector of the query in other words; that of a guessed answer stays as it is."""
        if self._guess is not None or text == self.text:
            return self.vector
        return None if self.note else self._made(text)  # a model that failed is not called again

    def guessing(self, vector: QueryVector) -> Question:
        """Return the query with a guessed answer in the place of its vector."""
        return Question(self.text, self.terms, self._embed, vector)

    def _made(self, text: str) -> QueryVector | None:
        vector, note = self._embed(text)
        self.note = self.note or note
        self.compared = self.compared or vector is not None
        return vector


def question(request: Request, reader: Reader) -> Question:
    """Return a query prepared for the paths."""
    text = without_places(request.text)
    embed = (lambda _: (None, "vectors left out")) if "dense" in request.without else reader.embed
    return Question(text, tuple(query_terms(text)), embed)


def wanted(request: Request, source: str) -> bool:
    """Return whether hits of a source are allowed: turns have no type, file or module for a filter.

    "memory" means everything in `memories`.
    """
    filters = request.filters
    among = MEMORY_KINDS if source == "memory" else (source,)
    if filters.kinds and not set(among).intersection(filters.kinds):
        return False
    if source == "memory":
        return filters.role is None  # a memory has no speaker
    return not (filters.types or filters.files or filters.modules or filters.scope)


def lexical(
    stats: TermStats,
    found: Sequence[tuple[Id, float]],
    find: Callable[[Sequence[str], int], Sequence[tuple[Id, float]]],
    indexed: TermStats | None = None,
) -> dict[Id, float]:
    """Return how much of a query each text covers: its BM25 as a share of the highest possible.

    In a small corpus BM25 is blind: it gives no weight to a word in half of the texts, and in a store of two
    that is nearly every word. There each text's BM25 is scaled to the word weights of a corpus with UNSEEN
    more texts.

    Args:
        stats: how many texts hold each term of the query.
        found: ids with their BM25.
        find: searches the same path for some terms, with a maximum number of ids.
        indexed: the counts of the searched index, if they differ from those of the texts.
    """
    scores = dict(found)
    weights = word_weights(stats)
    if stats.rows <= FEW_ROWS:
        counted = indexed or stats
        usual = {t: idf(counted.rows, holding) for t, holding in counted.holding.items()}
        held: dict[Id, list[str]] = {i: [] for i in scores}
        for term in weights:
            for i, _ in find([term], FEW_ROWS):
                if i in held:
                    held[i].append(term)
        for i, own in held.items():
            scores[i] *= sum(weights[t] for t in own) / sum(usual[t] for t in own) if own else 0.0
    ideal = (BM25_K1 + 1.0) * sum(weights[t] for t in _apart(stats.holding))
    return {i: min(1.0, score / ideal) for i, score in scores.items()} if ideal > 0 else {}


def word_weights(stats: TermStats) -> dict[str, float]:
    """Return how much each term of a query weighs: its rarity, also in a small store (see `lexical`)."""
    more = UNSEEN if stats.rows <= FEW_ROWS else 0
    return {t: idf(stats.rows + more, holding) for t, holding in stats.holding.items()}


def _apart(holding: Mapping[str, int]) -> list[str]:
    """Return the terms without CJK pairs that continue an unknown one: together they are one unknown word.

    Otherwise a question in a script unknown to the store would count each character as a word.
    """
    kept = list(holding)[:1]
    for before, term in pairwise(holding):
        unknown = not holding[before] and not holding[term]
        if not (unknown and before[-1] == term[0] and cjk_pairs(before) and cjk_pairs(term)):
            kept.append(term)
    return kept


def affordable(stats: TermStats, postings: int = POSTINGS) -> list[str]:
    """Return the rarest terms whose rows can be ranked in time; at least one that has rows.

    In a small store that is all of them. In a large one the words in every tenth text are dropped: they cost
    the most and carry the least information.
    """
    kept: list[str] = []
    touched = 0
    for term, holding in sorted(stats.holding.items(), key=lambda item: (item[1], item[0])):
        if touched and touched + holding > postings:
            break
        touched += holding
        kept.append(term)
    return kept


def memories(db: Database, request: Request, asked: Question) -> Pool:
    """Return the memories of one database found by any path."""
    stats = db.fulltext.term_stats("memories", asked.terms)
    if not stats.rows:
        return Pool({}, {})
    lists: dict[str, list[str]] = {}
    dense: dict[str, float] = {}
    if asked.vector is not None:
        dense = _nearest(db, request.filters, asked.vector, max(SEARCHED, request.k))
        lists["dense"] = list(dense)
    words: dict[str, float] = {}
    if "fts" not in request.without:
        fulltext = db.fulltext

        def by_terms(terms: Sequence[str], limit: int) -> list[tuple[str, float]]:
            return fulltext.memories(terms, request.filters, limit)

        found = by_terms(affordable(stats, MEMORY_POSTINGS), max(SEARCHED, request.k))
        words = lexical(stats, found, by_terms)
        lists["fts"] = [i for i, _ in found]
    graph: dict[str, tuple[float, str]] = {}
    if "graph" not in request.without:
        graph = _graph(db, request)
        lists["graph"] = sorted(graph, key=lambda i: (-graph[i][0], i))
    everything = sorted({i for found_ids in lists.values() for i in found_ids})
    why = {i: Reason("graph", near, lists["graph"].index(i) + 1, note) for i, (near, note) in graph.items()}
    sizes = {"dense": DENSE, "fts": LEXICAL, "graph": GRAPH}
    first = {path: found_ids[: sizes[path]] for path, found_ids in lists.items()}
    return pooled(db, "memory", asked, everything, dense, words, first, why)


def pooled(
    db: Database,
    source: str,
    asked: Question,
    found: Sequence[Id],
    dense: Mapping[Id, float],
    words: Mapping[Id, float],
    lists: Mapping[str, Sequence[Id]],
    graph: Mapping[Id, Reason],
) -> Pool:
    """Return rows found by any path as candidates, each with a cosine if there is a vector of the query.

    Args:
        db: the database.
        source: "memory", "code" or "note".
        asked: the query.
        found: the ids.
        dense: the cosines that are known.
        words: see `lexical`.
        lists: each path's ids, best first; others than those found are left out.
        graph: how close the files of a row are to those at hand.
    """
    cosines = {str(i): cosine for i, cosine in dense.items()}
    if asked.vector is not None:
        index = db.nearest("chunk" if source == "code" else source, asked.vector.model_id)
        cosines |= index.cosines(asked.vector.vector, [str(i) for i in found if i not in dense])
    keys: dict[Id, Key] = {i: (source, db.realm, str(i)) for i in found}
    candidates: dict[Key, Candidate] = {}
    for i, key in keys.items():
        why = (graph[i],) if i in graph else ()
        candidates[key] = Candidate(
            key,
            "",
            dense=cosines.get(str(i)),
            lexical=words.get(i, 0.0),
            graph=graph[i].score if i in graph else 0.0,
            reasons=why,
        )
    return Pool(candidates, {path: [keys[i] for i in ids if i in keys] for path, ids in lists.items()})


def with_rows(db: Database, candidates: Sequence[Candidate], filters: Filters) -> list[Candidate]:
    """Return candidates of one database with their memories, in order.

    The paths may lag behind the rows (a vector of a forgotten memory), so the rows decide: deleted and
    filtered memories are dropped.
    """
    rows = db.memories.get_many(db.memories.ids_passing(filters, [c.key[2] for c in candidates]))
    return [
        c._replace(memory=rows[c.key[2]], text=rows[c.key[2]].content) for c in candidates if c.key[2] in rows
    ]


def _nearest(db: Database, filters: Filters, vector: QueryVector, depth: int) -> dict[str, float]:
    """Return the cosines of the memories nearest to a query, best first.

    Forgotten memories and those of other branches keep their vectors. They are few and are filtered
    afterwards; only if they crowd out the rest, the rows are filtered first.
    """
    index = db.nearest("memory", vector.model_id)
    if not (filters.types or filters.files or filters.modules or filters.scope or filters.said):
        near = index.search(vector.vector, depth)
        usable = db.memories.ids_passing(filters, [n.owner_id for n in near])
        if len(near) < depth or len(usable) >= DENSE:
            return {n.owner_id: n.cosine for n in near if n.owner_id in usable}
    near = index.search(vector.vector, depth, db.memories.ids_passing(filters))
    return {n.owner_id: n.cosine for n in near}


def _graph(db: Database, request: Request) -> dict[str, tuple[float, str]]:
    """Return memories near the files at hand: about them, their partners, or their dependencies."""
    at_hand = list(dict.fromkeys((*request.recent_files, *request.filters.files)))
    named = named_paths(request.text)
    if named:
        at_hand += [p for p in (*db.history.named(named), *named) if p not in at_hand]
    at_hand = at_hand[:FILES_FOLLOWED]
    if not at_hand:
        return {}
    near: dict[str, tuple[float, str]] = {path: (SAME_FILE, f"about {path}") for path in at_hand}
    partners = [
        (other, PARTNER * min(1.0, weight), f"read together with {path}")
        for path, other, weight in db.history.co_access(at_hand, MIN_CO_ACCESS, PARTNERS_FOLLOWED)
    ]
    partners += [
        (other, NEIGHBOUR, f"{other} is linked to {path} in the code")
        for path, other, _ in db.closure.near(at_hand)
    ]
    for path in at_hand[:3]:
        partners += [
            (hit.path, PARTNER * hit.score, f"{hit.path} changes with {path}")
            for hit in cochange.related(path, db.history, PARTNERS_FOLLOWED)
            if hit.score >= MIN_CO_ACCESS
        ]
    for other, weight, note in partners:
        if weight > near.get(other, (0.0, ""))[0]:
            near[other] = (weight, note)
    found: dict[str, tuple[float, str]] = {}
    records = db.memories.on_files(list(near), request.filters, 4 * GRAPH)
    files = db.memories.files_of([record.id for record in records])
    for record in records:
        evidence = [near[f] for f in files[record.id] if f in near]
        globs = [f for f in record.related_files if "*" in f]
        evidence += [near[p] for p in near if any(matches(g, p) for g in globs)]
        found[record.id] = max(evidence, key=lambda n: n[0])
    return dict(sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[:GRAPH])


class TurnEvidence(NamedTuple):
    """The evidence for one turn.

    Attributes:
        dense, own: its cosine, and the share of the query that its words cover.
        neighbours: the cosines of the turns beside it.
        window: the share that it covers together with its neighbours.
        author: the query names its speaker.
        asks: it is a short question, but not of a user, whose questions state their subject.
        then: its time lies in the days that the query names.
    """

    turn: Turn
    dense: float | None
    neighbours: float
    own: float
    window: float
    author: bool
    asks: bool
    then: bool


def turns(
    db: Database, request: Request, asked: Question, reader: Reader
) -> tuple[list[TurnEvidence], dict[str, list[int]]]:
    """Return the turns found by any path, with all evidence, and each path's ids, best first."""
    roles = db.turns.roles()
    names = {role for role in roles if role.lower() not in _ROLES}
    named = names_in(asked.text, names)
    # The speaker is matched by role: a name in the query vector would only favour turns that mention it.
    vector = asked.about(without_names(asked.text, named) if named else asked.text)
    lists: dict[str, list[int]] = {}
    among = db.turns.ids_passing(request.filters)
    if vector is not None:
        allowed = None if among is None else [str(i) for i in among]
        near = db.nearest("turn", vector.model_id).search(vector.vector, TURNS, allowed)
        lists["dense"] = [int(n.owner_id) for n in near]
    own: dict[int, float] = {}
    window: dict[int, float] = {}
    if "fts" not in request.without:
        stats = db.fulltext.term_stats("turns", asked.terms)
        terms = affordable(stats)
        by_words = db.fulltext.turns(terms, TURNS, among)
        own = lexical(stats, by_words, db.fulltext.turns)
        lists["fts"] = [i for i, _ in by_words]
        if "window" not in request.without:
            by_window = db.fulltext.turn_windows(terms, TURNS, among)
            small = stats.rows <= FEW_ROWS
            indexed = db.fulltext.term_stats("turn_windows", asked.terms) if small else None
            window = lexical(stats, by_window, db.fulltext.turn_windows, indexed)
            lists["window"] = [i for i, _ in by_window]
    found = db.turns.get_many({i for ids in lists.values() for i in ids})
    around = db.turns.around(list(found.values()), 1)
    cosines: dict[str, float] = {}
    if vector is not None:
        owners = {str(t.id) for t in around.values()} | {str(i) for i in found}
        index = db.nearest("turn", vector.model_id)
        cosines = index.cosines(vector.vector, list(owners))
    first_person = _FIRST_PERSON.search(asked.text) is not None
    days = days_in(asked.text, reader.now)
    evidence = []
    for i, turn in sorted(found.items()):
        beside = [around.get((turn.session_id, turn.position + d)) for d in (-1, 1)]
        evidence.append(
            TurnEvidence(
                turn,
                cosines.get(str(i)),
                sum(cosines.get(str(t.id), 0.0) for t in beside if t is not None),
                own.get(i, 0.0),
                # A turn that stands alone has no window but itself.
                window.get(i, 0.0) if any(beside) else own.get(i, 0.0),
                turn.role in named or (first_person and turn.role.lower() == "user"),
                _asks(turn),
                turn.at is not None and any(one.hold(turn.at) for one in days),
            )
        )
    return evidence, lists


def _asks(turn: Turn) -> bool:
    said = turn.content.strip()
    return len(said) <= SHORT_QUESTION and said.endswith(("?", "？", "؟")) and turn.role.lower() != "user"


def with_context(db: Database, hits: Sequence[Hit], turns: Mapping[str, Turn]) -> list[Hit]:
    """Return hits, those that are turns with the turns before and after them."""
    here = {hit.id: turns[hit.id] for hit in hits if hit.source == "turn"}
    around = db.turns.around(list(here.values()), CONTEXT) if here else {}
    steps = [d for d in range(-CONTEXT, CONTEXT + 1) if d]
    found = []
    for hit in hits:
        if hit.source == "turn":
            turn = here[hit.id]
            beside = [around.get((turn.session_id, turn.position + step)) for step in steps]
            hit = hit._replace(context=tuple(one for one in beside if one is not None))
        found.append(hit)
    return found


def names_in(text: str, names: set[str]) -> set[str]:
    """Return the speakers named in a question.

    >>> sorted(names_in("What did ann tell Bob Ray?", {"Ann", "Bob Ray", "Al"}))
    ['Ann', 'Bob Ray']
    """
    return {n for n in names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text, re.IGNORECASE)}


def without_names(text: str, names: set[str]) -> str:
    """Return a question without the names of speakers, or the question itself if nothing remains.

    >>> without_names("When did Ann's sister move?", {"Ann"})
    'When did sister move?'
    """
    longest_first = sorted(names, key=lambda n: (-len(n), n))
    pattern = r"(?<!\w)(?:" + "|".join(re.escape(n) for n in longest_first) + r")(?:['\u2019]s)?(?!\w)"
    rest = re.sub(r"\s+", " ", re.sub(pattern, " ", text, flags=re.IGNORECASE)).strip()
    return rest if re.search(r"\w", rest) else text


def as_hit(candidate: Candidate) -> Hit:
    """Return a candidate as a hit for the caller."""
    source, realm, i = candidate.key
    hit = Hit(i, source, candidate.text, candidate.score, candidate.reasons, realm=realm)
    memory, turn, chunk, note = candidate.memory, candidate.turn, candidate.chunk, candidate.note
    if chunk is not None:
        return hit._replace(
            id=f"{chunk.path}:{chunk.start_line}-{chunk.end_line}",
            path=chunk.path,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            symbol=chunk.name or None,
        )
    if memory is not None:
        return hit._replace(
            source=hit_source(memory.source, memory.type),
            memory=memory,
            path=memory.related_files[0] if memory.related_files else None,
            start_line=memory.chunk_start_line,
            end_line=memory.chunk_end_line,
            external_id=memory.external_id,
            session_id=memory.session_id,
            time=memory.created_at,
        )
    if note is not None and note.kind == "quote":
        return hit._replace(
            id=quote_id(note.id),
            source=note.kind,
            session_id=note.path.removeprefix(SESSION),
            role="user",
            time=note.time,
            answers=note.answers,
        )
    if note is not None:
        return hit._replace(
            id=note.name if note.start_line is None else f"{note.path}:{note.start_line}-{note.end_line}",
            source=note.kind,
            path=note.path,
            start_line=note.start_line,
            end_line=note.end_line,
            time=note.time,
        )
    assert turn is not None
    return hit._replace(
        external_id=turn.external_id, session_id=turn.session_id, role=turn.role, time=turn.time
    )
