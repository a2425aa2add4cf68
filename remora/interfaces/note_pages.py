"""Conversations, notes and the journal as pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import collapse, shorten
from remora.core.values import Entry, Hit, Message, Redaction
from remora.interfaces.page import Cell, Item, Page, Para, Part, Table
from remora.interfaces.present import age, counted, listed, redaction_sentence, short

if TYPE_CHECKING:
    from remora.app.importing.other_systems import MoveReport
    from remora.app.records.compaction import Compaction
    from remora.app.records.consolidation import Consolidation
    from remora.conversation.sessions import SessionInfo
    from remora.journal.history import HistoryEntry
    from remora.journal.kept import KeptFile

SHOWN = 20  # of what did not come over
# What a consolidation did, by how.
HOW = {
    "model": "summarised by the language model",
    "extract": "extracted from the conversation",
    "raw-fallback": "last messages verbatim, because the model failed",
    "nothing": "no new messages",
}


def sessions(found: Sequence[SessionInfo], now: float) -> Page:
    """Return conversations as a table."""
    rows = tuple(
        (
            Cell(info.id, "id"),
            Cell(f"{info.messages:,}"),
            Cell(age(info.updated, now), "dim"),
            Cell(age(info.created, now), "dim"),
            Cell(info.problem, "warn"),
        )
        for info in found
    )
    return (Table(("session", "messages", "last", "begun", ""), rows, wide=0, spare=(3,)),) if rows else ()


def quotes(found: Sequence[Hit], now: float) -> Page:
    """Return what a person said, one sentence a row, newest first."""
    rows = tuple(
        (
            Cell(hit.id, "id"),
            Cell(age(hit.time, now), "dim"),
            Cell(hit.text),
            Cell(shorten(hit.answers, 60), "dim"),
        )
        for hit in found
    )
    return (Table(("id", "age", "quote", "in answer to"), rows, wide=2, spare=(3,)),) if rows else ()


def removed(gone: Sequence[tuple[str, str]]) -> Page:
    """Return what was deleted, a line each."""
    return tuple(Item(name, (Cell("removed", "good"),), shorten(text, 200)) for name, text in gone)


def messages(found: Sequence[Message]) -> Page:
    """Return messages whole, each under who said it and when."""
    parts: list[Part] = []
    for m in found:
        number = f"#{m.seq}" if m.seq else "summary"
        time = (m.time_text or m.time or "")[:16].replace("T", " ")
        calls = f"calls {listed(call.name for call in m.tool_calls)}" if m.tool_calls else ""
        parts.append(Para("  ".join(p for p in (number, m.role, time, calls) if p), "strong"))
        if m.content.strip():
            parts.append(Para(m.content.strip(), indent=2))
    return tuple(parts)


def appended(session_id: str, message: Message, redactions: Sequence[Redaction]) -> Page:
    """Return that a message is in the log, and what was taken out of it."""
    said: list[Part] = [Para(f"message {message.seq} of {session_id}, by {message.role}", "good")]
    if secrets := redaction_sentence(redactions):
        said.append(Para(secrets, "warn", indent=2))
    return tuple(said)


def compacted(done: Compaction) -> Page:
    """Return what a compaction did."""
    if not done.removed:
        return (Para(f"nothing to compact: {counted(done.kept, 'message')} in {done.session_id}"),)
    made = "the language model" if done.how == "model" else "rules, without a language model"
    parts: list[Part] = [
        Para(f"{done.removed:,} messages of {done.session_id} summarised, {done.kept:,} kept", "good"),
        Para(
            f"summary by {made}; stored as {done.archive} (`remora note show {done.archive}`)",
            "dim",
            indent=2,
        ),
        Para(done.summary, indent=2),
    ]
    if done.consolidation is not None and done.consolidation.how != "nothing":
        parts += consolidated([done.consolidation])
    return tuple(parts)


def consolidated(done: Sequence[Consolidation], *, cleared: bool = False) -> Page:
    """Return what went into the journal."""
    parts: list[Part] = []
    for one in done:
        told = HOW[one.how]
        if one.how != "nothing":
            told = f"{counted(one.messages, 'message')} added to the history: {told}"
        parts.append(
            Item(one.session_id, (Cell(told, "warn" if one.how == "raw-fallback" else "good"),), one.entry)
        )
        if one.memory_changed:
            parts.append(Para("MEMORY.md updated (`remora journal versions`)", indent=2))
        parts += [
            Para(f"{short(m.id)} {m.type}: {shorten(collapse(m.content), 120)}", indent=2) for m in one.facts
        ]
        if one.kept_aside is not None:
            parts.append(Para(f"unused text kept in {one.kept_aside}", "warn", indent=2))
    if cleared:
        parts.append(Para("conversation restarted", "good"))
    elif not parts:
        parts.append(Para("no conversation has new messages"))
    return tuple(parts)


def entries(found: Sequence[Entry], now: float) -> Page:
    """Return notes and archives as a table."""
    rows = tuple(
        (
            Cell(e.name, "id"),
            Cell(e.kind, "dim"),
            Cell(age(e.created_at, now), "dim"),
            Cell(shorten(collapse(e.content), 160)),
            Cell(listed(e.aliases, 3), "dim"),
        )
        for e in found
    )
    head = ("name", "kind", "age", "text", "also called")
    return (Table(head, rows, wide=3, spare=(4, 2)),) if rows else ()


def entry(found: Entry, now: float) -> Page:
    """Return one entry whole."""
    known = [found.kind, age(found.created_at, now)]
    known += [f"also called {listed(found.aliases)}"] if found.aliases else []
    return (Para(found.name, "strong"), Para(", ".join(known), "dim"), Para(found.content))


def found_entries(found: Sequence[tuple[Entry, float]], now: float) -> Page:
    """Return what a search for words found, with the BM25 of each."""
    return tuple(
        _item(e, (Cell(f"{score:.2f}", "good"), Cell(age(e.created_at, now), "dim"))) for e, score in found
    )


def changed_entry(found: Entry, done: str, redactions: Sequence[Redaction] = ()) -> Page:
    """Return what became of an entry."""
    said: list[Part] = [Item(found.name, (Cell(done, "good"),), shorten(collapse(found.content), 200))]
    if secrets := redaction_sentence(redactions):
        said.append(Para(secrets, "warn", indent=2))
    return tuple(said)


def _item(found: Entry, facts: tuple[Cell, ...]) -> Item:
    tail = (Cell(f"also called {listed(found.aliases)}", "dim"),) if found.aliases else ()
    return Item(found.name, (Cell(found.kind, "strong"), *facts), found.content, tail)


def history(found: Sequence[HistoryEntry], now: float) -> Page:
    """Return entries of the history whole."""
    parts: list[Part] = []
    for e in found:
        time = (e.time or "")[:16].replace("T", " ") or "no date"
        facts = (time, age(e.time, now), f"{e.path}:{e.start_line}")
        parts += [Para("  ".join(f for f in facts if f), "strong"), Para(e.text, indent=2)]
    return tuple(parts)


def versions(found: Sequence[KeptFile], now: float) -> Page:
    """Return the earlier texts of a file."""
    rows = tuple(
        (Cell(v.name, "id"), Cell(age(v.time, now), "dim"), Cell(f"{v.size:,} bytes")) for v in found
    )
    return (Table(("version", "age", "size"), rows, wide=0),) if rows else ()


def restored(name: str, *, changed: bool) -> Page:
    """Return that an earlier text is back."""
    return (Para(f"MEMORY.md {'restored to' if changed else 'already equals'} {name}", "good"),)


def moved(report: MoveReport) -> Page:
    """Return what came over from another system, what was here already, and what did not come."""
    did = "would be imported" if report.dry_run else "imported"
    new = [f"{number:,} {kind}" for kind, number in report.new.items() if number]
    parts: list[Part] = [Para(f"{did} from {report.system}: {listed(new) or 'nothing new'}", "good")]
    if updated := [f"{number:,} {kind}" for kind, number in report.updated.items() if number]:
        parts.append(Para(f"updated: {listed(updated)}", "good", indent=2))
    if known := [f"{number:,} {kind}" for kind, number in report.known.items() if number]:
        parts.append(Para(f"already here: {listed(known)}", "dim", indent=2))
    parts += [Para(remark, indent=2) for remark in report.remarks[:SHOWN]]
    if secrets := redaction_sentence(report.redactions):
        parts.append(Para(secrets, "warn", indent=2))
    left = sum(count.skipped for count in report.counts)
    if report.skipped:
        parts.append(Para(f"{max(left, len(report.skipped)):,} not imported:", "warn"))
        parts += [Para(f"{s.what}: {s.why}", indent=2) for s in report.skipped[:SHOWN]]
        if len(report.skipped) > SHOWN:
            parts.append(Para(f"and {len(report.skipped) - SHOWN:,} more; --json lists all", indent=2))
    return tuple(parts)


def text(found: str) -> Page:
    """Return a text as it is."""
    return (Para(found),) if found else ()
