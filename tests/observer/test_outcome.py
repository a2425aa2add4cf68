"""Kind and outcome of a session, judged from its facts."""

from __future__ import annotations

from typing import Any

import pytest

from remora.observer.errors import Run
from remora.observer.outcome import Judgement, infer
from remora.observer.timeline import Said, Timeline


def judged(*edits: str, ask: str = "add a flag", reply: str = "Added the flag.", **fields: Any) -> Judgement:
    """Judge a session that was asked once, changed files at step 5 and reported at step 9."""
    open_errors = fields.pop("open_errors", ())
    facts = Timeline()
    facts.prompts, facts.replies = [Said(ask, 0)], [Said(reply, 9)] if reply else []
    facts.edits, facts.last_edit = dict.fromkeys(edits, 1), 5 if edits else None
    facts.last, facts.actions, facts.last_kind = 9, {"read": 4}, "reply"
    for name, value in fields.items():
        setattr(facts, name, value)
    return infer(facts, open_errors)


def check(step: int, *, failed: bool, command: str = "make test", purpose: str = "test") -> Run:
    """Return a run of a check."""
    return Run(command, purpose, (), (), step, 0, failed, command)


PASSED, FAILED = check(7, failed=False), check(7, failed=True)
BEFORE = check(3, failed=True)  # the change, which is at step 5
COMMITTED = check(8, failed=False, command="git commit", purpose="vcs")


@pytest.mark.parametrize(
    ("edits", "fields", "kind"),
    [
        (("a.go",), {}, "build"),
        ((), {}, "insights"),
        ((), {"actions": {"read": 1}, "commands": (PASSED, PASSED)}, "terminal"),
        (("CHANGELOG.md",), {}, "changelog"),
        (("docs/ROADMAP.md",), {}, "roadmap"),
        (("docs/plans/flag-design.md",), {}, "spec_creation"),
        (("a.go",), {"ask": "can you review the changes in this branch?"}, "pr_review"),
        (tuple(f"{n}.go" for n in range(6)), {"ask": "can you review the changes in this branch?"}, "build"),
        (("todos/1.md",), {"prompts": (), "reply": "## Code review complete"}, "pr_review"),
    ],
)
def test_kind_follows_what_was_done(edits: tuple[str, ...], fields: dict[str, Any], kind: str) -> None:
    """What was changed decides; words only tell apart sessions that did the same."""
    assert judged(*edits, **fields).kind == kind


@pytest.mark.parametrize(
    ("fields", "outcome", "why"),
    [
        ({"commands": (PASSED,)}, "success", "`make test` passed after the last change"),
        ({"commands": (FAILED,)}, "failure", "failed after the last change"),
        ({"commands": (BEFORE, check(8, failed=False))}, "success", "passed"),
        ({"commands": (PASSED, FAILED._replace(normal="make e2e"))}, "unknown", "other checks passed"),
        ({"commands": (COMMITTED,)}, "success", "commit was made"),
        ({"open_errors": ((8, "undefined: x"),)}, "unknown", "undefined: x"),
        ({"commands": (BEFORE,)}, "unknown", "`make test` failed, and nothing was checked after"),
        ({"commands": (check(2, failed=True), check(3, failed=False))}, "success", "a reply"),
        ({"commands": (FAILED, COMMITTED)}, "success", "a commit"),
        ({"last_kind": "tool_call"}, "abandoned", "without a reply"),
        ({"last_kind": "interruption"}, "abandoned", "without a reply"),
    ],
)
def test_outcome_of_a_change_has_evidence(fields: dict[str, Any], outcome: str, why: str) -> None:
    """The first evidence that the facts support decides, and is told."""
    found = judged("a.go", **fields)
    assert (found.outcome, why in found.outcome_why) == (outcome, True), found


def test_work_that_was_checked_needs_no_last_word() -> None:
    """Closed without a reply: the checks after the last change decide, and without one nobody knows."""
    silent: dict[str, Any] = {"reply": "", "last_kind": "tool_result"}
    assert judged("a.go", commands=(PASSED,), **silent).outcome == "success"
    assert judged("a.go", commands=(check(3, failed=False),), **silent).outcome == "abandoned"
    both = (PASSED, check(8, failed=True))
    assert judged("a.go", commands=both, **silent).outcome == "unknown"


def test_reading_and_answering_is_a_success() -> None:
    """A session without changes succeeds when it ends with an answer, and only then."""
    assert judged().outcome == "success"
    unanswered = judged(prompts=(Said("why?", 0), Said("and now?", 9)), last_kind="user_prompt")
    assert unanswered.outcome == "abandoned"
    assert infer(Timeline()).outcome == "abandoned"
