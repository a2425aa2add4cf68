"""What agents are told, as pages: the log, the reasons of a memory, the state of a project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.interfaces.page import Cell, Fields, Item, Para, Part
from remora.interfaces.present import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remora.app.agent.status import Status, Why
    from remora.interfaces.page import Page
    from remora.store.injections import Injection

SHORT = 8


def log(said: Sequence[Injection]) -> Page:
    """Return what was said, one block for each time."""
    return tuple(_said(one) for one in said)


def _said(one: Injection) -> Item:
    about = f" at {one.about}" if one.about else ""
    facts = [Cell(one.trigger, "strong"), Cell(f"{one.moment}{about}"), Cell(one.why, "dim")]
    tail = [Cell(f"{one.session_id}, step {one.step}", "dim")]
    if one.agent:
        tail.append(Cell(f"subagent {one.agent}", "dim"))
    if one.followed:
        tail.append(Cell(one.followed, "good"))
    return Item(one.at[:19].replace("T", " "), tuple(facts), one.text, tuple(tail))


def why(found: Why) -> Page:
    """Return where a memory comes from, how far to trust it, and when it was said."""
    m = found.memory
    trust = [f"{m.confidence:.2f}", m.source]
    trust += ["verified by a person"] if m.user_verified else []
    trust += [f"unverified: {m.taint.source}, step {m.taint.step}"] if m.taint else []
    trust += [f"needs review: {m.review_reason or 'learnt'}"] if m.needs_review else []
    trust += ["out of date"] if m.stale_at else []
    rows = [
        ("id", Cell(m.id, "id")),
        ("type", Cell(m.type)),
        ("text", Cell(m.content)),
        ("trust", Cell(", ".join(trust))),
        ("created", Cell(m.created_at[:10])),
        ("origins", Cell("\n".join(_origins(found)) or "-")),
    ]
    if m.related_files:
        rows.append(("files", Cell("\n".join(m.related_files))))
    if found.children:
        rows.append(("dependents", Cell("\n".join(child[:SHORT] for child in found.children))))
    at = [f"{t.kind} {t.key}{' with ' + ', '.join(t.needs) if t.needs else ''}" for t in found.triggers]
    if at:
        rows.append(("triggers", Cell("\n".join(at))))
    parts: list[Part] = [Fields(tuple(rows))]
    times = counted(len(found.said), "time") if found.said else "never"
    parts.append(Para(f"Told to an agent: {times}."))
    parts += [_said(one)._replace(text="") for one in found.said]
    return tuple(parts)


def _origins(found: Why) -> Iterator[str]:
    for origin in found.memory.origins:
        where = origin.path and f"{origin.path}{f':{origin.line}' if origin.line else ''}"
        told = [where or "", f"session {origin.session_id}" if origin.session_id else ""]
        told.append(f"commit {origin.commit_sha[:12]}" if origin.commit_sha else "")
        yield f"{origin.at[:10]} {origin.source} {' '.join(t for t in told if t)}".rstrip()


def status(found: Status) -> Page:
    """Return what a project has, and what would be said now."""
    rows = [
        ("project", Cell(found.root)),
        ("memory", Cell(found.home)),
        ("memories", Cell(f"{found.memories:,}")),
        *((f"records of {kind}s", Cell(f"{n:,}")) for kind, n in sorted(found.records.items())),
        ("to review", Cell(f"{found.review:,}")),
        ("sessions learnt", Cell(f"{found.learnt:,}")),
        ("texts go", Cell(found.texts)),
    ]
    for one in found.sessions:
        state = "over, not learnt yet" if one.over else "active"
        sent = counted(one.said, "message")
        rows.append(
            (
                "session",
                Cell(f"{one.id}: {state}, {counted(one.steps, 'step')}, {sent} sent, {one.at[:19]}"),
            )
        )
    if not found.speaks:
        off = "Agents get no memories here: inject.enabled is off. `remora doctor` shows where it is set."
        return (Fields(tuple(rows)), Para(off))
    said = found.brief or (
        "A new session would get no brief. Agents read rule files themselves; memories about a file or "
        "a command follow when an agent uses it."
    )
    head = (Para("Brief for a new session:", "strong"),) if found.brief else ()
    return (Fields(tuple(rows)), *head, Para(said, indent=2 if found.brief else 0))
