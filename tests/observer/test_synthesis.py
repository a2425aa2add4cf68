"""A model may change the words of what was learnt, and nothing else."""

from __future__ import annotations

import json

import pytest

from remora.core.errors import ProviderError
from remora.core.values import MemoryDraft
from remora.llm.scripted import ScriptedModel
from remora.observer.promotion import Promoted
from remora.observer.synthesis import reword, says_the_same

OURS = "`make lint` fails on `a.py`; what resolved it: a change of `a.py` (seen in 3 sessions)."


def promoted(content: str = OURS, **more: object) -> Promoted:
    """Return a memory to store."""
    draft = MemoryDraft(content, type="error_pattern", tags=tuple(more.pop("tags", ())))  # type: ignore[arg-type]
    return Promoted(draft, "why", 0.8, bool(more.get("update")))


def answer(*contents: str) -> str:
    """Return a model's answer, numbered from 1."""
    return json.dumps({"memories": [{"number": n, "content": c} for n, c in enumerate(contents, 1)]})


def test_better_words_are_taken() -> None:
    """A rewording that keeps the names and numbers takes the place of ours; one call does for all."""
    better = "Changing `a.py` resolves what `make lint` reports on it, as 3 sessions found."
    model = ScriptedModel([answer(better, "`b.py` is something else than before")])
    found, note = reword(model, [promoted(), promoted("`b.py` stays as it is in 2 sessions")], 5.0)
    assert [p.draft.content for p in found] == [better, "`b.py` stays as it is in 2 sessions"]
    assert note == ""
    assert len(model.calls) == 1


@pytest.mark.parametrize(
    "theirs",
    [
        "",
        "short",
        OURS.replace("3", "4"),
        OURS.replace("`a.py`", "`b.py`"),
        OURS + " Also see `c.py`.",
        OURS + " It happened in 2025.",
        "x" * 800,
    ],
)
def test_words_that_say_something_else_are_not(theirs: str) -> None:
    """A name or number that is lost, changed or new, and a text of the wrong length, leave ours."""
    assert not says_the_same(OURS, theirs)
    found, _ = reword(ScriptedModel([answer(theirs)]), [promoted()], 5.0)
    assert found[0].draft.content == OURS


def test_what_a_person_said_stays() -> None:
    """The user's own words, and what only refreshes a memory, are not given to the model."""
    model = ScriptedModel([])
    own = [promoted(tags=["user-said"]), promoted(update=True)]
    assert reword(model, own, 5.0) == (tuple(own), "")
    assert model.calls == []


def test_a_model_that_fails_costs_nothing() -> None:
    """Ours are stored, and the note says why."""
    model = ScriptedModel([ProviderError("it is down")])
    found, note = reword(model, [promoted()], 5.0)
    assert found[0].draft.content == OURS
    assert "it is down" in note
    found, note = reword(ScriptedModel(["I would rather not."]), [promoted()], 5.0)
    assert (found[0].draft.content, "no JSON object" in note) == (OURS, True)
