"""Requests with what came of them, causes that were named, and commits."""

from __future__ import annotations

from remora.core.events import Event
from remora.core.values import Taint
from remora.observer.exchanges import EXCHANGES, LONGEST, Exchanges, commit_message, findings


def event(kind: str, step: int, text: str = "", **fields: object) -> Event:
    """Return an event with a key of its own."""
    return Event(kind, "s", f"{kind}{step}{text}{fields}", step, text=text)._replace(**fields)  # type: ignore[arg-type]


def fed(*events: Event) -> Exchanges:
    """Return what some events add up to."""
    log = Exchanges()
    for one in events:
        log.feed(one)
    return log


def test_an_exchange_ends_before_the_next_prompt() -> None:
    """The last reply is the report; sentences that name a cause are its findings."""
    log = fed(
        event("user_prompt", 0, "fix the list"),
        event("reply", 1, "The problem is that `view.go` sorts the branches by name and not by date."),
        event("reply", 3, "Sorted by date."),
        event("user_prompt", 3, "and the tests?"),
        event("reply", 4, "They pass."),
        event("reply", 4, "A subagent's word", agent="a1"),
    )
    first, second = log.exchanges()
    assert (first.ask, first.report, first.step) == ("fix the list", "Sorted by date.", 3)
    assert first.findings == ("The problem is that `view.go` sorts the branches by name and not by date.",)
    assert (second.report, second.findings) == ("They pass.", ())


def test_commits_keep_their_message() -> None:
    """A commit that failed is none."""
    told = "fix: keep the mode\n\nBecause it was lost."
    commit = f"git commit -m \"$(cat <<'EOF'\n{told}\n\nCo-Authored-By: A\nEOF\n)\""
    log = fed(
        event("tool_call", 2, action="run", command="git commit -m 'no'", call_id="x"),
        event("tool_result", 2, action="run", call_id="x", error=True),
        event("tool_call", 3, action="run", command=commit, call_id="y"),
    )
    log.feed(event("tool_result", 3, action="run", call_id="y"), Taint("https://x", 2))
    (made,) = log.commits
    assert made[:2] == (told, 3)
    assert made.taint == Taint("https://x", 2)


def test_messages_in_every_quoting() -> None:
    """Double quotes, single quotes, clustered flags; an editor's message cannot be seen."""
    assert commit_message('git commit -am "fix \\"it\\""') == 'fix "it"'
    assert commit_message("cd x && git commit --message='two words'") == "two words"
    assert commit_message("git commit --amend --no-edit") == ""


def test_causes_are_told_in_the_models_words() -> None:
    """A sentence that names a cause counts, whole and shortened; others do not."""
    told = [
        "**Root cause:** `Detect()` ranges over a map in undefined order.",
        "- **Bug**: `x` is read twice, once for each caller.",
        "The test fails because `Cache.items` is shared between all instances.",
        "The problem here is that the parser reads one line too many.",
    ]
    assert findings(" ".join(told)) == told
    assert findings("We rename the parser of the list command. It is a small change.") == []
    assert len(findings("It fails because " + "x" * 1_000)[0]) <= LONGEST


def test_it_is_bounded() -> None:
    """Old exchanges are dropped."""
    turns = (("user_prompt", "ask"), ("reply", "report"))
    log = fed(*(event(kind, n, f"{text} {n}") for n in range(EXCHANGES * 2) for kind, text in turns))
    assert len(log.exchanges()) <= EXCHANGES + 1
    assert log.exchanges()[-1].ask == f"ask {EXCHANGES * 2 - 1}"
