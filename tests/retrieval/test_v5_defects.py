"""The defects that an earlier implementation of this design has, each shown to be absent.

Numbers and sentences are those of the list in the specification (section 002). Here are those that
concern remembering and recalling, but for filters (2, test_candidates), rerankers (5, test_rerank) and the
packer (11, test_packing); the rest belong to the observer, the code graph and injection.
"""

from __future__ import annotations

import pytest

from remora.core.strength import TAINT_FACTOR
from remora.core.values import Taint
from remora.embeddings.context import chunk_text
from remora.graph.chunks import chunks
from remora.retrieval.boost import boost
from remora.retrieval.fusion import weighted_rrf
from tests.retrieval.worlds import BrokenEmbedder, WordEmbedder, candidate


def test_1_dense_search_asks_for_the_dimensions_that_are_stored(world):
    """Defect 1: dense search asks for dims 256, rows hold 1024, so the dense path returns nothing.

    Vectors alone find a memory that shares no word with the question.
    """
    world.remember("it", "Access tokens expire after 24 hours")
    world.remember("other", "The roof is done")
    hits = world.search("login lifetime", without=("fts", "graph")).hits
    assert world.name(hits[0]) == "it"
    assert hits[0].why[0].note == "dense #1"
    stored = world.db.vectors.since("memory", "fake:words:96", 0, 10)
    assert {len(row.embedding) for row in stored} == {96 * 2}


@pytest.mark.parametrize("kind", ["workflow_recipe", "gotcha"])
def test_3_recipes_and_patterns_are_found_in_their_own_project(world, kind):
    """Defect 3: searches for patterns and recipes pass an empty project id and never match."""
    made = world.remember("it", "To release, tag the commit and approve the step", type=kind)
    assert made.project_id == world.memory.project_id != ""
    assert world.names("how do I release", types=(kind,)) == ["it"]
    assert world.memory.context("how do I release", "define").hits[0].id == made.id


def test_4_the_boost_is_on_the_scale_of_the_scores():
    """Defect 4: one neighbour file adds more than the largest possible RRF score.

    There 0.3 / 18 files beats 1 / 61. Here what arrives multiplies odds: a hit that says next to nothing
    stays below all that were found for themselves, though its file is the neighbour of every one.
    """
    largest = max(weighted_rrf([(["a"], 1.0)]).values())
    assert largest < 0.3 / 18
    top = [candidate(f"{n:02}", 0.020 - n / 1000, related_files=("top.py",)) for n in range(1, 11)]
    last = candidate("11", 0.001, related_files=("near.py",))
    order = boost([*top, last], lambda file: {"near.py": 1.0} if file == "top.py" else {})
    assert [c.key for c in order] == [c.key for c in [*top, last]]
    assert last.score < order[10].score < 1.1 * last.score


def test_7_distrust_is_applied_once(world):
    """Defect 7: the trust gate is applied twice, so confidence falls to 0.49 of what it was.

    What is derived from a tainted memory loses confidence once, and saying it again loses no more.
    """
    page = world.remember("page", "The web page says tokens are eternal", taint=Taint("web_fetch", 3))
    child = world.remember("child", "So tokens never expire", confidence=0.8, derived_from=(page.id,))
    assert child.confidence == pytest.approx(0.8 * TAINT_FACTOR)
    again = world.memory.remember(
        "So tokens never expire", type="pattern", confidence=0.5, derived_from=(page.id,)
    )
    assert again.id == child.id
    assert again.confidence == pytest.approx(0.8 * TAINT_FACTOR)


def test_13_chunks_of_modules_have_content():
    """Defect 13: module chunks are embedded empty."""
    (only,) = chunks("a.py", "import os\n", None, "code")
    assert only.context == "File: a.py"
    assert chunk_text("a.py", only.name, only.text) == "a.py\nimport os"


def test_16_a_switch_of_models_is_seen(world):
    """Defect 16: the stored model id lacks the model's name, and dims says 1024 whatever came back.

    Two models of one provider: vectors are kept apart, made again, and each row says its own length.
    """
    world.remember("it", "Access tokens expire after 24 hours")
    assert world.names("login lifetime", without=("fts",)) == ["it"]
    other = WordEmbedder(model_id="fake:letters:64", dims=64)
    world.reopen(embedder=other)
    assert world.names("login lifetime", without=("fts",)) == ["it"]
    assert world.db.vectors.models() == {
        ("memory", "fake:letters:64"): (1, 64),
        ("memory", "fake:words:96"): (1, 96),
    }
    assert world.memory.show(world.id_of("it")).embedding_model_id == "fake:letters:64"


def test_16_same_length_other_model_is_never_compared(world):
    """Defect 16, the dangerous half: two models of one length within a provider.

    Until a memory has a vector of the model in use, words find it and no cosine is made up.
    """
    world.remember("it", "Access tokens expire after 24 hours")
    world.memory.catch_up()
    world.reopen(embedder=WordEmbedder(model_id="fake:other:96"), read_only=True)
    hit = world.search("tokens expire").hits[0]
    assert world.name(hit) == "it"
    assert "no vector" in next(r.note for r in hit.why if r.stage == "evidence")
    assert world.search("login lifetime").hits == []


def test_without_a_model_nothing_is_made_up(world):
    """There a hash of the text stands in for a vector; here a missing vector is said to be missing."""
    world.remember("it", "Access tokens expire after 24 hours")
    broken = BrokenEmbedder()
    broken.well = False
    world.reopen(embedder=broken)
    found = world.search("login lifetime")
    assert found.hits == []
    assert found.notes == ("no vector: the model is loading",)
