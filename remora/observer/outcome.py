"""The kind and the outcome of a session, inferred from its facts unless they are given.

The kind follows the actions, not the words: a session that changed code is a build, whatever its first
prompt was. Words only tell a review, which reads and answers as an insights session does.

The outcome is the first of these that the facts support:

    abandoned                 no reply after the last prompt, or the end in the middle of a call; if a host
                              does not record replies, the end of a turn is one. Work that was checked
                              after its last change needs no reply
    stopped by the user       an interruption with no reply after it
    the last check            a test, lint or build after the last change: it passed or it failed
    a commit                  made after the last change
    finished                  a last reply after changes without an open error, or after reading only; an
                              error, then a change, then no check is unknown
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.text import shorten
from remora.observer.timeline import OpenError, Ran, Timeline

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


def infer(
    facts: Timeline, planned: int | None = None, done: int = 0, open_errors: Sequence[OpenError] = ()
) -> Judgement:
    """Return the kind and the outcome of a session with the evidence in words.

    An outcome without evidence is "unknown"; the absence of errors makes a session a success only if it
    ends with a reply.

    Args:
        facts: the timeline of the session.
        planned: number of items in the last plan; None without a plan.
        done: number of them that are completed.
        open_errors: errors never followed by a success, in order.
    """
    kind, kind_why = _kind(facts)
    outcome, outcome_why = _outcome(facts) or _finished(facts, kind, planned, done, open_errors)
    return Judgement(kind, kind_why, outcome, outcome_why)


def _kind(facts: Timeline) -> tuple[str, str]:
    paths = tuple(dict.fromkeys(edit.path for edit in facts.edits))
    # A host command that starts a review is not a prompt; the last reply then names the review.
    asked = _asked_for_review([said.text for said in facts.prompts[:1] or facts.replies[-1:]])
    if paths and all(map(_CHANGELOG_PATH.search, paths)):
        return "changelog", f"it changed only {_named(paths)}"
    if paths and all(map(_ROADMAP_PATH.search, paths)):
        return "roadmap", f"it changed only {_named(paths)}"
    planning = bool(paths) and all(map(_PLAN_PATH.search, paths))
    if asked and (planning or len(paths) <= REVIEW_EDITS):
        changed = f"and it changed {len(paths)} files" if paths else "and it changed no file"
        return "pr_review", f"the user asked for a review ({asked}) {changed}"
    if planning:
        return "spec_creation", f"it wrote only plans: {_named(paths)}"
    if paths:
        return "build", f"it changed {_named(paths)}"
    return _kind_without_edits(facts)


def _kind_without_edits(facts: Timeline) -> tuple[str, str]:
    runs = sum(1 for run in facts.commands if run.purpose != "look")
    looks = sum(facts.actions.get(action, 0) for action in ("read", "search", "glob", "fetch"))
    if runs >= 2 and runs > looks:
        return "terminal", f"it ran {runs} commands and changed no file"
    reads = looks + len(facts.commands) - runs
    return "insights", f"it looked {reads} times and changed no file"


def _asked_for_review(texts: Sequence[str]) -> str:
    return next((f"“{shorten(text, QUOTE)}”" for text in texts if _REVIEW.search(text[:400])), "")


def _outcome(facts: Timeline) -> tuple[str, str] | None:
    judges = (_nothing_came, _stopped, _checked, _committed)
    return next(filter(None, (judge(facts) for judge in judges)), None)


def _nothing_came(facts: Timeline) -> tuple[str, str] | None:
    """Judge a session that ends with an unanswered prompt or in the middle of a call; None for others."""
    answered = facts.replies or facts.stopped is not None or _settled(facts)
    if not facts.steps or not answered:
        return "abandoned", "the model never answered"
    if facts.last_kind in ("user_prompt", "interruption") and not facts.edits:
        return "abandoned", f"the last prompt got no answer (“{_last_prompt(facts)}”)"
    if facts.last_kind == "tool_call" and not _settled(facts):
        return "abandoned", "it ends in the middle of a call"
    if facts.last_kind == "tool_result" and not facts.edits and not facts.commits:
        return "abandoned", "it ends with a tool result without a reply"
    return None


def _stopped(facts: Timeline) -> tuple[str, str] | None:
    last_prompt = facts.prompts[-1].step if facts.prompts else 0
    silent = not facts.replies or facts.replies[-1].step <= last_prompt
    open_end = facts.last_kind != "reply" and not _settled(facts)
    if facts.interrupted and silent and open_end:
        return "abandoned", "the user stopped it and nothing followed"
    return None


def _checked(facts: Timeline) -> tuple[str, str] | None:
    if facts.last_edit is None:
        return None
    after = [run for run in _checks(facts) if run.step >= facts.last_edit]
    if not after:
        return None
    last = after[-1]
    if not last.failed:
        return "success", f"`{shorten(last.normal, QUOTE)}` passed after the last change"
    if any(run.step > last.step for run in _commit_runs(facts)):
        return None
    if any(not run.failed for run in after):
        return "unknown", f"`{shorten(last.normal, QUOTE)}` failed at the end, other checks passed"
    return "failure", f"`{shorten(last.normal, QUOTE)}` failed after the last change and never passed again"


def _committed(facts: Timeline) -> tuple[str, str] | None:
    made = [run for run in _commit_runs(facts) if run.step >= (facts.last_edit or 0)]
    if not made and not (facts.commits and facts.last_edit is None):
        return None
    subject = f": “{shorten(facts.commits[-1], QUOTE)}”" if facts.commits else ""
    return "success", f"a commit was made after the last change{subject}"


def _finished(
    facts: Timeline, kind: str, planned: int | None, done: int, open_errors: Sequence[OpenError]
) -> tuple[str, str]:
    """Judge a session without a check or a commit at its end."""
    last_prompt = facts.prompts[-1].step if facts.prompts else 0
    answered = bool(facts.replies) and facts.replies[-1].step > last_prompt
    if not answered and facts.last_kind != "reply":
        return "unknown", "it ends without a final reply"
    if not facts.edits:
        end = "an answer" if answered else "a completed turn"
        return "success", f"it ends with {end} after {facts.steps} steps"
    since = [e for e in open_errors if not e.harness and e.step >= (facts.last_edit or 0)]
    if since:
        return "unknown", f"an error stayed open (“{shorten(since[-1].message, QUOTE)}”)"
    failed = [run for run in _checks(facts)[-1:] if run.failed]
    if failed:
        return (
            "unknown",
            f"`{shorten(failed[0].normal, QUOTE)}` failed, and nothing was checked after the change",
        )
    if planned and done < planned - 1:  # the last item is often not ticked off
        return (
            "unknown",
            f"{done} of {planned} planned items are done, and nothing was checked",
        )
    end = "a report" if answered else "a completed turn"
    why = f"it ends with {end} and no open error, though nothing was checked after the last change"
    return "success", why if kind == "build" else "it ends with the requested text and a report"


def _settled(facts: Timeline) -> bool:
    """Return whether every change was checked or committed before the end."""
    edited = facts.last_edit
    if edited is None:
        return False
    return any(run.step >= edited for run in (*_passed(facts), *_commit_runs(facts)))


def _checks(facts: Timeline) -> list[Ran]:
    return [run for run in facts.commands if run.purpose in CHECKS and run.failed is not None]


def _passed(facts: Timeline) -> list[Ran]:
    return [run for run in _checks(facts) if not run.failed]


def _commit_runs(facts: Timeline) -> list[Ran]:
    return [r for r in facts.commands if r.purpose == "vcs" and not r.failed and "git commit" in r.command]


def _last_prompt(facts: Timeline) -> str:
    return shorten(facts.prompts[-1].text, QUOTE) if facts.prompts else ""


def _named(paths: Sequence[str]) -> str:
    """Return two paths and the number of the others, in words."""
    most = [path for path, _ in Counter(paths).most_common(2)]
    more = f" and {len(paths) - 2} more" if len(paths) > 2 else ""
    return ", ".join(f"`{path}`" for path in most) + more
