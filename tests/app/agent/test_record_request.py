"""The line that asks the agent to record what a person said: seldom, short, never of what is known."""

from __future__ import annotations

import pytest

from remora import Memory
from remora.app.agent.record_request import ASK, ASKED, EVERY
from remora.core.moments import Reply
from remora.core.tokens import ceil_chars_4
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


def asks(reply: Reply) -> bool:
    """Return whether the agent is asked to record something."""
    return "record_memory" in reply.text


def test_a_rule_is_pointed_out_in_few_words(hooked: Hooked) -> None:
    """One line of at most 40 tokens names the sentence, and the log says that it was said."""
    said = hooked.prompt(f"Add a health route. {RULE}")
    assert asks(said)
    (line,) = (line for line in said.text.splitlines() if "record_memory" in line)
    assert "“All of our servers" in line
    assert ceil_chars_4(line) <= 40
    assert [one["t"] for one in hooked.lines if one.get("t") == ASK] == [ASK]


def test_a_prompt_without_a_rule_asks_nothing(hooked: Hooked) -> None:
    """Requests, questions and what is marked private."""
    private = f"<private>{RULE}</private> Add a route."
    for said in ("Add a health route and a test.", "Does that always work?", private):
        assert not asks(hooked.prompt(said))


def test_at_most_one_prompt_in_five_asks(hooked: Hooked) -> None:
    """Four prompts after the one that was asked about are left alone, whatever they say."""
    found = [asks(hooked.prompt(f"{RULE} Case {number}.")) for number in range(EVERY + 1)]
    assert found == [True, *[False] * (EVERY - 1), True]


def test_what_is_remembered_already_is_not_asked_for(
    hooked: Hooked, repo: Repo, environ: dict[str, str]
) -> None:
    """The same statement in memory, in other words too, settles it."""
    with Memory.open(repo.root, environ=environ) as memory:
        memory.remember(
            "All our servers must be behind the proxy; never open one directly", type="requirement"
        )
    assert not asks(hooked.prompt(RULE))


def test_a_secret_is_not_repeated(hooked: Hooked) -> None:
    """The line shows the sentence without it."""
    said = hooked.prompt(f"All calls must always use {SECRET} and never another token.")
    assert SECRET not in said.text
    assert not any(SECRET in str(line) for line in hooked.lines)


def test_the_setting_turns_it_off(repo: Repo, environ: dict[str, str], hooked: Hooked) -> None:
    """`inject.ask = false`: nobody is asked, and everything else is told as before."""
    quiet = Hooked(repo.root, {**environ, "REMORA_INJECT_ASK": "false"}, session="s2")
    quiet.start()
    assert not asks(quiet.prompt(RULE))
    assert asks(hooked.prompt(RULE))


RESTATED = "Servers must be behind the proxy; never open one directly"


def recorded(repo: Repo, environ: dict[str, str], content: str, *told_at: str) -> MemoryRecord:
    """Record a statement as the tool of an agent does."""
    with Memory.open(repo.root, environ=environ) as memory:
        return memory.remember(content, **memory.as_said(content, told_at))


def test_what_the_agent_records_after_it_is_the_person_s(
    hooked: Hooked, repo: Repo, environ: dict[str, str]
) -> None:
    """With the person's sentence and the session as its origin."""
    assert asks(hooked.prompt(f"Add a health route. {RULE}"))
    record = recorded(repo, environ, RESTATED)
    assert (record.source, record.session_id, record.confidence) == ("user_taught", "s1", 1.0)
    assert (record.origins[0].source, record.origins[0].text) == ("user_taught", RULE)


def test_what_goes_beyond_the_sentence_stays_the_agent_s(
    hooked: Hooked, repo: Repo, environ: dict[str, str]
) -> None:
    """Other names, another matter, an act that nobody spoke of."""
    assert asks(hooked.prompt(f"Add a health route. {RULE}"))
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
    """With `learn.quotes` off the line is said and its sentence is nowhere; a record is the agent's."""
    off = environ | {"REMORA_LEARN_QUOTES": "false"}
    with Memory.open(repo.root, environ=off) as memory:
        memory.remember("The cart is cached per tenant", type="gotcha")
    quiet = Hooked(repo.root, off)
    quiet.start()
    assert asks(quiet.prompt(RULE))
    assert not any(ASKED in line for line in quiet.lines)
    assert recorded(repo, off, RESTATED).source == "agent_explicit"
