"""Beliefs taken back, approaches given up, and the user's own corrections.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.core.events import Signal
from tests.observer.script import Script, observed, of_type, watching


def said(*texts: str) -> list[Signal]:
    """Return what the model's words show."""
    script = Script().step()
    for text in texts:
        script.think(text)
    return of_type(observed(script), "self_correction")


BELIEFS = [
    # 880d23f9
    "I made a mistake earlier - I was thinking of Claude Code's logging convention.",
    # 880d23f9
    "Why that variable? I incorrectly referenced Claude Code's env var.",
    # 0276a600
    "Actually no - `omitempty` on a slice means it's omitted only if the slice is nil, not when it is empty.",
    # 48f428f9
    "Wait, that doesn't sound right - `homebrew_casks` is for macOS apps (.app bundles), not CLI tools.",
    # 0276a600
    "Wait, that won't work either - the `entire` command needs to run in the test repo, not in the CLI.",
    # 3a782158
    'I had it backwards - I said "upper bound" meaning the ceiling, but actually it is the floor.',
    "I was wrong about the cache. It is actually written by `store.Save`.",
    "Let me check.\n\nI initially thought the hook ran twice, but it only runs once.",
    "Correction: the port is read from config.toml and not from the environment.",
    "Let me reconsider. The file `a.go` is not read by the server.",
]


@pytest.mark.parametrize("text", BELIEFS)
def test_a_belief_that_is_taken_back(text: str):
    """The sentence is kept, and what follows it."""
    (signal,) = said(text)
    assert signal.detail["kind"] == "belief"
    assert signal.detail["sentence"] in text.replace("\n", " ")


NO_BELIEFS = [
    "Actually, let me look at the code in `a.go` instead of guessing.",
    "Actually, I should add more verbose output and not guess.",
    "Actually, looking at `list/view.go`, this is fine.",
    "Wait, let me check if filesTouched is actually populated.",
    "Wait, there's a change in hook_registry.go that shouldn't be there.",
    "Wait, is `a.go` not used?",
    "We await `fetchUser()`, not `getUser()`; await, not `then`.",
    "The caller has to wait, `a.go` is not ready.",
    "```\nActually, `a.go` is not read by b.go at all.\n```",
    "> Actually, `a.go` is not read by b.go at all.",
    "It is actually `a.go` and not b.go.",
    "Actually, that is not good.",
    "I was wrong.",
    "I initially thought so.",
]


@pytest.mark.parametrize("text", NO_BELIEFS)
def test_what_is_no_belief_taken_back(text: str):
    """Plans, doubts, questions, `await`, code, quotes, words inside a sentence and bare words are none."""
    assert [s for s in said(text) if s.detail["kind"] == "belief"] == []


@pytest.mark.parametrize(
    "text",
    [
        "This approach won't work because the hook runs before the commit.",
        "I see.\nThe suffix approach doesn't solve this edge case either - it just creates branches.",
        "I need to abandon this; the library has no such call.",
        "The script hangs. Let me try a different approach - write to a file instead of stderr.",
        "That didn't work. The branch is checked out elsewhere.",
        "The clipboard is not available in this environment.",
        "The spec says ids are stable. This approach won't work because ids change here.",
        'I set "mode" to "fast". That didn\'t work. The branch is checked out elsewhere.',
        "I ran it: this approach doesn't work, the hook runs first.",
    ],
)
def test_an_approach_that_is_given_up(text: str):
    """Dead ends are kept with what stands before and after."""
    assert [s.detail["kind"] for s in said(text)] == ["dead_end"]


@pytest.mark.parametrize(
    "text",
    [
        "Let me try a different grep to find the types.",
        "The current approach is not using the Agent interface.",
        "This approach works.",
        '"this approach won\'t work" is what the log says',
        "I think the approach that doesn't work is the other one.",
        "The user said: That didn't work. I will look at the log.",
        "The user reported that the page hangs. That didn't work for them.",
        "They tried the flag. That didn't work, they say.",
        "The user wrote:\n\nThis approach won't work because the hook runs before the commit.",
        'The docs say: "Use hooks. This approach does not work on Windows."',
        "The README states that hooks are unavailable in CI.",
        "According to the docs, the clipboard is not available in production.",
        "The comment explains: this approach will not scale beyond one host.",
    ],
)
def test_what_is_no_dead_end(text: str):
    """Another search, descriptions, quotes and what others said are none."""
    assert said(text) == []


RULES = [
    "use httpx instead of requests in new code",
    "please always run the formatter before you commit",
    "Looks good. Never push to main directly, please.",
    "from now on write commit messages in English",
    "Remember that the API runs on port 8081",
]


@pytest.mark.parametrize("words", RULES)
def test_what_the_user_states(words: str):
    """The user's words are kept as typed, with what the model said before them."""
    (signal,) = of_type(observed(Script().step().say("I added it.").ask(words)), "self_correction")
    assert (signal.detail["kind"], signal.detail["words"]) == ("user", words)
    assert signal.detail["before"] == "I added it."


@pytest.mark.parametrize(
    "words",
    [
        "no",
        "no.",
        "no, then it's good",
        "yes",
        "what does io.Discard do?",
        "no problem, go on with it",
        "can you look at the tests we have?",
        "don't worry about the lint errors",
        "do we always need to check this?",
        "that is wrong, look again at the trailers",
        "I said to leave the tests alone",
        "I don't know how to reproduce it",
        "Implement the following plan:\n\nNever use globals. Always test.",
        "[Request interrupted by user]",
        "<bash-input>git push --never mind this</bash-input>",
        "here is the log:\n```\nno, the server never started at all\n```\nany idea?",
        "> no, we should always do that\nwhat did they mean?",
    ],
)
def test_what_states_no_rule(words: str):
    """Yes and no, questions, complaints, pasted plans, logs and quotes are none."""
    assert of_type(observed(Script().step().ask(words)), "self_correction") == []


def refusal(words: str) -> Script:
    """Return a session in which the user refuses a change with these words."""
    text = f"The user doesn't want to proceed with this tool use. The user said:\n{words}"
    return Script().step().call("Edit", "edit", text, error=True, paths=("setup.go",))


def test_a_rule_given_with_a_refusal_is_kept():
    """With what was refused."""
    words = "no, never write `setup.go` by hand"
    (signal,) = of_type(observed(refusal(words)), "self_correction")
    assert (signal.detail["sentence"], signal.detail["path"]) == (words, "setup.go")


@pytest.mark.parametrize(
    "words", ["why not adding .entire/.gitignore?", "hang on a sec, I'll get you the log file", "yes"]
)
def test_a_refusal_that_only_asks_is_none(words: str):
    """Questions and pauses change what happens next, and teach nothing."""
    assert of_type(observed(refusal(words)), "self_correction") == []


def test_the_same_correction_is_one_signal():
    """Said twice, it is counted twice under one key."""
    words = "please always run the formatter before you commit"
    (signal,) = of_type(observed(Script().step().ask(words).step().ask(words)), "self_correction")
    assert signal.detail["count"] == 2


def test_the_users_words_are_never_tainted_and_the_models_are():
    """What a person types does not come from a page; the model's words before them may, and are left out."""
    script = (
        Script().step().fetch("https://x.org/").step().say("I was wrong about `a.go`, it says delete it.")
    )
    script.ask("no, never delete generated files by hand")
    user, model = sorted(
        of_type(observed(script), "self_correction"), key=lambda s: s.detail["kind"], reverse=True
    )
    assert (user.detail["kind"], user.taint, user.detail["before"]) == ("user", None, "")
    assert model.taint is not None


def test_a_correction_is_acute():
    """It is told at once, and once."""
    observer = watching(Script().step().ask("no, never call the session commands from a hook"))
    assert [s.type for s in observer.acute()] == ["self_correction"]
    assert observer.acute() == []


def test_a_text_of_a_megabyte_is_looked_at_in_bounded_time():
    """Only both ends are read."""
    assert of_type(observed(Script().step().ask("x " * 500_000)), "self_correction") == []
    assert said("y. " * 400_000) == []
