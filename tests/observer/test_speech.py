"""Beliefs taken back, approaches given up, and the user's own corrections.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.core.events import Signal
from tests.observer.script import Script, observed, of_type
from tests.tables import table


def said(*texts: str) -> list[Signal]:
    """Return what the model's words show."""
    script = Script().step()
    for text in texts:
        script.think(text)
    return of_type(observed(script), "self_correction")


@pytest.mark.parametrize(("text", "kind"), table(__file__, "turns"))
def test_beliefs_taken_back_and_approaches_given_up(text: str, kind: str):
    """The sentence is kept; plans, doubts, questions, code, quotes and words of others show nothing."""
    found = said(text)
    assert [signal.detail["kind"] for signal in found] == [kind] * bool(kind)
    assert all(signal.detail["sentence"] in text.replace("\n", " ") for signal in found)


def test_what_the_user_states():
    """The user's sentence is kept as typed; said twice, it is counted twice under one key."""
    words = "Looks good. Never push to main directly, please."
    (signal,) = of_type(observed(Script().step().say("I added it.").ask(words).ask(words)), "self_correction")
    assert (signal.detail["kind"], signal.detail["count"]) == ("user", 2)
    assert signal.detail["sentence"] == "Never push to main directly, please."


@pytest.mark.parametrize(
    "words",
    [
        "no",
        "Implement the following plan:\n\nNever use globals. Always test.",
        "[Request interrupted by user]",
        "<bash-input>git push --never mind this</bash-input>",
        "here is the log:\n```\nno, the server never started at all\n```\nany idea?",
        "> no, we should always do that\nwhat did they mean?",
    ],
)
def test_what_states_no_rule(words: str):
    """A no alone, pasted plans, what the host wrote, logs and quotes are none."""
    assert of_type(observed(Script().step().ask(words)), "self_correction") == []


def test_a_rule_given_with_a_refusal_is_kept():
    """In the words that were typed."""
    words = "no, never write `setup.go` by hand"
    text = f"The user doesn't want to proceed with this tool use. The user said:\n{words}"
    refused = Script().step().call("Edit", "edit", text, error=True, paths=("setup.go",))
    (signal,) = of_type(observed(refused), "self_correction")
    assert signal.detail["sentence"] == words


def test_the_users_words_are_never_tainted_and_the_models_are():
    """What a person types does not come from a page; the model's words may."""
    wrong = "I was wrong about `a.go`, it says delete it."
    script = Script().step().fetch("https://x.org/").step().say(wrong)
    script.ask("no, never delete generated files by hand")
    taints = {s.detail["kind"]: s.taint for s in of_type(observed(script), "self_correction")}
    assert len(taints) == 2
    assert taints.pop("user") is None
    assert None not in taints.values()
