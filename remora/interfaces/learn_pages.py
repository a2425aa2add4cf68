"""What was learnt from sessions, as pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import collapse, shorten
from remora.interfaces.page import Cell, Item, Page, Para, Part, Table
from remora.interfaces.present import counted, listed, redaction_sentence, short
from remora.interfaces.reports import of_branches

if TYPE_CHECKING:
    from remora.app.learning.learn import LearnReport
    from remora.app.learning.promotion import Learnt
    from remora.checks.suggest import Suggestion

SHOWN = 20  # memories and skipped files that a report names
FILTERS = {
    "worth": "not worth a memory",
    "validation": "from failed sessions",
    "frequency": "seen too rarely",
    "novelty": "already known",
    "trust": "rules from untrusted text",
    "scoring": "too weak",
    "cap": "over the limit per session",
    "standing": "about code that has changed",
    "overturned": "that you revoked later",
    "branch": "from branches deleted unmerged",
    "a person's word": "that you forgot or edited",
}
TOLD = 5  # of what was left out that a report names, and how much of each
REASONS = 5  # why something was not worth a memory, the most usual
TOLD_CHARS = 100
NEW = ("stored", "restored")
ACTIONS = {"merged": "seen again", "restored": "brought back"}


def report(found: LearnReport) -> Page:
    """Return what was read, what was learnt and what was not, with the reasons."""
    from remora.observer.candidate import NOT_ALONE  # not for the tables of other verbs

    new = [one for one in found.learnt if one.action in NEW]
    again = [one for one in found.learnt if one.action not in NEW]
    parts: list[Part] = [Para(_head(found, len(new), len(again)), "strong")]
    if found.sessions:
        signals = [f"{number:,} {kind.replace('_', ' ')}" for kind, number in found.signals.items()]
        parts.append(
            Para(f"{counted(found.events, 'event')}; signals: {listed(signals, 8) or 'none'}", indent=2)
        )
        outcomes: dict[str, int] = {}
        for session in found.sessions:
            name = f"{session.kind} ({session.outcome})"
            outcomes[name] = outcomes.get(name, 0) + 1
        most = sorted(outcomes.items(), key=lambda item: (-item[1], item[0]))
        told = listed((f"{number:,} {name}" for name, number in most), 6)
        parts.append(Para(f"sessions: {told}", indent=2))
    if found.discarded:
        dropped = [f"{number:,} {FILTERS.get(name, name)}" for name, number in found.discarded.items()]
        parts.append(Para(f"left out: {listed(dropped)}", "dim", indent=2))
        if reasons := [f"{why} ({number:,})" for why, number in found.not_worth.items()]:
            few = len(reasons) > REASONS
            parts.append(
                Para(f"reasons: {'; '.join(reasons[:REASONS])}{' …' if few else ''}", "dim", indent=4)
            )
        yours = [e for e in found.left_out if e.why == NOT_ALONE][:TOLD]
        some = [*yours, *[e for e in found.left_out if e.filter != "worth"][:TOLD]]
        parts += [Para(f"{shorten(e.what, TOLD_CHARS)}: {e.why}", "dim", indent=4) for e in some]
    parts += learned([*new, *again][:SHOWN])
    if len(found.learnt) > SHOWN:
        parts.append(Para(f"and {len(found.learnt) - SHOWN:,} more: `remora learned` lists all", "dim"))
    if found.withdrawn:
        gone = counted(found.withdrawn, "memory", "memories")
        what = "contradicted by later sessions or by you"
        parts.append(Para(f"{gone} of earlier runs forgotten: {what}", "warn"))
    parts += of_branches(found.revived, found.merged, found.retired)
    if secrets := redaction_sentence(found.redactions):
        parts.append(Para(secrets, "warn"))
    if found.bad_lines:
        parts.append(Para(f"{counted(found.bad_lines, 'line')} could not be read", "warn"))
    lines, files = found.skipped[: found.named], found.skipped[found.named :]
    parts += [Para(f"{s.what}: {s.why}", "warn", indent=2) for s in lines[:SHOWN]]
    parts += [Para(f"not read: {s.what}: {s.why}", "warn") for s in files[:SHOWN]]
    parts.append(Para(f"Done in {found.seconds:.1f} s.", "dim"))
    return tuple(parts)


def left_out(found: LearnReport) -> Page:
    """Return all that was left out: under each filter what it was, whole, and why."""
    parts: list[Part] = []
    for name, number in found.discarded.items():
        parts.append(Para(f"{number:,} {FILTERS.get(name, name)}", "strong"))
        parts += [
            Para(f"{collapse(one.what)}: {one.why}", indent=2) for one in found.left_out if one.filter == name
        ]
    return tuple(parts)


def _head(found: LearnReport, new: int, again: int) -> str:
    if not found.sessions:
        unchanged = counted(found.unchanged, "unchanged transcript")
        return f"Nothing new: {unchanged}" if found.unchanged else "No session was read"
    did = "would be learnt" if found.dry_run else "learnt"
    read = f"{counted(len(found.sessions), 'session')} read, {found.unchanged:,} unchanged"
    more = f", {again:,} seen again" if again else ""
    return f"{read}; {counted(new, 'memory', 'memories')} {did}{more}"


def learned(found: Sequence[Learnt]) -> Page:
    """Return memories that were learnt, each with the evidence."""
    return tuple(
        Item(
            short(one.memory.id),
            (
                Cell(one.memory.type, "strong"),
                Cell(f"{one.memory.confidence:.2f}", "dim"),
                *((Cell("needs review", "warn"),) if one.memory.needs_review else ()),
            ),
            shorten(collapse(one.memory.content), 400),
            (Cell(evidence(one), "dim"),),
        )
        for one in found
    )


def evidence(one: Learnt) -> str:
    """Return why a memory was learnt, and what was done where it is not new."""
    return one.why if one.action == "stored" else f"{ACTIONS.get(one.action, one.action)}: {one.why}"


def checks(found: Sequence[Suggestion]) -> Page:
    """Return commands as a table."""
    rows = tuple((Cell(s.command, "id"), Cell(s.purpose), Cell(s.why, "dim")) for s in found)
    return (Table(("command", "for", "why"), rows, wide=0),) if rows else ()
