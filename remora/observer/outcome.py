"""The kind and the outcome of a session, inferred from its facts unless they are given.

The kind follows the actions, not the words: a session that changed code is a build, whatever its first
prompt was. Words only tell a review, which reads and answers as an insights session does.

The outcome is that of the last check (test, lint or build) after the last change, or of a commit after it.
Without either, a session that ends with a reply is a success unless an error stayed open, and a session that
ends without one was abandoned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from remora.core.text import shorten
from remora.observer.errors import Run
from remora.observer.timeline import Timeline

QUOTE = 80  # characters of a text that is quoted as evidence
CHECKS = ("test", "lint", "build")
REVIEW_EDITS = 3  # files that a review may change

_PLAN_PATH = re.compile(
    r"(^|/)(plans?|specs?|rfcs?|adrs?|proposals?|todos?|design|brainstorms?)/|(^|[/._-])(plan|spec|prd|rfc"
    r"|adr)"
    r"([._-][^/]{0,200})?\.(md|txt|rst)$",
    re.IGNORECASE,
)
_CHANGELOG_PATH = re.compile(
    r"(^|/)(change-?log|changes|history|news|release[-_]?notes?)[^/]*$", re.IGNORECASE
)
_ROADMAP_PATH = re.compile(r"(^|/)[^/]*(roadmap|milestones?|backlog)[^/]*$", re.IGNORECASE)
_REVIEW = re.compile(
    r"\A\W*+[\w:-]*\breview\b|\b(can|could|would) you (please )?(\w+ ){0,2}review\b|\blet'?s review\b"
    r"|\bplease review\b|\bare reviewing\b|\bcode review\b|\breview (the|this|my|these|pr|pull)\b",
    re.IGNORECASE,
)


class Judgement(NamedTuple):
    """The kind and the outcome of a session with the evidence in words.

    `kind` is one of SESSION_KINDS, `outcome` one of OUTCOMES.
    """

    kind: str
    kind_why: str
    outcome: str
    outcome_why: str


def infer(facts: Timeline, open_errors: Sequence[tuple[int, str]] = ()) -> Judgement:
    """Return the kind and the outcome of a session with the evidence in words.

    Args:
        facts: the timeline of the session.
        open_errors: step and message of the errors never followed by a success, in order.
    """
    return Judgement(*_kind(facts), *_outcome(facts, open_errors))


def _kind(facts: Timeline) -> tuple[str, str]:
    paths = facts.edits
    # A host command that starts a review is not a prompt; the last reply then names the review.
    asked = _asked_for_review([said.text for said in facts.prompts[:1] or facts.replies[-1:]])
    planning = bool(paths) and all(map(_PLAN_PATH.search, paths))
    if paths and all(map(_CHANGELOG_PATH.search, paths)):
        return "changelog", f"it changed only {_named(paths)}"
    if paths and all(map(_ROADMAP_PATH.search, paths)):
        return "roadmap", f"it changed only {_named(paths)}"
    if asked and (planning or len(paths) <= REVIEW_EDITS):
        return "pr_review", f"the user asked for a review ({asked}) and it changed {len(paths)} files"
    if planning:
        return "spec_creation", f"it wrote only plans: {_named(paths)}"
    if paths:
        return "build", f"it changed {_named(paths)}"
    runs = sum(1 for run in facts.commands if run.purpose != "look")
    looks = sum(facts.actions.get(action, 0) for action in ("read", "search", "glob", "fetch"))
    if runs >= 2 and runs > looks:
        return "terminal", f"it ran {runs} commands and changed no file"
    return "insights", f"it looked {looks} times and changed no file"


def _asked_for_review(texts: Sequence[str]) -> str:
    return next((f"“{shorten(text, QUOTE)}”" for text in texts if _REVIEW.search(text[:400])), "")


def _outcome(facts: Timeline, open_errors: Sequence[tuple[int, str]]) -> tuple[str, str]:
    edited = facts.last_edit or 0
    checks = [run for run in facts.commands if run.purpose in CHECKS]
    after = [run for run in checks if run.step >= edited] if facts.edits else []
    commits = [run.step for run in facts.commands if _is_commit(run) and run.step >= edited]
    if after:
        last = shorten(after[-1].normal, QUOTE)
        if not after[-1].failed:
            return "success", f"`{last}` passed after the last change"
        if commits and commits[-1] > after[-1].step:
            return "success", "a commit was made after the last check"
        if not all(run.failed for run in after):
            return "unknown", f"`{last}` failed at the end, other checks passed"
        return "failure", f"`{last}` failed after the last change and never passed again"
    if commits:
        return "success", "a commit was made after the last change"
    if facts.last_kind != "reply":
        return "abandoned", f"it ends without a reply (“{_last_prompt(facts)}”)"
    errors = [message for step, message in open_errors if step >= edited]
    if errors and facts.edits:
        return "unknown", f"an error stayed open (“{shorten(errors[-1], QUOTE)}”)"
    if facts.edits and checks and checks[-1].failed:
        failed = shorten(checks[-1].normal, QUOTE)
        return "unknown", f"`{failed}` failed, and nothing was checked after the change"
    return "success", f"it ends with a reply after {facts.steps} steps, and no error stayed open"


def _is_commit(run: Run) -> bool:
    return run.purpose == "vcs" and not run.failed and "git commit" in run.normal


def _last_prompt(facts: Timeline) -> str:
    return shorten(facts.prompts[-1].text, QUOTE) if facts.prompts else ""


def _named(paths: Mapping[str, int]) -> str:
    """Return the two paths with most changes and the number of the others, in words."""
    most = sorted(paths, key=lambda path: -paths[path])[:2]
    more = f" and {len(paths) - 2} more" if len(paths) > 2 else ""
    return ", ".join(f"`{path}`" for path in most) + more
