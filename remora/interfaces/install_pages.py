"""Pages about installations: planned changes, results and an overview."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.errors import RemoraError
from remora.interfaces.install.hosts import HOSTS
from remora.interfaces.install.plan import Plan
from remora.interfaces.page import Cell, Page, Para, Table
from remora.interfaces.words import in_words, say

_SIGNS = {"+": "good", "-": "bad", "@": "dim", "\\": "dim"}


def proposal(plan: Plan) -> Page:
    """Return a page with the changes of a plan as diffs, and its notes."""
    title = HOSTS[plan.host].title
    if plan.idle:
        yield Para(say("install.idle", title=title), "strong")
    else:
        yield Para(say(f"install.for.{plan.scope}", title=title), "strong")
        for change in plan.every:
            if change.action != "keep":
                yield from (Para(line, _style(line, at)) for at, line in enumerate(change.diff()))
    yield from (Para(say("note", text=in_words(note)), "warn") for note in plan.notes)


def done(plan: Plan) -> Page:
    """Return a page with the changes that were made, and the next steps for the user."""
    yield from (
        Para(say("install.done", did=say(f"install.did.{change.action}"), path=change.path), "good")
        for change in plan.every
        if change.action != "keep"
    )
    yield from (Para(in_words(text)) for text in plan.after)


def overview(plans: Sequence[Plan | tuple[str, RemoraError]], *, verb: str) -> Page:
    """Return a page with the planned change of each file, by host."""
    for plan in plans:
        if not isinstance(plan, Plan):
            name, error = plan
            yield Para(f"{HOSTS[name].title} ({name})", "strong")
            yield Para(in_words(str(error)), "bad", indent=2)
            continue
        yield Para(f"{HOSTS[plan.host].title} ({plan.host})", "strong")
        rows = tuple(
            (
                Cell(say(f"install.does.{change.action}"), "dim" if change.action == "keep" else "good"),
                Cell(str(change.path)),
            )
            for change in plan.every
            if change.before is not None or change.after is not None
        )
        if rows:
            yield Table(("", ""), rows, wide=1, whole=True, indent=2)
        yield from (Para(say("note", text=in_words(note)), "warn", indent=2) for note in plan.notes)
    yield Para("")
    yield Para(say("install.how", verb=verb, n=len(plans)))


def _style(line: str, at: int) -> str:
    return "strong" if at < 2 else _SIGNS.get(line[:1], "")
