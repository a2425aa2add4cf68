"""What each path finds, and that every one of them obeys every filter."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.text import query_terms
from remora.core.values import Filters, MemoryDraft
from remora.retrieval import candidates as gathering
from remora.retrieval.candidates import (
    DENSE,
    FEW_ROWS,
    GRAPH,
    LEXICAL,
    SEARCHED,
    affordable,
    lexical,
    names_in,
    without_names,
)
from remora.store.fulltext import TermStats
from tests.retrieval.worlds import WordEmbedder, World, request
from tests.tables import table

PATHS = ("dense", "fts", "graph")


@pytest.mark.parametrize(
    ("holding", "kept"),
    [
        ({"rare": 3, "usual": 400}, ["rare", "usual"]),  # a small store: all of them
        ({"rare": 3, "usual": 3_000, "common": 90_000}, ["rare", "usual"]),
        ({"b": 12_000, "a": 12_000}, ["a"]),  # equally rare: by name
        ({"unknown": 0, "common": 90_000}, ["unknown", "common"]),  # one that anything holds
    ],
)
def test_the_rarest_affordable_terms_are_kept(holding, kept):
    """In a large store the rarest terms go first, until too many rows would have to be ranked."""
    assert affordable(TermStats(1_000_000, holding)) == kept


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 30_000), max_size=8))
def test_affordable_terms_can_be_ranked_in_time_and_find_something(holding):
    """Beyond one term with rows the limit holds, and where any term has rows one of them is kept."""
    kept = affordable(TermStats(1_000_000, holding))
    touched = [holding[t] for t in kept if holding[t]]
    assert sum(touched) <= gathering.POSTINGS or len(touched) == 1
    assert bool(touched) == any(holding.values())
    assert kept == affordable(TermStats(1_000_000, dict(sorted(holding.items()))))


def shares(world, query):
    """Return the share of the query that each memory covers, by name."""
    terms = query_terms(query)

    def find(terms, limit):
        return world.db.fulltext.memories(terms, Filters(), limit)

    found = lexical(world.db.fulltext.term_stats("memories", terms), find(terms, 100), find)
    return {world.name_of[i]: share for i, share in found.items()}


@pytest.mark.slow
def test_the_covered_share_does_not_depend_on_the_size_of_the_store(bare):
    """One memory or three hundred: an answer that holds two of three words covers about a fourth."""
    bare.remember("answer", "Refresh tokens expire after a week of silence")
    known = 1
    for count in (1, 2, 3, 30, FEW_ROWS, FEW_ROWS + 1, 300):
        others = [f"Something else altogether, topic{n} and matter{n}" for n in range(known, count)]
        bare.memory.remember_many([MemoryDraft(text) for text in others])
        known = count
        assert 0.17 <= shares(bare, "when do refresh tokens end")["answer"] <= 0.33


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=60))
def test_a_share_is_between_0_and_1_and_more_words_cover_more(bare, query):
    """The best text has every word, in the text and in its tags; shares of any text stay shares."""
    if not bare.name_of:
        bare.remember("all", 'alpha beta gamma NEAR("x" AND y)', tags=["alpha", "beta", "gamma"])
        bare.remember("two", "alpha beta other words")
        bare.remember("one", "alpha different words here")
    assert all(0.0 <= share <= 1.0 for share in shares(bare, query).values())
    found = shares(bare, "alpha beta gamma")
    assert found["all"] > found["two"] > found["one"] > 0.0
    assert shares(bare, "zeta") == {}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A world of eight variations that all fit one question and its files, to be read only."""
    with World(tmp_path_factory.mktemp("filled"), embedder=WordEmbedder()) as made:
        fill(made)
        yield made


def fill(world):
    """Remember the eight variations."""
    text = "Tokens expire after {} hours in the gateway"
    here = {"related_files": ["auth/tokens.py"], "related_modules": ["auth"]}
    world.remember("plain", text.format("one"), **here)
    world.remember("decision", text.format("two"), **{**here, "type": "decision"})
    world.remember("elsewhere", text.format("three"), related_files=["web/app.ts"], related_modules=["web"])
    world.remember("glob", text.format("four"), related_files=["auth/**"], related_modules=["auth"])
    world.remember("module", text.format("five"), **here, scope="module")
    world.remember("branch", text.format("six"), **here, branch="feature/x")
    world.remember("nothing", text.format("seven"))
    world.remember("forgotten", text.format("eight"), **here)
    world.memory.forget(world.id_of("forgotten"))
    world.co_access("auth/tokens.py", "web/app.ts", 0.9)
    world.memory.catch_up()


ALL = {"plain", "decision", "elsewhere", "glob", "module", "nothing"}


@pytest.mark.parametrize(("told", "expected"), table(__file__, "filters"))
def test_filters_hold_in_every_path(filled, told, expected):
    """Each path alone, and all together, return what passes the filters and nothing else."""
    question = "tokens expire hours gateway"
    filters = {name: tuple(v) if isinstance(v, list) else v for name, v in json.loads(told).items()}
    expected = set(expected.split())
    assert set(filled.names(question, 20, **filters)) == expected
    for path in PATHS[:2]:
        others = [p for p in PATHS if p != path]
        assert set(filled.names(question, 20, without=others, **filters)) == expected, path
    near = filled.names("weather", 20, without=("dense", "fts"), recent_files=["auth/tokens.py"], **filters)
    assert set(near) == expected - {"nothing"}


def test_a_folder_of_the_glob_is_enough_for_the_graph(filled):
    """A memory about auth/** is near every file below auth."""
    near = filled.names("weather", 20, without=("dense", "fts"), recent_files=["auth/new.py"])
    assert near == ["glob"]


def test_what_was_forgotten_does_not_crowd_out_what_is_there(world):
    """Two hundred forgotten memories nearer to the question leave the vectors' places to the living."""
    drafts = [MemoryDraft(f"tokens expire gateway number{n}") for n in range(SEARCHED + 20)]
    drafts += [MemoryDraft(f"tokens expire branch number{n}", branch="old") for n in range(SEARCHED)]
    records = world.memory.remember_many(drafts)
    world.memory.catch_up()
    for made in records[: SEARCHED + 20]:
        world.memory.forget(made.id)
    world.remember("alive", "lifetime of a login and some more words about it")
    assert world.names("tokens expire", without=("fts", "graph")) == ["alive"]


def test_vectors_are_asked_beyond_the_first_places_for_evidence(world):
    """A path hands its first 30, 20 or 15 to the fusion; evidence is read for what others found too."""
    for n in range(40):
        world.remember(f"m{n:02}", f"tokens expire rule{n} about topic{n}", related_files=["auth/tokens.py"])
    reader = world.reader()
    asked = request("tokens expire", 50, recent_files=("auth/tokens.py",))
    pool = gathering.memories(world.db, asked, gathering.question(asked, reader))
    sizes = {path: len(keys) for path, keys in pool.lists.items()}
    assert sizes == {"dense": DENSE, "fts": LEXICAL, "graph": GRAPH}
    assert all(c.dense is not None and c.lexical > 0 for c in pool.candidates.values())


@pytest.mark.parametrize("turned", [False, True])
def test_files_read_together_bring_each_others_memories(world, turned):
    """A co-access edge counts from either end; one of 0.3 is chance; the strongest evidence counts."""
    world.remember("partner", "Compare in UTC only", related_files=["billing/invoice.py"])
    world.remember("other", "The indexer runs nightly", related_files=["search/indexer.py"])
    ends = ["billing/invoice.py", "billing/totals.py"]
    world.co_access(*(reversed(ends) if turned else ends), 0.5)
    world.co_access("search/indexer.py", "billing/totals.py", 0.3)
    asked = {"without": ("dense",), "recent_files": ["billing/totals.py"]}
    hit = world.hit("partner", "quarterly numbers", **asked)
    assert hit.why[0].note == "read together with billing/totals.py"
    assert hit.why[0].score == pytest.approx(0.35)
    assert world.names("quarterly numbers", **asked) == ["partner"]
    world.commit(*ends, times=20)
    hit = world.hit("partner", "quarterly numbers", **asked)
    assert hit.why[0].score > 0.5
    assert "changes with" in hit.why[0].note


def test_a_finding_is_asked_for_by_what_it_says(world):
    """Where a linter found something is no part of the question, but its file is at hand."""
    world.remember("rule", "Linter rule nilerr: error is not nil. Resolved with a mark.")
    words = "billing invoice go totals and strategy of billing"
    world.remember("place", f"Changed {words}", related_files=["billing/invoice.go"])
    line = "billing/invoice.go:17:3: error is not nil (line 12) but it returns nil (nilerr)"
    hits = {world.name(hit): hit for hit in world.search(line).hits}
    assert next(iter(hits)) == "rule"
    assert "about billing/invoice.go" in [r.note for r in hits["place"].why]


@pytest.mark.parametrize(
    ("text", "named", "rest"),
    [
        ("What did Ann say to Bob?", {"Ann", "Bob"}, "What did say to ?"),
        ("When did ann's sister move?", {"Ann"}, "When did sister move?"),
        ("Annual report of Ann", {"Ann"}, "Annual report of"),
        ("Ask Mary Jane today", {"Mary Jane"}, "Ask today"),
        ("Mary's plan", set(), "Mary's plan"),
        ("who is C++?", {"C++"}, "who is ?"),
        ("Ann? Ann!", {"Ann"}, "Ann? Ann!"),
        ("", set(), ""),
    ],
)
def test_speakers_named_in_a_question(text, named, rest):
    """A speaker is named by the whole name in any case; a question of nothing but names stays whole."""
    assert names_in(text, {"Ann", "Bob", "Mary Jane", "C++"}) == named
    assert without_names(text, named) == rest
