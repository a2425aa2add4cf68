"""Kind and outcome of a session, judged from its facts."""

from __future__ import annotations

from typing import Any

import pytest

from remora.observer.outcome import Judgement, infer
from remora.observer.timeline import Edited, OpenError, Ran, Said, Timeline


def judged(*edits: str, ask: str = "add a flag", reply: str = "Added the flag.", **fields: Any) -> Judgement:
    """Judge a session that was asked once, changed files at step 5 and reported at step 9."""
    open_end = {name: fields.pop(name) for name in ("planned", "done", "open_errors") if name in fields}
    facts = Timeline()
    facts.prompts, facts.replies = [Said(ask, 0)], [Said(reply, 9)] if reply else []
    facts.edits, facts.last_edit = [Edited(path, 5) for path in edits], 5 if edits else None
    facts.last, facts.actions, facts.last_kind = 9, {"read": 4}, "reply"
    for name, value in fields.items():
        setattr(facts, name, value)
    return infer(facts, **open_end)


def check(step: int, *, failed: bool, command: str = "make test", purpose: str = "test") -> Ran:
    """Return a run of a check."""
    return Ran(command, command, purpose, step, failed)


PASSED, FAILED = check(7, failed=False), check(7, failed=True)
BEFORE = check(3, failed=True)  # the change, which is at step 5
COMMITTED = Ran("git commit -m x", "git commit", "vcs", 8, False)
STOPPED = {"interrupted": 1, "last_kind": "interruption", "prompts": (Said("x", 9),)}


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
        ({"open_errors": (OpenError("undefined: x", 8),)}, "unknown", "undefined: x"),
        ({"open_errors": (OpenError("string not found", 8, harness=True),)}, "success", "report"),
        ({"commands": (BEFORE,)}, "unknown", "`make test` failed, and nothing was checked after"),
        ({"commands": (check(2, failed=True), check(3, failed=False))}, "success", "report"),
        ({"planned": 6, "done": 2}, "unknown", "2 of 6 planned"),
        ({"planned": 6, "done": 5}, "success", "report"),
        ({"reply": "", "last_kind": "tool_call"}, "abandoned", "never answered"),
        ({"last_kind": "tool_call"}, "abandoned", "in the middle of a call"),
        (STOPPED, "abandoned", "stopped it"),
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


@pytest.mark.parametrize(
    ("edits", "fields", "outcome", "why"),
    [
        (("a.go",), {"commands": (PASSED,)}, "success", "passed after the last change"),
        (("a.go",), {"commands": (FAILED,)}, "failure", "failed after the last change"),
        (("a.go",), {}, "success", "a completed turn and no open error"),
        (("a.go",), {"commands": (BEFORE,)}, "unknown", "nothing was checked after the change"),
        ((), {}, "success", "a completed turn after 9 steps"),
        ((), {"last_kind": "user_prompt"}, "abandoned", "got no answer"),
        (("a.go",), {"stopped": None}, "abandoned", "never answered"),
    ],
)
def test_a_host_that_does_not_tell_the_answers(edits, fields, outcome, why) -> None:
    """The end of a turn is an answer of which nobody knows the words."""
    found = judged(*edits, **{"reply": "", "stopped": 9, **fields})
    assert (found.outcome, why in found.outcome_why) == (outcome, True), found


def test_reading_and_answering_is_a_success() -> None:
    """A session without changes succeeds when it ends with an answer, and only then."""
    assert judged().outcome == "success"
    unanswered = judged(prompts=(Said("why?", 0), Said("and now?", 9)), last_kind="user_prompt")
    assert unanswered.outcome == "abandoned"
    assert infer(Timeline()).outcome == "abandoned"
