"""The shared log, its members, conflicts and disputes as pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.text import shorten
from remora.interfaces.page import Cell, Fields, Item, Page, Para, Part, Table
from remora.interfaces.present import age, counted, short

if TYPE_CHECKING:
    from remora.app.sharing.sharing import SharingStatus
    from remora.app.sharing.sync import Synced
    from remora.app.sharing.team import Comment, Contested, MemberInfo
    from remora.core.values import MemoryRecord
    from remora.store.shared import Dispute

SHOWN = 20


def status(found: SharingStatus, now: float, *, would_send: Sequence[MemoryRecord] = ()) -> Page:
    """Return how a project is shared, and what waits."""
    if not found.address:
        return (Para("Not shared. `remora share init git` begins."),)
    who = f"{found.me}, {found.role}" if found.me else "not known to the others yet"
    rows = [
        ("address", found.address),
        ("project", found.project),
        ("you", who),
        ("learned memories", "shared by themselves" if found.automatic else "shared one by one"),
        ("shared", counted(found.shared, "memory", "memories")),
        (
            "last exchange",
            age(found.at, now) if found.at else "none; the first `remora sync` sends",
        ),
        ("to send", counted(found.leaving.entries, "change")),
    ]
    if found.problem:
        rows.append(("offline", f"for {age(found.since, now)}: {found.problem}"))
    if found.conflicts:
        rows.append(("conflicts", f"{found.conflicts}; `remora conflicts` shows the texts"))
    if found.disputes:
        rows.append(("disputes", f"{found.disputes}; `remora dispute` lists them"))
    parts: list[Part] = [Fields(tuple((name, Cell(value)) for name, value in rows))]
    if would_send:
        parts += [Para("Would be sent:", "strong")]
        parts += [Item(short(record.id), (Cell(record.type),), record.content) for record in would_send]
    if found.leaving.waiting:
        parts += [Para("Stays here:", "strong")]
        waiting = sorted(found.leaving.waiting.items())
        parts += [Item(short(memory_id), (), why) for memory_id, why in waiting[:SHOWN]]
    if found.ignored:
        parts += [Para("Does not count:", "strong")]
        parts += [
            Item(short(one.memory_id) if one.memory_id else "membership", (Cell(f"by {one.by}"),), one.reason)
            for one in found.ignored[:SHOWN]
        ]
    return tuple(parts)


def synced(done: Synced) -> Page:
    """Return what an exchange did."""
    said = f"{counted(done.sent, 'change')} sent, {done.received:,} received"
    if done.conflicts:
        said += f"; {counted(done.conflicts, 'conflict')}: `remora conflicts`"
    parts: list[Part] = [Para(said)]
    if done.renewed:
        parts.append(Para("A copy of this data folder writes, too; this machine has another id from now on."))
    if done.waiting:
        parts.append(
            Para(f"{counted(len(done.waiting), 'memory', 'memories')} stay here: `remora share status`")
        )
    ignored = done.refused + done.held + done.unknown
    if ignored:
        parts.append(Para(f"{counted(ignored, 'change')} of others do not count: `remora share status`"))
    return tuple(parts)


def members(found: Sequence[MemberInfo]) -> Page:
    """Return the members as a table."""
    rows = tuple(
        (
            Cell(one.name + (" (you)" if one.me else "")),
            Cell(one.role),
            Cell(f"{one.machines:,}"),
            Cell(one.id, "id"),
        )
        for one in found
    )
    return (Table(("name", "role", "machines", "id"), rows, wide=0),)


def conflicts(found: Sequence[Contested], now: float) -> Page:
    """Return the texts between which somebody has to decide."""
    if not found:
        return (Para("No conflicts."),)
    parts: list[Part] = []
    for one in found:
        parts.append(Para(f"{short(one.memory.id)}  {one.memory.type}", "strong"))
        for version in one.versions:
            facts = (Cell(f"by {version.by}"), Cell(age(version.at, now), "dim"))
            parts.append(Item(version.revision, facts, version.content or "(retired)"))
    parts.append(Para("`remora conflicts ID --keep mine|theirs|both|REVISION`, or `--text TEXT`."))
    return tuple(parts)


def disputes(found: Sequence[Dispute], records: Sequence[MemoryRecord], now: float) -> Page:
    """Return the disputes that nobody has settled."""
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
    return (Table(("id", "by", "age", "memory"), rows, wide=3),) if rows else (Para("No disputes."),)


def thread(record: MemoryRecord, found: Sequence[Comment], now: float) -> Page:
    """Return a memory and what was said about it."""
    says = {"dispute": "disputes it", "comment": "says", "resolve": "upholds it"}
    items = [Item(one.by, (Cell(says[one.op]), Cell(age(one.at, now), "dim")), one.text) for one in found]
    return (Para(f"{short(record.id)}  {record.content}", "strong"), *items)
