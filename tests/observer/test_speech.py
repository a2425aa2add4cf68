"""Beliefs taken back, approaches given up, and the user's own corrections.

Cases marked with a session are excerpts from sessions of github.com/entireio/cli, MIT.
"""

from __future__ import annotations

import pytest

from remora.core.events import Signal
from remora.observer.speech import correction
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


CORRECTIONS = [
    ("no, we removed the session commands on purpose", "no"),  # 0276a600
    (
        "that is wrong, I can also totally see `Entire-Checkpoint:` trailers in the main branch",
        "that is wrong",
    ),  # 43b2bd6e
    ("no remove this again, the risk someone assumes it's a stable link is to big", "no"),  # 6113e919
    (
        "we should be using the strong types instead of string wherever we can",
        "we should be using",
    ),  # 3cd520f7
    (
        "we don't have `Entire-Session` anymore so this is obsolete. let's remove this too",
        "we don't have",
    ),  # d24899b5
    ("and remember to use pagination", "remember to"),  # 163396cf
    ("prefer subagents to save on the main context", "prefer subagents"),  # b82405ba
    ("I said to leave the tests alone", "i said"),
    ("you forgot the changelog entry again", "you forgot"),
    ("don't use globals here, pass the config instead", "don't use"),
    ("use httpx instead of requests in new code", "use httpx instead of"),
    ("please always run the formatter before you commit", "always run"),
    ("Looks good. Never push to main directly, please.", "never push"),
    ("from now on write commit messages in English", "from now on"),
    ("stop adding comments to every line please", "stop adding"),
    # 19abe528
    (
        "can you update CLAUDE.md that we should always run `mise run fmt` together with `mise run lint`",
        "can you update claude.md",
    ),
]


@pytest.mark.parametrize(("words", "cue"), CORRECTIONS)
def test_what_the_user_corrects(words: str, cue: str):
    """The user's words are kept as typed, with the cue that gave them away."""
    (signal,) = of_type(observed(Script().step().say("I added it.").ask(words)), "self_correction")
    assert (signal.detail["kind"], signal.detail["words"]) == ("user", words)
    assert signal.detail["cue"].endswith(cue.split("update ")[-1]) or signal.detail["cue"].startswith(cue)
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
        "I don't know how to reproduce it",
        "Implement the following plan:\n\nNever use globals. Always test.",
        "[Request interrupted by user]",
        "<bash-input>git push --never mind this</bash-input>",
        "here is the log:\n```\nno, the server never started at all\n```\nany idea?",
        "> no, we should always do that\nwhat did they mean?",
    ],
)
def test_what_is_no_correction(words: str):
    """Yes and no, questions, pasted plans, logs and quotes are none."""
    assert of_type(observed(Script().step().ask(words)), "self_correction") == []


def refusal(words: str) -> Script:
    """Return a session in which the user refuses a change with these words."""
    text = f"The user doesn't want to proceed with this tool use. The user said:\n{words}"
    return Script().step().call("Edit", "edit", text, error=True, paths=("setup.go",))


def test_the_reason_of_a_refusal_is_a_correction():
    """Session 04cd0da1: the words given with a refusal, and what was refused."""
    words = "with entire/sessions we want to be explicit about what deletion means"
    (signal,) = of_type(observed(refusal(words)), "self_correction")
    assert (signal.detail["cue"], signal.detail["words"], signal.detail["path"]) == (
        "refused",
        words,
        "setup.go",
    )


@pytest.mark.parametrize(
    "words", ["why not adding .entire/.gitignore?", "hang on a sec, I'll get you the log file", "yes"]
)
def test_a_refusal_that_only_asks_is_none(words: str):
    """Questions and pauses change what happens next, and teach nothing."""
    assert of_type(observed(refusal(words)), "self_correction") == []


def test_the_model_says_that_the_user_is_right():
    """Session 0276a600: the user's words count, the model's are beside them."""
    script = Script().step().ask("hmm, shouldn't files under .claude be counted as well?")
    script.step().say("You're right - `isMetadataPath` is not needed. Those files are part of the commit.")
    (signal,) = of_type(observed(script), "self_correction")
    assert signal.detail["kind"] == "admitted"
    assert signal.detail["words"] == "hmm, shouldn't files under .claude be counted as well?"


@pytest.mark.parametrize("reply", ["You're right to question this.", "Good point.", "You're right!", "Sure."])
def test_politeness_is_no_admission(reply: str):
    """Without a statement there is nothing to keep."""
    script = Script().step().ask("could we show the commit message there?").step().say(reply)
    assert of_type(observed(script), "self_correction") == []


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
    script.ask("no, never delete files in this repository")
    user, model = sorted(
        of_type(observed(script), "self_correction"), key=lambda s: s.detail["kind"], reverse=True
    )
    assert (user.detail["kind"], user.taint, user.detail["before"]) == ("user", None, "")
    assert model.taint is not None


def test_a_correction_is_acute():
    """It is told at once, and once."""
    observer = watching(Script().step().ask("no, we removed the session commands on purpose"))
    assert [s.type for s in observer.acute()] == ["self_correction"]
    assert observer.acute() == []


def test_a_text_of_a_megabyte_is_looked_at_in_bounded_time():
    """Only both ends are read."""
    assert correction("x " * 500_000) is None
    assert said("y. " * 400_000) == []
