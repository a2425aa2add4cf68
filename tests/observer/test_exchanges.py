"""Requests with what came of them, causes that were named, and commits."""

from __future__ import annotations

from remora.core.values import Taint
from remora.observer.exchanges import EXCHANGES, LONGEST, commit_message, findings
from tests.observer.script import Script, observed

CAUSE = "The problem is that `view.go` sorts the branches by name and not by date."


def test_an_exchange_ends_before_the_next_prompt() -> None:
    """The last reply is the report; sentences that name a cause are its findings."""
    script = Script().ask("fix the list").step().say(CAUSE).step(2).say("Sorted by date.")
    script.ask("and the tests?").step().say("They pass.")
    subagent = Script(agent="a1").step(4).say("A subagent's word")
    first, second = observed(script, subagent).exchanges
    assert (first.ask, first.report, first.step) == ("fix the list", "Sorted by date.", 3)
    assert first.findings == (CAUSE,)
    assert (second.report, second.findings) == ("They pass.", ())


def test_commits_keep_their_message() -> None:
    """A commit that failed is none."""
    told = "fix: keep the mode\n\nBecause it was lost."
    commit = f"git commit -m \"$(cat <<'EOF'\n{told}\n\nCo-Authored-By: A\nEOF\n)\""
    script = Script().step().run("git commit -m 'no'", error=True).fetch("https://x")
    (made,) = observed(script.step(2).run(commit)).commits
    assert made[:2] == (told, 3)
    assert made.taint == Taint("https://x", 1)


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
    script = Script()
    for n in range(EXCHANGES * 2):
        script.ask(f"ask {n}").step().say(f"report {n}")
    found = observed(script).exchanges
    assert len(found) <= EXCHANGES + 1
    assert found[-1].ask == f"ask {EXCHANGES * 2 - 1}"
