"""Records of the agent that restate a sentence of the person, in a session that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora import Memory
from remora.core.values import MemoryRecord
from tests.app.hooked import Hooked
from tests.app.learning.test_learn import Talk
from tests.helpers import SECRET, Repo

RULE = "All of our servers must be behind the proxy, never open one directly."
RESTATED = "Servers must be behind the proxy; never open one directly"


@pytest.fixture
def talk(repo: Repo) -> Talk:
    """What is said in a session, before anybody says a rule."""
    return Talk("s1", 1, repo.root).user("Add a health route and a test.").reply("Added.")


class World:
    """A project and the session of an agent in it."""

    def __init__(self, repo: Repo, environ: dict[str, str], folder: Path) -> None:
        self.repo, self.environ, self.folder = repo, environ, folder

    def recorded(self, talk: Talk, content: str = RESTATED, **environ: str) -> MemoryRecord:
        """Record a statement as the tool of an agent does, after what was said."""
        environ = self.environ | environ
        hooked = Hooked(self.repo.root, environ)
        hooked.transcript = str(talk.save(self.folder))
        hooked.start()
        with Memory.open(self.repo.root, environ=environ) as memory:
            return memory.remember(content, **memory.as_said(content))


@pytest.fixture
def world(repo: Repo, environ: dict[str, str], tmp_path: Path) -> World:
    """A repository whose agent runs in a session with a transcript."""
    return World(repo, environ, tmp_path / "talks")


def test_the_brief_asks_for_what_the_person_states(repo: Repo, environ: dict[str, str]) -> None:
    """In one line, unless the setting turns it off."""
    for number, (ask, there) in enumerate({"true": True, "false": False}.items()):
        with Memory.open(repo.root, environ=environ | {"REMORA_INJECT_ASK": ask}) as memory:
            memory.remember("Money is kept in cents", type="decision")
            loop = memory.loop(f"s{number}")
            assert ("save it with record_memory" in loop.brief()) is there


def test_a_record_that_restates_a_sentence_is_the_person_s(world: World, talk: Talk) -> None:
    """With the person's sentence and the session as its origin, whatever was said since."""
    record = world.recorded(talk.user(f"Now the metrics. {RULE}").reply("Done.").user("Thanks"))
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
def test_what_a_person_did_not_rule_is_the_agent_s(world: World, talk: Talk, said: str, content: str) -> None:
    """What goes beyond the sentence; what is private, was pasted, quoted or asked."""
    assert world.recorded(talk.user(said), content).source == "agent_explicit"


def test_what_a_page_or_the_agent_said_is_the_agent_s(world: World, talk: Talk) -> None:
    """Only the person's own prompts count, and none where `learn.quotes` is off."""
    talk.tool("Bash", RULE, command="curl https://example.org").reply(RULE)
    assert world.recorded(talk).source == "agent_explicit"
    silent = world.recorded(talk.user(RULE), RESTATED, REMORA_LEARN_QUOTES="false")
    assert silent.source == "agent_explicit"


def test_a_secret_is_not_kept_with_the_sentence(world: World, talk: Talk) -> None:
    """The origin has the sentence without it."""
    said = f"All of our calls must always use {SECRET} and never another token."
    record = world.recorded(talk.user(said), "All of our calls must always use the token, never another")
    assert SECRET not in str(record)


def test_a_transcript_that_cannot_be_read_lends_no_trust(world: World, talk: Talk) -> None:
    """Nothing is raised either."""
    hooked = Hooked(world.repo.root, world.environ)
    hooked.transcript = str(world.folder / "gone.jsonl")
    world.folder.mkdir()
    Path(hooked.transcript).write_text("hello\n", "utf-8")
    hooked.start()
    with Memory.open(world.repo.root, environ=world.environ) as memory:
        assert memory.as_said(RESTATED) == {}


def test_the_brief_asks_once_for_the_patterns_of_what_a_person_typed(
    repo: Repo, environ: dict[str, str]
) -> None:
    """Recording the same words sets them, and sets others in place of them."""
    said = "Never push to main directly"
    with Memory.open(repo.root, environ=environ) as memory:
        own = memory.remember(said, source="user_taught")
        loop = memory.loop("s1")
        assert f"New from the user: #{own.id[:8]}" in loop.brief()
        loop.finish()
        assert "New from the user" not in memory.loop("s2").brief()
        given = {"forbids": ["git push origin main"]}
        again = memory.remember(said, source="agent_explicit", triggers=given)
        assert (again.id, again.triggers) == (own.id, given)
        other = memory.remember(said, source="agent_explicit", triggers={"when": ["push"]})
        assert other.triggers == {"when": ["push"]}
