"""The bundled model on thirty developer memories: natural questions, and questions without an answer.

The figures are floors with room below what is reached now; `hit@1` is 34 of 35 without any tuning on
these texts.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from remora.core.config import EmbeddingSettings
from remora.embeddings.embedder import choose
from tests.retrieval.worlds import World
from tests.tables import table

GOOD = 0.5

MEMORIES = table(__file__, "memories")  # name, type, files, text
QUESTIONS = table(__file__, "questions")  # question, name of its answer
# Nothing in the store is about the first; the second are about things it speaks of, without the answer.
UNANSWERED = table(__file__, "unanswered")
ELSEWHERE = [question for kind, question in UNANSWERED if kind == "elsewhere"]
NEARBY = [question for kind, question in UNANSWERED if kind == "nearby"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A project with the thirty memories and the bundled model, loaded once."""
    choice = choose(EmbeddingSettings(provider="onnx"), environ={})
    folder = tmp_path_factory.mktemp("store")
    with World(folder) as world:
        world.reopen(embedder=choice.embedder)
        for name, kind, files, text in MEMORIES:
            world.remember(name, text, type=kind, related_files=[f for f in files.split(",") if f])
        world.memory.catch_up()
        yield world
    choice.close()


@pytest.fixture(scope="module")
def answers(store: World) -> dict[str, list[tuple[str, float]]]:
    """Every question with the names and scores of its hits, best first."""
    asked = [*(q for q, _ in QUESTIONS), *ELSEWHERE, *NEARBY]
    return {q: [(store.name(h), h.score) for h in store.search(q, 30).hits] for q in asked}


def test_natural_questions_find_their_answers(answers):
    """At least 32 of 35 questions have the right memory first, and 34 among the first three."""
    places = {q: [name for name, _ in answers[q]].index(wanted) + 1 for q, wanted in QUESTIONS}
    misses = {q: answers[q][:3] for q, place in places.items() if place > 1}
    assert len(misses) <= 3, misses
    assert sum(place <= 3 for place in places.values()) >= 34, misses


def test_vectors_and_keywords_together_lose_to_neither(store, answers):
    """The fusion finds more at the first place than either path alone; keywords alone find most."""
    vectors = sum(store.names(q, 1, without=("fts",)) == [wanted] for q, wanted in QUESTIONS)
    keywords = sum(store.names(q, 1, without=("dense",)) == [wanted] for q, wanted in QUESTIONS)
    both = sum(answers[q][0][0] == wanted for q, wanted in QUESTIONS)
    assert both >= max(vectors, keywords)
    assert keywords >= 28


def test_good_means_that_there_is_an_answer(answers):
    """At 0.5 most answers are good, nothing is for a question from elsewhere, and little for one nearby."""
    right = [dict(answers[q])[wanted] for q, wanted in QUESTIONS]
    assert sum(score >= GOOD for score in right) >= 27
    elsewhere = {q: answers[q][0] for q in ELSEWHERE}
    assert all(score < GOOD for _, score in elsewhere.values()), elsewhere
    nearby = {q: answers[q][0] for q in NEARBY if answers[q][0][1] >= GOOD}
    assert len(nearby) <= 8, nearby


def test_the_rest_of_the_store_is_not_good(answers):
    """Beside the answer, at most one question in six has another hit that counts as good."""
    others = [q for q, wanted in QUESTIONS if any(s >= GOOD for n, s in answers[q] if n != wanted)]
    assert len(others) <= len(QUESTIONS) // 6, others


def test_a_context_holds_the_answer_and_not_the_store(store):
    """What goes into a prompt unasked is about the task: the answer, and few others."""
    held = 0
    shown = []
    for question, wanted in QUESTIONS:
        names = [store.name(h) for h in store.memory.context(question, "implement").hits]
        held += wanted in names
        shown.append(len(names))
    assert held >= 28
    assert sum(shown) <= 3 * len(QUESTIONS)
    assert store.memory.context("how do I bake sourdough bread", "implement").text == ""


def test_an_outdated_statement_ranks_below_the_fresh_one(store):
    """The marked one fits the question better by its words, and still comes behind."""
    old = store.remember("old", "The staging cluster runs on arm machines", type="gotcha")
    store.remember("fresh", "We moved staging to x86 machines last month", type="gotcha")
    question = "what machines does the staging cluster run on"
    try:
        assert store.names(question, 2) == ["old", "fresh"]
        store.memory.edit(old.id, stale_at="2026-02-01T00:00:00Z")
        names = store.names(question, 5)
        assert names[0] == "fresh"
        assert "old" in names
    finally:
        for name in ("old", "fresh"):
            store.memory.forget(store.id_of(name))


@pytest.mark.parametrize(
    ("project", "user"),
    [
        ("Use PostgreSQL for storage", "Use SQLite for storage"),
        ("Log lines are JSON", "Log lines are plain text"),
        ("Lines may be up to 110 characters long", "Keep lines under 80 characters"),
        ("Write strings with single quotes", "Write strings with double quotes"),
        ("The team squashes commits on merge", "Never squash commits, keep the history"),
    ],
)
def test_disagreements_are_noticed(store, project, user):
    """The project and the user say different things of one matter."""
    assert disagree(store, project, user)


@pytest.mark.parametrize(
    ("project", "user"),
    [
        ("Use PostgreSQL for storage", "Prefer small functions with early returns"),
        ("Money is integers in cents", "I like short commit messages"),
        ("The public API answers 429 after 100 requests a minute", "Answer me in German, briefly"),
        ("auth/tokens.py signs tokens with RS256", "Never push to main without asking"),
        ("Use React for the dashboard", "Use vim key bindings"),
        ("Do not edit generated files in web/types.ts", "Never use emojis in code"),
        ("Use pnpm, not npm", "Use British spelling"),
        ("Tests must not reach the network", "Do not run the tests without asking me"),
        ("Prefer small functions with early returns", "Keep functions short and return early"),
    ],
)
def test_no_false_alarm(store, project, user):
    """Statements on other matters, or the same statement in other words, do not disagree."""
    assert not disagree(store, project, user)


def disagree(store: World, project: str, user: str) -> bool:
    """Return whether two memories are marked when a question names both."""
    made = [
        store.remember("project", project, type="decision"),
        store.remember("user", user, type="preference", source="user_taught", user=True),
    ]
    try:
        hits = store.search(f"{project} {user}", 10).hits
        assert {"project", "user"} <= {store.name(h) for h in hits}
        return any(h.disagrees_with for h in hits)
    finally:
        for record in made:
            store.memory.forget(record.id)
            del store.name_of[record.id]
