"""Causes, corrected beliefs, contradictions and dead ends."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.payloads import validate
from remora.core.values import Taint
from remora.observer.candidate import Candidate, Rejected
from remora.observer.corrections import corrections, fact
from tests.observer.sessions import said, seen_of, session, shows

CAUSE = "go-git doesn't respect the global gitignore (`~/.config/git/ignore`), so it saw an untracked file"


def of(**fields: Any) -> list[Candidate | Rejected]:
    """Return what a session proposes."""
    one = session(**fields)
    return list(corrections(one, seen_of(one)))


def correction(kind: str, **detail: str) -> list[Candidate | Rejected]:
    """Return what a session proposes that showed one self-correction."""
    return of(signals=(shows("self_correction", "k", detail={"kind": kind, **detail}),))


def test_a_cause_that_was_dealt_with_is_told() -> None:
    """The last cause that can be read alone, with the files that were changed."""
    exchange = said("why?", "Fixed.", "git.go", findings=("it is in the test", CAUSE), taint=Taint("/x", 1))
    (found,) = of(exchanges=(exchange,))
    assert isinstance(found, Candidate)
    assert found.draft.content == (
        f"A fault that was found and fixed in `git.go`: {CAUSE}. (seen once, 2026-01-05)"
    )
    assert (found.draft.type, found.draft.related_files, found.draft.taint) == (
        "gotcha",
        ("git.go",),
        Taint("/x", 1),
    )


def test_causes_without_a_change_or_refused_are_left_out() -> None:
    """What was not acted on, or what the user called wrong, proves nothing."""
    assert of(exchanges=(said("why?", "See.", findings=(CAUSE,)),)) == []
    refused = (
        said("why?", "Fixed.", "git.go", findings=(CAUSE,)),
        said("that is wrong, it still fails", "Hm."),
    )
    assert of(exchanges=refused) == []


def test_a_fix_that_the_session_took_back_is_none() -> None:
    """Session de1ed521: changed back later; not changed again before it was told, nor another file."""
    exchange = said("why?", "Fixed.", "git.go", findings=(CAUSE,), step=14)
    for tried, after, path, kept in (
        (11, 15, "git.go", False),
        (11, 3, "git.go", True),
        (20, 9, "git.go", True),
        (11, 15, "other.go", True),
    ):
        back = shows("backtrack", path, tried, paths=(path,), detail={"after_steps": after})
        found = next(f for f in of(exchanges=(exchange,), signals=(back,)) if CAUSE[:40] in str(f))
        assert isinstance(found, Candidate) == kept
        assert kept or found.why == "the session took it back"


def test_a_cause_that_is_dealt_with_once_the_user_agrees() -> None:
    """What was named where nothing was changed is told with what the next exchange changed, no later one."""
    named = said("why?", "That is why.", findings=(CAUSE,), taint=Taint("/x", 1))
    (found,) = of(exchanges=(named, said("ok, do it", "Fixed.", "git.go")))
    assert isinstance(found, Candidate)
    assert found.draft.content.startswith(f"A fault that was found and fixed in `git.go`: {CAUSE}.")
    assert found.draft.taint == Taint("/x", 1)
    later = (named, said("what about the docs?", "They are fine."), said("add a flag", "Added.", "cli.go"))
    assert of(exchanges=later) == []
    assert of(exchanges=(named, said("no, that is wrong", "Hm.", "git.go"))) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("`a.go:12-30` in **`Detect()`** ranges over a map", "`a.go` in `Detect()` ranges over a map."),
        ("`retry: 1` on line 31 is no field of the config", "`retry: 1` is no field of the config."),
        (
            "we're counting the lines of `diff.go` as it was",
            "We're counting the lines of `diff.go` as it was.",
        ),
        (
            "both `agent` and `total` ignore removals of lines",
            "Both `agent` and `total` ignore removals of lines.",
        ),
        (
            "`Detect()` ranges over a map of undefined order",
            "`Detect()` ranges over a map of undefined order.",
        ),
        (
            "new files appear as `untracked` since nobody adds them",
            "New files appear as `untracked` since nobody adds them.",
        ),
        ("both Cobra and main.go print every error", ""),
        ("when `ConflictError` came up during the hook, the error was:", ""),
        ("`value` is undefined in the function of the parser", ""),
        ("`store.go` appears to be locked by another process", ""),
    ],
)
def test_causes_in_other_words(text: str, told: str) -> None:
    """Lines of files are left out, what "we" do is what the code does; half a sentence says nothing."""
    assert fact(text, cause=True) == told


@pytest.mark.parametrize(
    "text",
    [
        "`pytest` is not installed in this sandbox",
        "`ruff` isn't installed here, so the hook of `pre-commit` stops",
        "the sandbox does not allow `npm install` to reach the registry",
        "I forgot to import `os` in `src/app.py`",
        "the previous edit removed the `return` of `load()`",
        "your branch `feature/x` is behind `main`",
        "the local checkout lacks the tag `v1.2`, so `git describe` fails",
    ],
)
def test_a_cause_outside_of_the_code_is_no_fault_of_it(text: str) -> None:
    """A slip of the agent's own, its sandbox and the user's working copy are not what is learnt."""
    assert fact(text, cause=True) == ""


@pytest.mark.parametrize(
    "text",
    [
        "`libpq` is not installed in the `Dockerfile` of the worker",
        "The hook isn't installed when `core.hooksPath` is set",
        "Your `load()` never closes the file, so Windows cannot delete it",
        "The container binds `127.0.0.1`, so `docker compose` publishes a port that nobody serves",
        "`Sandbox.run()` drops the environment, so `PATH` is empty in it",
        "`sync()` takes each branch behind `main` as merged",
        "`read()` does blocking I/O in the event loop of `server.py`",
    ],
)
def test_a_cause_in_the_code_is_learnt(text: str) -> None:
    """The same words in a sentence about the code."""
    assert fact(text, cause=True) == f"{text}."


def test_what_we_do_is_no_fact_but_of_a_cause() -> None:
    """Outside of causes "we are" speaks of the work, and an "it" at the end hangs in the air."""
    assert fact("we're counting the lines of `diff.go` as it was") == ""
    assert fact("`store.go` is read before the program opens it") == ""
    assert fact("`store.go` is read before the program opens it", cause=True) != ""


@pytest.mark.parametrize(
    "text",
    [
        "this might be related to the cache in `store.go` and its state",
        "in `sessionHasNewContent` (lines 488-498) and in the two helpers beside",
        "`checkConcurrentSessions` now sets `BaseCommit` when creating warning state",
        "the commit `614cb41` was not created when `prepare-commit-msg` ran there",
        "The core difference is that `auto-commit` has unique ids, so it does not cause the same problem",
        "a missing `errors` import in the `validation/validators.go` file of the change",
        "1. We iterate in `CommitterTime` order over all the branches",
        "My current code compares `HEAD` with the tip of the main branch",
    ],
)
def test_facts_that_lean_on_the_session_are_none(text: str) -> None:
    """Doubts, places, moments and what the model itself just did."""
    assert fact(text) == ""


def test_beliefs_are_told_with_the_right_fact() -> None:
    """Where it says where something is, it is an insight into a module, else a trap."""
    (trap,) = correction(
        "belief", sentence="Actually, `huh` reads `/dev/tty` directly, not the standard input"
    )
    (place,) = correction(
        "belief", sentence="Actually, the retry is handled in `net/http_client.py`, not in the callers"
    )
    (but,) = correction(
        "belief", sentence="I initially thought A, but `omitempty` drops a zero and an empty slice"
    )
    assert isinstance(trap, Candidate)
    assert isinstance(place, Candidate)
    assert isinstance(but, Candidate)
    assert (trap.draft.type, place.draft.type) == ("gotcha", "module_insight")
    assert trap.draft.content.startswith(
        "`huh` reads `/dev/tty` directly, not the standard input. (seen once"
    )
    assert but.draft.content.startswith("`omitempty` drops a zero and an empty slice.")
    assert (trap.draft.confidence, trap.priority, trap.needs) == (0.8, 0.9, 1)


def test_the_users_contradiction_is_kept_in_their_words() -> None:
    """Untainted, whatever was read before; what cannot be read alone is dropped with the reason."""
    signal = shows(
        "self_correction",
        "k",
        detail={"kind": "user", "sentence": "no, never call the `session` commands from a hook"},
        taint=Taint("https://x", 1),
    )
    (kept,) = of(signals=(signal,))
    assert isinstance(kept, Candidate)
    assert (
        kept.draft.content == "Never call the `session` commands from a hook. (said by the user, 2026-01-05)"
    )
    assert kept.draft.taint is None
    (dropped,) = correction("user", sentence="no, do that again please")
    assert isinstance(dropped, Rejected)


def test_a_dead_end_needs_the_approach_and_the_reason() -> None:
    """Its payload has the shape of its type; without a reason there is none."""
    (named,) = correction(
        "dead_end", sentence="The pre-commit approach won't work because amends never run that hook in CI"
    )
    (told,) = correction(
        "dead_end",
        before="First attempt. I tried to attach the logs with `git notes add` on every commit.",
        sentence="That doesn't work.",
        then="`git notes` are not pushed by GitHub, because the refspec leaves them out.",
    )
    (bare,) = correction("dead_end", sentence="Let me try a different approach.", before="Hmm, no output.")
    assert isinstance(named, Candidate)
    assert isinstance(told, Candidate)
    assert isinstance(bare, Rejected)
    assert named.draft.payload is not None
    assert named.draft.payload["approach_tried"] == "pre-commit approach"
    assert told.draft.payload is not None
    assert told.draft.payload["approach_tried"].startswith("I tried to attach the logs with `git notes add`")
    assert told.draft.payload["why_it_failed"].startswith("`git notes` are not pushed")
    for made in (named, told):
        assert made.draft.type == "dead_end"
        assert validate("dead_end", made.draft.payload) == dict(made.draft.payload or {})


def test_a_change_taken_back_waits_for_a_second_session() -> None:
    """It needs a reason, and two sessions."""
    detail = {
        "tried": "x := cache.Get()",
        "why": "The `cache` of the store never expires, so `Get` returns old rows.",
    }
    (found,) = of(signals=(shows("backtrack", "store.go", detail=detail),))
    (mute,) = of(signals=(shows("backtrack", "store.go", detail={**detail, "why": "Add it back."}),))
    assert isinstance(found, Candidate)
    assert (found.draft.type, found.needs, found.seen.sessions) == ("dead_end", 2, 1)
    assert found.why.startswith("the change was taken back (seen once")
    (agreed,) = of(signals=(shows("backtrack", "store.go", detail=detail, agents=2),))
    assert isinstance(agreed, Candidate)
    assert agreed.needs == 1
    assert isinstance(mute, Rejected)
