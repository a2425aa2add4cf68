"""The guessed answer: only when asked for, only when little was found, and never a reason to fail."""

from __future__ import annotations

import pytest

from remora.core.errors import ProviderBusy
from remora.llm.scripted import ScriptedModel
from remora.retrieval.hyde import GOOD, MAX_TOKENS, guess, wanted
from tests.retrieval.worlds import BrokenEmbedder, WordEmbedder, stages

QUESTION = "why was I thrown out overnight"
ANSWER = "Tokens expire after 24 hours"


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([], True), ([0.9, 0.5], True), ([0.9, 0.5, 0.5], False), ([0.9, 0.8, 0.49, 0.1], True)],
)
def test_a_guess_is_wanted_below_three_good_hits(scores, expected):
    """Three hits of 0.5 or more are enough."""
    assert wanted(scores) is expected


def test_the_model_is_asked_for_two_sentences():
    """The prompt holds the question as it is, braces and all; the answer is short."""
    model = ScriptedModel(["  Tokens expire. \n"])
    assert guess('why "24 h" in {query} {0}?', model) == ("Tokens expire.", "")
    assert model.calls[0].max_tokens == MAX_TOKENS
    assert 'why "24 h" in {query} {0}?' in model.calls[0].messages[-1].content


def fill(world):
    """Remember one answer among other things."""
    world.remember("answer", "Access tokens expire after 24 hours")
    world.remember("other", "Invoices are printed in the customer's own time zone")


def test_a_guess_finds_what_the_question_does_not(world):
    """The words of a guessed answer lead to the memory, within the filters, and lower no other hit."""
    fill(world)
    before = {world.name(h): h.score for h in world.search(QUESTION).hits}
    assert before["answer"] < GOOD
    model, embedder = ScriptedModel([ANSWER, ANSWER]), WordEmbedder()
    world.reopen(llm=model, embedder=embedder)
    hits = world.search(QUESTION).hits
    after = {world.name(h): h.score for h in hits}
    assert next(iter(after)) == "answer"
    assert after["answer"] > GOOD
    assert after["other"] >= before["other"]
    assert (hits[0].why[-1].stage, hits[0].why[-1].note) == ("hyde", "near the guessed answer")
    assert (len(model.calls), embedder.asked) == (1, [QUESTION, ANSWER])
    assert world.names(QUESTION, types=("decision",)) == []


def test_no_guess_unless_it_is_asked_for(world):
    """A context, an implicit search, one without vectors or with three good hits asks no model."""
    fill(world)
    model = ScriptedModel([])
    world.reopen(llm=model)
    world.memory.context(QUESTION)
    world.search(QUESTION, explicit=False)
    for without in ("hyde", "dense"):
        world.search(QUESTION, without=[without])
    for n in range(3):
        world.remember(f"m{n}", f"Access tokens expire after a while, rule number {n} of the gateway")
    found = world.search("access tokens expire gateway rule").hits
    assert sum(h.score >= GOOD for h in found) >= 3
    world.set("REMORA_SEARCH_HYDE", "false")
    world.search(QUESTION)
    world.reopen(embedder=None)
    world.search(QUESTION)
    assert model.calls == []


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (ProviderBusy("loading"), "no guess: loading"),
        ("  ", "no guess: the model returned nothing"),
    ],
)
def test_a_model_without_an_answer_changes_nothing(world, answer, note):
    """The hits are those without a guess; the note says what was missing."""
    fill(world)
    plain = world.names(QUESTION)
    world.reopen(llm=ScriptedModel([answer]))
    found = world.search(QUESTION)
    assert [world.name(h) for h in found.hits] == plain
    assert found.notes == (note,)
    assert all("hyde" not in stages(h.why) for h in found.hits)


def test_an_embedder_that_fails_on_the_guess_is_a_note(world):
    """A model that goes away between the question and the guess costs the guess only."""
    fill(world)
    embedder = BrokenEmbedder()

    def reply(call):
        embedder.well = False
        return ANSWER

    world.reopen(embedder=embedder, llm=ScriptedModel([reply]))
    assert world.search(QUESTION).notes == ("no vector: the model is loading",)


def test_a_guess_finds_turns_too(world):
    """A name in the question does not put the question's vector back in place of the guess's."""
    session = world.memory.session("cli:1")
    session.append("Ann", "Access tokens expire after 24 hours")
    for n in range(3):
        session.append("Bob", f"The weather is fine today, day {n}")
    question = "why was Ann thrown out overnight"
    plain = {h.id: h.score for h in world.search(question).hits}
    world.reopen(llm=ScriptedModel([ANSWER]))
    best = world.search(question).hits[0]
    assert best.text == "Access tokens expire after 24 hours"
    assert best.score > plain[best.id]
    assert best.why[-1].stage == "hyde"
