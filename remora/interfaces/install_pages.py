"""What installing would change and what it did, as pages."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.errors import RemoraError
from remora.interfaces.install.hosts import HOSTS
from remora.interfaces.install.plan import Plan
from remora.interfaces.page import Cell, Page, Para, Part, Table
from remora.interfaces.words import in_words, say

_SIGNS = {"+": "good", "-": "bad", "@": "dim", "\\": "dim"}


def proposal(plan: Plan) -> Page:
    """Return what a plan would change: each file as a diff, and what to know before."""
    title = HOSTS[plan.host].title
    if plan.idle:
        parts: list[Part] = [Para(say("install.idle", title=title), "strong")]
    else:
        parts = [Para(say(f"install.for.{plan.scope}", title=title), "strong")]
        for change in plan.every:
            if change.action != "keep":
                parts += [Para(line, _style(line, at)) for at, line in enumerate(change.diff())]
    parts += [Para(say("note", text=in_words(note)), "warn") for note in plan.notes]
    return tuple(parts)


def done(plan: Plan) -> Page:
    """Return what a plan did, and what there is to do now."""
    parts: list[Part] = [
        Para(say("install.done", did=say(f"install.did.{change.action}"), path=change.path), "good")
        for change in plan.every
        if change.action != "keep"
    ]
    parts += [Para(in_words(text)) for text in plan.after]
    return tuple(parts)


def overview(plans: Sequence[Plan | tuple[str, RemoraError]], *, verb: str) -> Page:
    """Return what would be done for each host that is there, a line for each file."""
    parts: list[Part] = []
    for plan in plans:
        if not isinstance(plan, Plan):
            name, error = plan
            parts.append(Para(f"{HOSTS[name].title} ({name})", "strong"))
            parts.append(Para(in_words(str(error)), "bad", indent=2))
            continue
        parts.append(Para(f"{HOSTS[plan.host].title} ({plan.host})", "strong"))
        rows = tuple(
            (
                Cell(say(f"install.does.{change.action}"), "dim" if change.action == "keep" else "good"),
                Cell(str(change.path)),
            )
            for change in plan.every
            if change.before is not None or change.after is not None
        )
        if rows:
            parts.append(Table(("", ""), rows, wide=1, whole=True, indent=2))
        parts += [Para(say("note", text=in_words(note)), "warn", indent=2) for note in plan.notes]
    parts.append(Para(""))
    parts.append(Para(say("install.how", verb=verb, n=len(plans))))
    return tuple(parts)


def _style(line: str, at: int) -> str:
    return "strong" if at < 2 else _SIGNS.get(line[:1], "")
