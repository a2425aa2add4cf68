"""Contradictions and dead ends."""

from __future__ import annotations

from typing import Any

from remora.core.payloads import validate
from remora.core.values import Taint
from remora.observer.candidate import Candidate, Rejected
from remora.observer.corrections import corrections
from tests.observer.sessions import seen_of, session, shows


def of(**fields: Any) -> list[Candidate | Rejected]:
    """Return what a session proposes."""
    one = session(**fields)
    return list(corrections(one, seen_of(one)))


def correction(kind: str, **detail: str) -> list[Candidate | Rejected]:
    """Return what a session proposes that showed one self-correction."""
    return of(signals=(shows("self_correction", "k", detail={"kind": kind, **detail}),))


def test_what_the_agent_takes_back_is_no_memory() -> None:
    """It is evidence for a language model; alone it says little to the next reader."""
    (found,) = correction("belief", sentence="Actually, `huh` reads `/dev/tty`, not the standard input")
    assert isinstance(found, Rejected)
    assert found.why == "the agent corrected itself"


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
