"""The whole search: order, reasons, parts that can be left out, and that it writes nothing."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.errors import InvalidInput
from remora.core.text import clean
from remora.core.values import PHASES, MemoryDraft
from remora.llm.scripted import ScriptedModel
from remora.retrieval import pipeline
from remora.retrieval.candidates import question
from remora.retrieval.fusion import MEMORY_SCALE, relevance, with_odds
from remora.retrieval.pipeline import KEPT, PARTS, STAGES
from remora.retrieval.request import Request
from remora.retrieval.weigh import DOUBTS
from tests.helpers import files
from tests.retrieval.worlds import BrokenEmbedder, Judge, WordEmbedder, World, stages

SUBJECTS = "tokens invoices uploads migrations webhooks exports backups flags queues reports".split()
VERBS = "expire fail wait retry restart overflow collide vanish".split()


def draft(number: int) -> MemoryDraft:
    """Return the draft of that number; all differ in words, types and files."""
    subject, verb = SUBJECTS[number % 10], VERBS[number // 10 % 8]
    return MemoryDraft(
        f"{subject.capitalize()} {verb} in case {number} of the {SUBJECTS[(number * 7 + 3) % 10]} module",
        type=("pattern", "gotcha", "decision", "error_pattern")[number % 4],
        related_files=(f"{subject}/part{number % 13}.py",),
        confidence=0.5 + (number % 5) / 10,
    )


def alike(text: str, number: int) -> list[MemoryDraft]:
    """Return drafts about one file that say nearly the same."""
    return [MemoryDraft(f"{text} number{n}", related_files=("auth/tokens.py",)) for n in range(number)]


def rows(found):
    """Return what a caller sees of hits, comparable between runs."""
    return [(h.id, round(h.score, 5), stages(h.why)) for h in found.hits]


# Order

NAMED = st.sampled_from(["tokens/part0.py", "a b", "*", "["])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(min_size=1, max_size=80).filter(lambda q: any(c.isalnum() for c in q)), data=st.data())
def test_any_question_gives_a_total_order_of_finite_scores(world, query, data):
    """Any text, phase and files: scores fall, lie in 0..1, and asking again gives the same."""
    if not world.memory.list():
        world.memory.remember_many([draft(n) for n in range(30)])
        world.memory.session("cli:1").append("Ann", "tokens expire at night")
    asked = {
        "phase": data.draw(st.none() | st.sampled_from(PHASES)),
        "recent_files": data.draw(st.lists(NAMED, max_size=2)),
        "without": data.draw(st.lists(st.sampled_from(PARTS), max_size=3)),
    }
    try:
        first = world.search(query, 50, **asked)
    except InvalidInput:
        assert not any(c.isalnum() for c in clean(query))
        return
    scores = [h.score for h in first.hits]
    assert all(math.isfinite(s) and 0.0 <= s <= 1.0 for s in scores)
    assert scores == sorted(scores, reverse=True)
    assert len({(h.source, h.realm, h.id) for h in first.hits}) == len(scores)
    assert rows(world.search(query, 50, **asked)) == rows(first)


def test_shuffled_candidates_come_out_alike(world):
    """Every stage after the gathering gives the same for any order of what it is handed."""
    world.memory.remember_many([draft(n) for n in range(60)])
    world.commit("tokens/part0.py", "uploads/part2.py", times=5)
    reader = world.reader()._replace(reranker=Judge("case 12", "case 40"), boost=True)
    asked = Request("tokens expire", 20, phase="implement", recent_files=("tokens/part0.py",))
    orders = []
    for seed in range(4):
        run = pipeline.begin(reader, asked, question(asked, reader))
        found = STAGES[0][1](run, [])
        random.Random(seed).shuffle(found)
        for _, stage in STAGES[1:]:
            found = stage(run, found)
        orders.append(found)
    assert orders[0] == orders[1] == orders[2] == orders[3]
    assert len(orders[0]) == pipeline.KEPT


# Sizes


@pytest.mark.parametrize("model", ["world", "bare"])
def test_one_memory_is_found_and_is_good(model, request):
    """An empty store answers nothing; the first memory is good, and found by a huge question."""
    world = request.getfixturevalue(model)
    assert world.search("anything at all", phase="define", recent_files=["a.py"]).hits == []
    assert world.memory.context("anything at all").text == ""
    assert world.memory.related_files("a.py") == []
    world.remember("only", "Access tokens expire after 24 hours")
    question = "when do access tokens \ud83d expire"
    assert world.search(question).hits[0].score >= 0.5
    assert "Access tokens expire" in world.memory.context(question).text
    assert world.names(question + " and then" * 1_200_000) == ["only"]


@pytest.mark.parametrize("k", [0, 5, KEPT + 20, 1000])
def test_k_hits_at_most(many, k):
    """K is the number of hits, as far as there are any, also beyond what goes on after the fusion."""
    assert len(many.search("tokens expire", k).hits) == min(k, KEPT + 20)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A world of more memories than go on after the fusion, to be read only."""
    with World(tmp_path_factory.mktemp("many"), embedder=WordEmbedder()) as made:
        made.memory.remember_many([draft(n) for n in range(KEPT + 20)])
        made.memory.catch_up()
        yield made


# Reasons


def test_the_reasons_account_for_the_score(world):
    """Evidence gives a relevance; factors multiply its odds, doubts itself; that is the score."""
    fields: dict[str, Any] = {"source": "user_taught", "confidence": 0.6, "needs_review": True}
    world.remember("it", "tokens expire at night", type="gotcha", **fields)
    hit = world.hit("it", "tokens expire", phase="implement")
    score = relevance(next(r.score for r in hit.why if r.stage == "evidence"), MEMORY_SCALE)
    for reason in hit.why[2:]:
        score = score * reason.score if reason.stage in DOUBTS else with_odds(score, reason.score)
    assert hit.score == pytest.approx(score)
    assert stages(hit.why) == ["paths", "evidence", "phase", "source", "confidence", "review"]


# Parts


def test_the_parts_are_those_that_are_understood():
    """The stages after the fusion can be left out by name; every listed part has its test below."""
    assert set(LEFT_OUT) == set(PARTS)
    assert {name for name, _ in STAGES} - set(PARTS) == {"gather", "fuse", "read"}


LEFT_OUT: dict[str, tuple[str, dict[str, Any]]] = {
    # part: what to ask when the hit is looked at, and its name
    "dense": ("login lifetime", {}),
    "fts": ("tokens expire", {}),
    "graph": ("weather", {"recent_files": ["auth/tokens.py"]}),
    "window": ("moved to Lisbon", {"kinds": ("turn",)}),
    "neighbours": ("moved to Lisbon", {"kinds": ("turn",)}),
    "author": ("what does Ann think of hiking", {"kinds": ("turn",)}),
    "time": ("hiking this month", {"kinds": ("turn",)}),
    "questions": ("moved to Lisbon", {"kinds": ("turn",)}),
    "amended": ("hiking is fine", {"kinds": ("turn",)}),
    "trust": ("tokens common", {}),
    "query_type": ("expire_tokens", {}),
    "evidence": ("tokens expire", {}),
    "boost": ("common words here", {}),
    "weigh": ("tokens expire", {"phase": "implement"}),
    "busy": ("expire tokens", {"kinds": ("code",)}),
    "phase": ("tokens expire", {"phase": "implement"}),
    "source": ("tokens expire", {}),
    "use": ("tokens expire", {}),
    "confidence": ("tokens expire", {}),
    "stale": ("tokens expire", {}),
    "review": ("tokens expire", {}),
    "pinned": ("tokens expire", {}),
    "rerank": ("tokens expire", {}),
    "hyde": ("zebra crossing", {}),
}


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A world in which every part of a search has something to do, to be read only."""
    with World(tmp_path_factory.mktemp("crowded"), embedder=WordEmbedder()) as made:
        fill(made)
        yield made


def fill(world):
    """Remember, commit, index and say what each part works on."""
    world.set("REMORA_SEARCH_NEIGHBOURHOOD_BOOST", "true")
    world.remember(
        "old",
        "tokens expire after a day",
        type="gotcha",
        source="observer_inferred",
        confidence=0.5,
        related_files=["auth/tokens.py"],
        needs_review=True,
        decay_half_life_days=30.0,
    )
    world.clock.advance(days=100)
    world.remember("pinned", "tokens expire after a week", pinned=True)
    world.commit("auth/tokens.py", "web/session.ts", times=30)
    world.memory.remember_many(alike("common words here", 12))
    world.remember("partner", "quite far from it, here", related_files=["web/session.ts"])
    (world.folder / "repo/auth").mkdir(exist_ok=True)
    (world.folder / "repo/auth/tokens.py").write_text("def expire_tokens():\n    return 24\n")
    world.memory.index()
    world.memory.session("cli:1").extend(
        [
            {"role": "Bob", "content": "When did your sister move, she moved to Lisbon?"},
            {"role": "Ann", "content": "In May, and hiking is fine there"},
            {"role": "Bob", "content": "Hiking is fine"},
            {"role": "Bob", "content": "Hiking is fine again"},
        ]
    )
    model = ScriptedModel([lambda call: "tokens expire after a day"] * 100)
    world.reopen(reranker=Judge("a week", "quite far"), llm=model)


@pytest.mark.parametrize("part", PARTS)
def test_each_part_left_out_changes_something(crowded, part):
    """A part that can be left out matters to at least one search; leaving it out never fails."""
    query, more = LEFT_OUT[part]
    whole = crowded.search(query, 30, **more)
    less = crowded.search(query, 30, without=[part], **more)
    assert [(h.id, h.score, h.why) for h in less.hits] != [(h.id, h.score, h.why) for h in whole.hits]
    named = {"boost": "neighbourhood"}.get(part, part)
    assert named not in {stage for h in less.hits for stage in stages(h.why)}
    assert crowded.search(query, without=PARTS).hits == []


# Failing parts


def test_a_failing_embedder_leaves_keywords(world):
    """A model that fails on the question costs the vectors, and the note says so."""
    world.remember("it", "tokens expire at night")
    broken = BrokenEmbedder()
    world.reopen(embedder=broken)
    broken.well = False
    found = world.search("tokens expire")
    assert [world.name(h) for h in found.hits] == ["it"]
    assert found.hits[0].why[0].note == "fts #1"
    assert found.hits[0].why[1].note.startswith("no vector, words ")
    assert found.notes == ("no vector: the model is loading",)
    assert "it" in {world.name(h) for h in world.memory.context("tokens expire").hits}


def test_a_judge_is_asked_within_its_settings(world):
    """How many it sees and how long it has come from the settings."""
    world.memory.remember_many([draft(n) for n in range(40)])
    judge = Judge()
    world.set("REMORA_RERANK_CANDIDATES", "7")
    world.set("REMORA_RERANK_BUDGET_MS", "250")
    world.reopen(reranker=judge)
    world.memory.search("tokens expire")
    assert [(len(texts), seconds) for _, texts, seconds in judge.saw] == [(7, 0.25)]


# The read path


def stored(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder but SQLite's own shared memory."""
    return {path: data for path, (data, _) in files(folder).items() if not path.endswith(("-shm", "-wal"))}


def test_the_whole_read_path_works_read_only(world):
    """Search, context, related files and lists over a database opened read-only: same answers, no write."""
    world.memory.remember_many([draft(n) for n in range(30)])
    world.memory.session("cli:1").append("Ann", "tokens expire at night")
    world.memory.remember("Use SQLite for tokens", type="preference", user=True)
    world.commit("tokens/part0.py", "uploads/part2.py", times=5)
    world.co_access("tokens/part0.py", "flags/part7.py", 0.8)
    asked: dict[str, Any] = {"phase": "implement", "recent_files": ["tokens/part0.py"]}
    block = world.memory.context("tokens expire", "implement").text
    world.reopen()  # a use counts from then on
    before = rows(world.search("tokens expire", 20, **asked))
    near = world.memory.related_files("tokens/part0.py")
    world.reopen(read_only=True)
    state = stored(world.folder)
    version = world.db.connection.version()
    assert world.db.connection.read_only
    assert rows(world.search("tokens expire", 20, **asked)) == before
    assert world.memory.context("tokens expire", "implement").text == block
    assert world.memory.related_files("tokens/part0.py") == near != []
    assert len(world.memory.list()) == 31
    assert world.db.connection.version() == version
    world.memory.close()
    assert stored(world.folder) == state


# User and project


def test_user_memories_can_be_left_out(world):
    """The setting search.user_memories = false keeps what is the user's out of a project."""
    world.remember("project", "Use PostgreSQL for storage", type="decision")
    world.remember("user", "Use SQLite for storage", type="preference", user=True)
    world.set("REMORA_SEARCH_USER_MEMORIES", "false")
    assert world.names("use what for storage") == ["project"]


def test_vectors_of_another_model_are_never_compared(world):
    """Words find a memory without a vector of the model in use, and no cosine is made up."""
    world.remember("it", "Access tokens expire after 24 hours")
    world.memory.catch_up()
    other = WordEmbedder(model_id="fake:other:96")
    world.reopen(embedder=other, read_only=True)
    hit = world.search("tokens expire").hits[0]
    assert "no vector" in next(r.note for r in hit.why if r.stage == "evidence")
    assert world.search("login lifetime").hits == []
    world.reopen()
    assert world.names("login lifetime", without=("fts", "graph")) == ["it"]
    assert set(world.db.vectors.models()) == {("memory", "fake:other:96"), ("memory", "fake:words:96")}
    assert world.memory.show(world.id_of("it")).embedding_model_id == "fake:other:96"
