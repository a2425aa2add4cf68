"""Requests with what came of them, causes that were named, and commits."""

from __future__ import annotations

import pytest

from remora.core.events import Event
from remora.core.values import Taint
from remora.observer.exchanges import EXCHANGES, Exchanges, commit_message, findings


def event(kind: str, step: int, text: str = "", **fields: object) -> Event:
    """Return an event with a key of its own."""
    return Event(kind, "s", f"{kind}{step}{text}{fields}", step, text=text)._replace(**fields)  # type: ignore[arg-type]


def test_an_exchange_ends_before_the_next_prompt() -> None:
    """The last reply is the report; files changed in between are its paths."""
    log = Exchanges()
    for one in (
        event("user_prompt", 0, "fix the list"),
        event("reply", 1, "The problem is that `view.go` sorts the branches by name and not by date."),
        event("tool_call", 2, action="edit", paths=("view.go",), call_id="c1"),
        event("tool_result", 2, action="edit", call_id="c1"),
        event("tool_call", 2, action="edit", paths=("bad.go",), call_id="c2"),
        event("tool_result", 2, action="edit", call_id="c2", error=True),
        event("reply", 3, "Sorted by date."),
        event("user_prompt", 3, "and the tests?"),
        event("reply", 4, "They pass."),
        event("reply", 4, "A subagent's word", agent="a1"),
    ):
        log.feed(one)
    first, second = log.exchanges()
    assert (first.ask, first.report, first.step, first.paths) == (
        "fix the list",
        "Sorted by date.",
        3,
        ("view.go",),
    )
    assert first.findings == ("`view.go` sorts the branches by name and not by date",)
    assert (second.report, second.paths, second.findings) == ("They pass.", (), ())


def test_commits_keep_their_message_and_files() -> None:
    """A commit that failed is none; the files are those changed since the one before."""
    log = Exchanges()
    told = "fix: keep the mode\n\nBecause it was lost."
    commit = f"git commit -m \"$(cat <<'EOF'\n{told}\n\nCo-Authored-By: A\nEOF\n)\""
    for one in (
        event("tool_call", 1, action="write", paths=("a.go",), call_id="w"),
        event("tool_result", 1, action="write", call_id="w"),
        event("tool_call", 2, action="run", command="git commit -m 'no'", call_id="x"),
        event("tool_result", 2, action="run", call_id="x", error=True),
        event("tool_call", 3, action="run", command=commit, call_id="y"),
    ):
        log.feed(one)
    log.feed(event("tool_result", 3, action="run", call_id="y"), Taint("https://x", 2))
    (made,) = log.commits
    assert made[:2] == (told, 3)
    assert (made.paths, made.taint) == (("a.go",), Taint("https://x", 2))


def test_messages_in_every_quoting() -> None:
    """Double quotes, single quotes, clustered flags; an editor's message cannot be seen."""
    assert commit_message('git commit -am "fix \\"it\\""') == 'fix "it"'
    assert commit_message("cd x && git commit --message='two words'") == "two words"
    assert commit_message("git commit --amend --no-edit") == ""


def test_causes_are_told_in_the_models_words() -> None:
    """Only a sentence that says what the cause is counts."""
    assert findings("**Root cause:** `Detect()` ranges over a map in undefined order.") == [
        "`Detect()` ranges over a map in undefined order"
    ]
    assert findings("- **Bug**: `x` is read twice, once for each caller. More.") == [
        "`x` is read twice, once for each caller"
    ]
    assert findings("We met a known problem: nobody reads `x` after it was written.") == []
    assert findings("I think the problem is somewhere in the parser of the list command.") == []


SHARED = "`Cache.items` is shared between all instances of the class"


@pytest.mark.parametrize(
    "text",
    [
        f"I found the root cause: {SHARED}.",
        f"I've found the bug: {SHARED}. Let me fix it.",
        f"Found the problem! {SHARED}.",
        f"I see the problem now. {SHARED}. Let me fix it.",
        f"The test fails because {SHARED}.",
        f"This import in `a.py` fails because {SHARED}.",
    ],
)
def test_causes_that_are_led_in_otherwise(text: str) -> None:
    """After a colon, after the sentence that announces it, after what fails."""
    assert findings(text) == [SHARED]


@pytest.mark.parametrize(
    "text",
    [
        "I see the problem now. Let me look at `issue()` and at what it does with local time.",
        "I found the issue. The tests expect the output of `list` to be sorted by the date.",
        f"These tests will fail because {SHARED}.",
        f"The test would fail because {SHARED}.",
        "The tests fail because they expect the old name of `entire` in all of the branches.",
    ],
)
def test_what_is_announced_may_be_no_cause(text: str) -> None:
    """Plans, expectations of tests and what would happen are none."""
    assert findings(text) == []


def test_a_cause_that_lies_in_something_keeps_its_subject() -> None:
    """What stands after the place is about the place."""
    told = "The bug is in `place()`: it rounds the price before it multiplies by the quantity"
    assert findings(f"Found it! {told}. Let me fix it.") == [told]


def test_it_is_bounded_and_survives_a_checkpoint() -> None:
    """Old exchanges are dropped; what is kept reads back equal."""
    log = Exchanges()
    for n in range(EXCHANGES * 2):
        log.feed(event("user_prompt", n, f"ask {n}"))
        log.feed(event("reply", n, f"report {n}"))
    again = Exchanges.from_json(log.to_json())
    assert len(log.exchanges()) <= EXCHANGES + 1
    assert again.exchanges() == log.exchanges()
    assert log.exchanges()[-1].ask == f"ask {EXCHANGES * 2 - 1}"
