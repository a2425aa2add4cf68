"""Pages about the shared log, its members, conflicts and disputes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import shorten
from remora.interfaces.page import Cell, Item, Page, Para, Table, fields
from remora.interfaces.present import age, short
from remora.interfaces.words import columns, in_words, say, spoken

if TYPE_CHECKING:
    from remora.app.sharing.sharing import SharingStatus
    from remora.app.sharing.sync import Synced
    from remora.app.sharing.team import Comment, Contested, MemberInfo
    from remora.core.values import MemoryRecord
    from remora.store.shared import Dispute

SHOWN = 20


def status(found: SharingStatus, now: float, *, would_send: Sequence[MemoryRecord] = ()) -> Page:
    """Return the sharing status of a project: address, counts, waiting and ignored changes."""
    if not found.address:
        yield Para(say("share.alone"))
        return
    who = f"{found.me}, {spoken().known(f'role.{found.role}')}" if found.me else say("team.unknown")
    offline = say("share.offline", age=age(found.since, now), why=in_words(found.problem))
    rows = [
        ("address", found.address),
        ("project", found.project),
        ("you", who),
        ("learned memories", say("share.automatic") if found.automatic else say("share.one_by_one")),
        ("shared", say("count.memory", n=found.shared)),
        ("last exchange", age(found.at, now) if found.at else say("share.never")),
        ("to send", say("count.change", n=found.leaving.entries)),
        ("offline", offline if found.problem else ""),
        ("conflicts", say("share.conflicts", number=found.conflicts) if found.conflicts else ""),
        ("disputes", say("share.disputes", number=found.disputes) if found.disputes else ""),
    ]
    yield fields(rows)
    if would_send:
        yield Para(say("share.would_send"), "strong")
        yield from (Item(short(record.id), (Cell(record.type),), record.content) for record in would_send)
    if found.leaving.waiting:
        yield Para(say("share.stays"), "strong")
        waiting = sorted(found.leaving.waiting.items())
        yield from (Item(short(memory_id), (), in_words(why)) for memory_id, why in waiting[:SHOWN])
    if found.ignored:
        yield Para(say("share.ignored"), "strong")
        yield from (
            Item(
                short(one.memory_id) if one.memory_id else say("share.membership"),
                (Cell(say("share.by", who=one.by)),),
                in_words(one.reason),
            )
            for one in found.ignored[:SHOWN]
        )


def synced(done: Synced) -> Page:
    """Return the counts of an exchange with the shared log."""
    said = say("sync.done", n=done.sent, received=done.received)
    if done.conflicts:
        said += say("sync.conflicts", n=done.conflicts)
    yield Para(said)
    if done.renewed:
        yield Para(say("sync.renewed"))
    if done.waiting:
        yield Para(say("sync.waiting", n=len(done.waiting)))
    ignored = done.refused + done.held + done.unknown
    if ignored:
        yield Para(say("sync.ignored", n=ignored))


def members(found: Sequence[MemberInfo]) -> Page:
    """Return the members as a table."""
    rows = tuple(
        (
            Cell(one.name + (f" ({say('team.you')})" if one.me else "")),
            Cell(one.role),
            Cell(f"{one.machines:,}"),
            Cell(one.id, "id"),
        )
        for one in found
    )
    return (Table(columns("columns.members"), rows, wide=0),)


def conflicts(found: Sequence[Contested], now: float) -> Page:
    """Return the conflicts with the texts to choose from."""
    if not found:
        yield Para(say("share.no_conflicts"))
        return
    for one in found:
        yield Para(f"{short(one.memory.id)}  {one.memory.type}", "strong")
        for version in one.versions:
            facts = (Cell(say("share.by", who=version.by)), Cell(age(version.at, now), "dim"))
            yield Item(version.revision, facts, version.content or say("share.retired"))
    yield Para(say("share.decide"))


def disputes(found: Sequence[Dispute], records: Sequence[MemoryRecord], now: float) -> Page:
    """Return the open disputes as a table."""
    known = {record.id: record for record in records}
    rows = tuple(
        (
            Cell(short(one.memory_id), "id"),
            Cell(one.opened_by),
            Cell(age(one.opened_at, now), "dim"),
            Cell(shorten(known[one.memory_id].content, 80) if one.memory_id in known else ""),
        )
        for one in found
    )
    return (Table(columns("columns.disputes"), rows, wide=3),) if rows else (Para(say("share.no_disputes")),)


def thread(record: MemoryRecord, found: Sequence[Comment], now: float) -> Page:
    """Return a memory with the comments of its dispute."""
    items = [
        Item(one.by, (Cell(say(f"share.says.{one.op}")), Cell(age(one.at, now), "dim")), one.text)
        for one in found
    ]
    return (Para(f"{short(record.id)}  {record.content}", "strong"), *items)
