"""Two sessions that say the same make one memory; what differs in a name, a number or a turn is two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora.app.learning.dedup import Novelty
from remora.app.learning.learn import LearnReport
from remora.app.memory import Memory
from remora.core.values import MemoryDraft, Taint
from remora.observer.candidate import USER_SAID
from tests.app.conftest import Opens
from tests.app.learning.test_learn import Talk
from tests.helpers import FakeEmbedder

GATEWAY = "No, we always use the gateway for refreshing tokens, never the client itself."
MORE = "No, for refreshing tokens we always use the gateway, never the client itself."


class Meaning(FakeEmbedder):
    """A model that knows what is about the gateway, whatever the words."""

    def _vector(self, text: str) -> Any:
        return super()._vector("gateway" if "gateway" in text else text)


@pytest.fixture(params=[None, Meaning], ids=["no model", "meaning"])
def memory(request: pytest.FixtureRequest, opens: Opens) -> Any:
    """A project without a model, and with one that goes by the meaning."""
    with opens(embedder=request.param() if request.param is not None else None) as opened:
        yield opened


@pytest.fixture
def learn(memory: Memory, tmp_path: Path) -> Callable[..., LearnReport]:
    """Write sessions, each with its corrections, and learn from them in one run."""
    days = iter(range(1, 29))

    def call(*sessions: tuple[str, ...]) -> LearnReport:
        for texts in sessions:
            day = next(days)
            talk = Talk(f"s{day}", day, memory.root)
            for text in ("Please make the lifetime a setting", *texts):
                talk.user(text).edit("auth/tokens.py")
            talk.tool("Bash", "12 passed", command="make test")
            talk.reply("Done; all 12 tests pass.").user("thanks, works").save(tmp_path / "talks")
        return memory.learn(tmp_path / "talks")

    return call


def rules(memory: Memory) -> list[str]:
    """Return what the user said, as it was learned."""
    return [m.content for m in memory.list() if m.type == "preference"]


@pytest.mark.parametrize("memory", [Meaning], indirect=True)
@pytest.mark.parametrize("embedded", [True, False])
def test_other_words_for_the_same_are_found(memory, embedded):
    """A model that knows the meaning finds them, also where the memory has no vector yet; not for a rule."""
    known = memory.remember("Tokens are refreshed at the gateway, never by hand", type="gotcha")
    if embedded:
        memory.catch_up()
    said = "The gateway renews credentials and tokens, never somebody by hand"
    draft = MemoryDraft(content=said, type="gotcha", source="observer_inferred", confidence=0.8)
    novelty = Novelty(memory._project)
    found = novelty.closest(draft, None)
    assert found is not None
    assert (found[0], round(found[1], 2)) == (known.id[:8], 1.0)
    assert novelty.closest(draft._replace(tags=(USER_SAID,)), None) is None


@pytest.mark.parametrize(
    ("other", "runs", "number"),
    [
        (MORE, 1, 1),
        (MORE, 2, 1),
        (GATEWAY.replace("gateway", "gateway2"), 1, 2),
        (GATEWAY.replace("never the", "also the"), 1, 2),
        (GATEWAY.replace("for refreshing", "before refreshing"), 1, 2),
    ],
    ids=["the same", "the same later", "a name", "no longer denied", "a turn"],
)
def test_two_sessions_make_one_memory_where_they_say_the_same(memory, learn, other, runs, number):
    """What differs in a little that matters is two, however close; also where the first has no vector yet."""
    if runs == 2:
        learn((GATEWAY,))
        learn((other,))
    else:
        learn((GATEWAY,), (other,))
    assert len(rules(memory)) == number


@pytest.mark.parametrize("memory", [Meaning], indirect=True)
def test_a_rule_that_the_user_changes_is_not_lost(memory, learn):
    """To a model both say the same; the later one is there, the earlier one where nothing takes it back."""
    first, then = (f"Always sort imports of the gateway by {key}." for key in ("name", "length"))
    learn((first,))
    learn((then,))
    assert sorted(text.partition(" (said")[0] for text in rules(memory)) == sorted((first, then))


def test_what_is_forgotten_or_of_another_type_or_branch_says_nothing(memory, learn):
    """Only what is there for the draft's readers says it already."""
    same = "We always use the gateway for refreshing tokens, never the client itself, "
    memory.forget(memory.remember(same + "please.", type="preference").id)
    memory.remember(same + "thanks.", type="decision")
    memory.remember(same + "right.", type="preference", branch="topic")
    memory.catch_up()
    report = learn((GATEWAY,))
    assert "novelty" not in report.discarded
    assert [one.action for one in report.learnt if one.memory.type == "preference"] == ["stored"]


def test_text_from_outside_does_not_take_the_place_of_the_users_word(memory, learn):
    """A tainted memory says the same: the user's own word is a memory of its own."""
    text = "We always use the gateway for refreshing tokens, and never the client itself, please."
    memory.remember(text, type="preference", taint=Taint("web page"))
    memory.catch_up()
    learn((GATEWAY,))
    assert [m.taint for m in memory.list(source="user_taught") if m.type == "preference"] == [None]
