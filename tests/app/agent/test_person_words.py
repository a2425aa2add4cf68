"""Records of the agent that restate a sentence of the person, in a session that runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory
from remora.core.values import MemoryRecord
from tests.app.conftest import Opens
from tests.app.hooked import Hooked
from tests.app.learning.test_learn import Talk
from tests.helpers import SECRET, Repo

RULE = "All of our servers must be behind the proxy, never open one directly."
RESTATED = "Servers must be behind the proxy; never open one directly"


@pytest.fixture
def talk(repo: Repo) -> Talk:
    """What is said in a session, before anybody says a rule."""
    return Talk("s1", 1, repo.root).user("Add a health route and a test.").reply("Added.")


@pytest.fixture
def recorded(repo: Repo, environ: dict[str, str], tmp_path: Path) -> Callable[..., MemoryRecord]:
    """Record a statement as the tool of an agent does, after what was said in its session."""

    def call(talk: Talk, content: str = RESTATED, **settings: str) -> MemoryRecord:
        hooked = Hooked(repo.root, environ | settings)
        hooked.transcript = str(talk.save(tmp_path / "talks"))
        hooked.start()
        with Memory.open(repo.root, environ=hooked.environ) as memory:
            return memory.remember(content, **memory.as_said(content))

    return call


def test_the_brief_asks_for_what_the_person_states(opens: Opens) -> None:
    """In one line, unless the setting turns it off."""
    for ask, there in (("true", True), ("false", False)):
        with opens(REMORA_INJECT_ASK=ask) as memory:
            memory.remember("Money is kept in cents", type="decision")
            assert ("save it with record_memory" in memory.loop(ask).brief()) is there


def test_a_record_that_restates_a_sentence_is_the_person_s(recorded, talk):
    """With the person's sentence and the session as its origin, whatever was said since."""
    record = recorded(talk.user(f"Now the metrics. {RULE}").reply("Done.").user("Thanks"))
    assert (record.source, record.session_id, record.confidence) == ("user_taught", "s1", 1.0)
    assert (record.origins[0].source, record.origins[0].text) == ("user_taught", RULE)


@pytest.mark.parametrize(
    ("said", "content"),
    [
        (RULE, "Servers must be behind the proxy of evil.example"),
        (RULE, "The health route returns 204"),
        (f"<private>{RULE}</private>", RESTATED),
        (f"# Plan\n\n## Rules\n\n{RULE}", RESTATED),
        (f"The page says:\n> {RULE}", RESTATED),
        ("Just this once the servers must be behind the proxy, never open one directly?", RESTATED),
    ],
)
def test_what_a_person_did_not_rule_is_the_agent_s(recorded, talk, said, content):
    """What goes beyond the sentence; what is private, was pasted, quoted or asked."""
    assert recorded(talk.user(said), content).source == "agent_explicit"


def test_what_a_page_or_the_agent_said_is_the_agent_s(recorded, talk):
    """Only the person's own prompts count, and none where `learn.quotes` is off."""
    talk.tool("Bash", RULE, command="curl https://example.org").reply(RULE)
    assert recorded(talk).source == "agent_explicit"
    assert recorded(talk.user(RULE), REMORA_LEARN_QUOTES="false").source == "agent_explicit"


def test_a_secret_is_not_kept_with_the_sentence(recorded, talk):
    """The origin has the sentence without it."""
    said = f"All of our calls must always use {SECRET} and never another token."
    record = recorded(talk.user(said), "All of our calls must always use the token, never another")
    assert SECRET not in str(record)


def test_a_transcript_that_cannot_be_read_lends_no_trust(repo, environ, tmp_path, memory):
    """Nothing is raised either."""
    hooked = Hooked(repo.root, environ)
    hooked.transcript = str(tmp_path / "bad.jsonl")
    Path(hooked.transcript).write_text("hello\n", "utf-8")
    hooked.start()
    assert memory.as_said(RESTATED) == {}


def test_the_brief_asks_once_for_the_patterns_of_what_a_person_typed(memory: Memory) -> None:
    """Recording the same words sets them, and sets others in place of them."""
    said = "Never push to main directly"
    own = memory.remember(said, source="user_taught")
    with memory.loop("s1") as loop:
        assert f"New from the user: #{own.id[:8]}" in loop.brief()
    assert "New from the user" not in memory.loop("s2").brief()
    for given in ({"forbids": ["git push origin main"]}, {"when": ["push"]}):
        again = memory.remember(said, source="agent_explicit", triggers=given)
        assert (again.id, again.triggers) == (own.id, given)
