"""Pages about conversations, quotes, notes, the journal and imports from other systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import collapse, shorten
from remora.core.values import Entry, Hit, Message, Redaction
from remora.interfaces.page import Cell, Item, Page, Para, table
from remora.interfaces.present import age, listed, redaction_sentence, short
from remora.interfaces.words import in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.importing.other_systems import MoveReport
    from remora.app.records.compaction import Compaction
    from remora.app.records.consolidation import Consolidation
    from remora.conversation.sessions import SessionInfo
    from remora.core.history_entries import HistoryEntry
    from remora.journal.versions import KeptFile

SHOWN = 20  # remarks, and skipped items, of an import


def sessions(found: Sequence[SessionInfo], now: float) -> Page:
    """Return conversations as a table."""
    rows = (
        (
            Cell(info.id, "id"),
            f"{info.messages:,}",
            Cell(age(info.updated, now), "dim"),
            Cell(age(info.created, now), "dim"),
            Cell(in_words(info.problem), "warn"),
        )
        for info in found
    )
    return table("sessions", rows, wide=0, spare=(3,))


def quotes(found: Sequence[Hit], now: float) -> Page:
    """Return quotes as a table, newest first."""
    rows = (
        (Cell(hit.id, "id"), Cell(age(hit.time, now), "dim"), hit.text, Cell(shorten(hit.answers, 60), "dim"))
        for hit in found
    )
    return table("quotes", rows, wide=2, spare=(3,))


def removed(gone: Sequence[tuple[str, str]]) -> Page:
    """Return a line for each removed quote."""
    return tuple(Item(name, (Cell(say("note.removed"), "good"),), shorten(text, 200)) for name, text in gone)


def messages(found: Sequence[Message]) -> Page:
    """Return messages in full, each under its number, role and time."""
    for m in found:
        number = f"#{m.seq}" if m.seq else say("note.summary")
        time = (m.time_text or m.time or "")[:16].replace("T", " ")
        calls = say("session.calls", names=listed(call.name for call in m.tool_calls)) if m.tool_calls else ""
        yield Para("  ".join(p for p in (number, m.role, time, calls) if p), "strong")
        if m.content.strip():
            yield Para(m.content.strip(), indent=2)


def appended(session_id: str, message: Message, redactions: Sequence[Redaction]) -> Page:
    """Return a page about an appended message and the secrets removed from it."""
    yield Para(say("session.appended", seq=str(message.seq), session=session_id, role=message.role), "good")
    if secrets := redaction_sentence(redactions):
        yield Para(secrets, "warn", indent=2)


def compacted(done: Compaction) -> Page:
    """Return a page with the result of a compaction."""
    if not done.removed:
        yield Para(say("compacted.nothing", n=done.kept, session=done.session_id))
        return
    made = say("compacted.by_model") if done.how == "model" else say("compacted.by_rules")
    yield Para(say("compacted.did", n=done.removed, session=done.session_id, kept=done.kept), "good")
    yield Para(say("compacted.archive", by=made, name=done.archive), "dim", indent=2)
    yield Para(done.summary, indent=2)
    if done.consolidation is not None and done.consolidation.how != "nothing":
        yield from consolidated([done.consolidation])


def consolidated(done: Sequence[Consolidation], *, cleared: bool = False) -> Page:
    """Return a page with the results of consolidations into the journal."""
    for one in done:
        told = say(f"consolidated.{one.how}")
        if one.how != "nothing":
            told = say("consolidated.added", n=one.messages, how=told)
        yield Item(one.session_id, (Cell(told, "warn" if one.how == "raw-fallback" else "good"),), one.entry)
        if one.memory_changed:
            yield Para(say("memory_md.updated"), indent=2)
        yield from (
            Para(f"{short(m.id)} {m.type}: {shorten(collapse(m.content), 120)}", indent=2) for m in one.facts
        )
        if one.kept_aside is not None:
            yield Para(say("consolidated.aside", path=one.kept_aside), "warn", indent=2)
    if cleared:
        yield Para(say("session.restarted"), "good")
    elif not done:
        yield Para(say("consolidated.none"))


def entries(found: Sequence[Entry], now: float) -> Page:
    """Return notes and archives as a table."""
    rows = (
        (
            Cell(e.name, "id"),
            Cell(e.kind, "dim"),
            Cell(age(e.created_at, now), "dim"),
            shorten(collapse(e.content), 160),
            Cell(listed(e.aliases, 3), "dim"),
        )
        for e in found
    )
    return table("entries", rows, wide=3, spare=(4, 2))


def entry(found: Entry, now: float) -> Page:
    """Return an entry in full."""
    known = [found.kind, age(found.created_at, now)]
    known += [say("note.aliases", names=listed(found.aliases))] if found.aliases else []
    return (Para(found.name, "strong"), Para(", ".join(known), "dim"), Para(found.content))


def found_entries(found: Sequence[tuple[Entry, float]], now: float) -> Page:
    """Return the entries found by a word search, with their BM25 scores."""
    return tuple(
        Item(
            e.name,
            (
                Cell(e.kind, "strong"),
                Cell(spoken().number(score), "good"),
                Cell(age(e.created_at, now), "dim"),
            ),
            e.content,
            (Cell(say("note.aliases", names=listed(e.aliases)), "dim"),) if e.aliases else (),
        )
        for e, score in found
    )


def changed_entry(found: Entry, done: str, redactions: Sequence[Redaction] = ()) -> Page:
    """Return a line about a changed entry, and the secrets removed from it."""
    yield Item(found.name, (Cell(done, "good"),), shorten(collapse(found.content), 200))
    if secrets := redaction_sentence(redactions):
        yield Para(secrets, "warn", indent=2)


def history(found: Sequence[HistoryEntry], now: float) -> Page:
    """Return history entries in full."""
    for e in found:
        time = (e.time or "")[:16].replace("T", " ") or say("history.no_date")
        facts = (time, age(e.time, now), f"{e.path}:{e.start_line}")
        yield Para("  ".join(f for f in facts if f), "strong")
        yield Para(e.text, indent=2)


def versions(found: Sequence[KeptFile], now: float) -> Page:
    """Return the versions of MEMORY.md as a table."""
    rows = ((Cell(v.name, "id"), Cell(age(v.time, now), "dim"), say("bytes", n=v.size)) for v in found)
    return table("versions", rows, wide=0)


def restored(name: str, *, changed: bool) -> Page:
    """Return a line about a restored version of MEMORY.md."""
    return (
        Para(say("memory_md.restored", name=name) if changed else say("memory_md.equal", name=name), "good"),
    )


def moved(report: MoveReport) -> Page:
    """Return a page with an import from another system: new, known and skipped items."""
    new = [f"{number:,} {kind}" for kind, number in report.new.items() if number]
    told = {"system": report.system, "what": listed(new) or say("moved.nothing")}
    yield Para(say("moved.would", **told) if report.dry_run else say("moved.did", **told), "good")
    if known := [f"{number:,} {kind}" for kind, number in report.known.items() if number]:
        yield Para(say("moved.known", what=listed(known)), "dim", indent=2)
    yield from (Para(in_words(remark), indent=2) for remark in report.remarks[:SHOWN])
    if secrets := redaction_sentence(report.redactions):
        yield Para(secrets, "warn", indent=2)
    left = sum(count.skipped for count in report.counts)
    if report.skipped:
        yield Para(say("moved.left", n=max(left, len(report.skipped))), "warn")
        yield from (Para(f"{s.what}: {in_words(s.why)}", indent=2) for s in report.skipped[:SHOWN])
        if len(report.skipped) > SHOWN:
            yield Para(say("moved.more", n=len(report.skipped) - SHOWN), indent=2)


def text(found: str) -> Page:
    """Return a text unchanged; an empty page for an empty text."""
    return (Para(found),) if found else ()
