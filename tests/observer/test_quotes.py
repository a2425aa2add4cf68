"""What a person says in a session: which sentences are kept, and whose they are."""

from __future__ import annotations

import pytest

from remora.observer.quotes import LONGEST, MOST, sentences
from tests.observer.script import Script, observed

LASTING = "The staging database is read only for us."


def kept(script: Script) -> list[tuple[str, str]]:
    """Return the quotes of a session, each with what it answers."""
    return [(quote.text, quote.answers) for quote in observed(script).quotes]


@pytest.mark.parametrize(
    "said",
    [
        "Is the staging database read only for us?",
        "the build is still failing with the same error",
        "    at Object.<anonymous> (/srv/app/index.js:10:5)",
        "<system-reminder>The staging database is read only for us.</system-reminder>",
        f'<teammate-message from="lead">\n{LASTING}\n</teammate-message>',
        "# Plan\n\nThe staging database is read only for us.\n\n## Steps\n\nAll of them must run.",
        f"```\n{LASTING}\n```",
        f"> {LASTING}",
        "x is " + "very " * LONGEST,
    ],
)
def test_what_is_of_the_moment_or_no_persons_is_left_out(said: str) -> None:
    """Questions, requests, complaints, output, what hosts and agents wrote, quotations."""
    assert sentences(said) == []


@pytest.mark.parametrize(
    "said",
    [
        LASTING,
        "Вся схема должна быть в одном файле.",
        "所有接口都必须写测试。",
    ],
)
def test_what_may_last_is_kept_verbatim(said: str) -> None:
    """Statements of what is, has to be, or is never done, in any language."""
    assert sentences(f"Rename the helper.\n- {said}") == [said]


def test_a_quote_has_what_it_answers() -> None:
    """The end of the reply before it stands beside a sentence; a pasted piece of that reply is no quote."""
    reply = "All tests pass. Shall I seed the database?"
    said = "All tests pass. No, the seeds are never run twice."
    found = kept(Script().ask("Fix it.").say(reply).ask(said))
    assert found == [("No, the seeds are never run twice.", reply)]


def test_answers_and_reasons_of_a_refusal_are_quotes() -> None:
    """What a person chose when asked, and why a call was refused, are the person's words."""
    refused = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to "
        "proceed, the user said:\nWe never run migrations against production by hand."
    )
    chosen = 'User has answered your questions: "Which database?"="Postgres". You can go on.'
    found = kept(Script().call("AskUserQuestion", "other", chosen).run("make migrate", refused, error=True))
    assert ("Postgres", "Which database?") in found
    assert [text for text, _ in found][1:] == ["We never run migrations against production by hand."]


def test_subagents_are_told_nothing_by_a_person() -> None:
    """A prompt within a subagent is the agent's."""
    assert kept(Script(agent="a1").ask(LASTING)) == []


def test_each_sentence_is_kept_once_and_a_session_keeps_so_many() -> None:
    """A sentence said again in the session is one quote; the newest are kept."""
    script = Script().ask(LASTING).ask(LASTING)
    assert kept(script) == [(LASTING, "")]
    for n in range(MOST + 100):
        script.ask(f"Port {n} is only for tests.")
    found = kept(script)
    assert len(found) == MOST
    assert found[-1][0] == f"Port {MOST + 99} is only for tests."
