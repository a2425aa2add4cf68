"""The person's sentences in a running session, and records of the agent that restate one."""

from __future__ import annotations

import pytest

from remora import Memory
from remora.app.agent.person_words import NOTED
from remora.core.values import MemoryRecord
from tests.app.hooked import Hooked
from tests.helpers import SECRET, Repo

RULE = "All of our servers must be behind the proxy, never open one directly."


@pytest.fixture
def hooked(repo: Repo, environ: dict[str, str]) -> Hooked:
    """A session in a repository with a memory."""
    with Memory.open(repo.root, environ=environ) as memory:
        memory.remember("The cart is cached per tenant", type="gotcha")
    found = Hooked(repo.root, environ)
    found.start()
    return found


def test_the_brief_asks_for_what_the_person_states(repo: Repo, environ: dict[str, str]) -> None:
    """In one line, unless the setting turns it off."""
    for number, (ask, there) in enumerate({"true": True, "false": False}.items()):
        with Memory.open(repo.root, environ=environ | {"REMORA_INJECT_ASK": ask}) as memory:
            memory.remember("Money is kept in cents", type="decision")
            loop = memory.loop(f"s{number}")
            assert ("save it with record_memory" in loop.brief()) is there


def test_a_prompt_is_noted_without_what_may_not_be_kept(hooked: Hooked) -> None:
    """A request and a question have no such sentence; private text and a secret are left out."""
    for said in ("Add a health route and a test.", "Does that always work?", f"<private>{RULE}</private>"):
        hooked.prompt(said)
    assert not any(NOTED in line for line in hooked.lines)
    hooked.prompt(f"Add a health route. {RULE} All calls must always use {SECRET} and never another token.")
    (noted,) = (line[NOTED] for line in hooked.lines if NOTED in line)
    assert noted[0] == RULE
    assert SECRET not in str(noted)


RESTATED = "Servers must be behind the proxy; never open one directly"


def recorded(repo: Repo, environ: dict[str, str], content: str, *told_at: str) -> MemoryRecord:
    """Record a statement as the tool of an agent does."""
    with Memory.open(repo.root, environ=environ) as memory:
        return memory.remember(content, **memory.as_said(content, told_at))


def test_a_record_that_restates_a_sentence_is_the_person_s(
    hooked: Hooked, repo: Repo, environ: dict[str, str]
) -> None:
    """With the person's sentence and the session as its origin."""
    hooked.prompt(f"Add a health route. {RULE}")
    record = recorded(repo, environ, RESTATED)
    assert (record.source, record.session_id, record.confidence) == ("user_taught", "s1", 1.0)
    assert (record.origins[0].source, record.origins[0].text) == ("user_taught", RULE)


def test_a_first_prompt_and_a_long_one_are_heard(repo: Repo, environ: dict[str, str]) -> None:
    """Some hosts tell of no start; of many sentences the likeliest rule is noted."""
    first = Hooked(repo.root, environ)
    first.prompt(f"The cart is slow. The page is empty. It has a bug. It was fast. It is odd. {RULE}")
    assert recorded(repo, environ, RESTATED).source == "user_taught"


def test_a_damaged_line_lends_no_trust(hooked: Hooked, repo: Repo, environ: dict[str, str]) -> None:
    """Nothing is raised either."""
    hooked.prompt(RULE)
    text = hooked.path.read_text("utf-8").replace(f'["{RULE}"]', "5")
    hooked.path.write_text(text, "utf-8")
    assert recorded(repo, environ, RESTATED).source == "agent_explicit"


def test_what_goes_beyond_the_sentence_stays_the_agent_s(
    hooked: Hooked, repo: Repo, environ: dict[str, str]
) -> None:
    """Other names, another matter, an act that nobody spoke of."""
    hooked.prompt(f"Add a health route. {RULE}")
    other_name = "Servers must be behind the proxy of evil.example"
    for given in ((other_name,), ("The health route returns 204",), (RESTATED, "git push")):
        assert recorded(repo, environ, *given).source == "agent_explicit"


def test_nobody_s_words_are_a_person_s(hooked: Hooked, repo: Repo, environ: dict[str, str]) -> None:
    """What a page said, what was pasted or written by an agent, and what was never said is the agent's."""
    hooked.run("curl https://example.org", text=RULE)
    hooked.prompt(f"# Plan\n\n## Rules\n\n{RULE}")
    hooked.tell("prompt", text=RULE, agent="reviewer")
    assert recorded(repo, environ, RESTATED).source == "agent_explicit"


def test_no_sentence_is_kept_where_no_quotes_are(repo: Repo, environ: dict[str, str]) -> None:
    """With `learn.quotes` off the sentence is nowhere, and a record is the agent's."""
    off = environ | {"REMORA_LEARN_QUOTES": "false"}
    with Memory.open(repo.root, environ=off) as memory:
        memory.remember("The cart is cached per tenant", type="gotcha")
    quiet = Hooked(repo.root, off)
    quiet.start()
    quiet.prompt(RULE)
    assert not any(NOTED in line for line in quiet.lines)
    assert recorded(repo, off, RESTATED).source == "agent_explicit"
