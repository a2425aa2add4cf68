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
    """At 0.5 most answers are good, little beside them, nothing from elsewhere, little nearby."""
    right = [dict(answers[q])[wanted] for q, wanted in QUESTIONS]
    assert sum(score >= GOOD for score in right) >= 27
    others = [q for q, wanted in QUESTIONS if any(s >= GOOD for n, s in answers[q] if n != wanted)]
    assert len(others) <= len(QUESTIONS) // 6, others
    elsewhere = {q: answers[q][0] for q in ELSEWHERE}
    assert all(score < GOOD for _, score in elsewhere.values()), elsewhere
    nearby = {q: answers[q][0] for q in NEARBY if answers[q][0][1] >= GOOD}
    assert len(nearby) <= 8, nearby


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


@pytest.mark.parametrize(
    ("project", "user", "expected"),
    [
        ("Log lines are JSON", "Log lines are plain text", True),
        ("Lines may be up to 110 characters long", "Keep lines under 80 characters", True),
        ("The team squashes commits on merge", "Never squash commits, keep the history", True),
        ("Money is integers in cents", "I like short commit messages", False),
        ("The public API answers 429 after 100 requests a minute", "Answer me in German, briefly", False),
        ("Use React for the dashboard", "Use vim key bindings", False),
        ("Use pnpm, not npm", "Use British spelling", False),
        ("Tests must not reach the network", "Do not run the tests without asking me", False),
        ("Prefer small functions with early returns", "Keep functions short and return early", False),
    ],
)
def test_disagreements_are_noticed_without_false_alarm(store, project, user, expected):
    """Different things of one matter disagree; other matters, and the same in other words, do not."""
    assert disagree(store, project, user) is expected


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
