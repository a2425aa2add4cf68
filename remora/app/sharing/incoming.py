"""Verify entries from the shared log, store them unchanged, and merge them into memories.

Every entry is stored, including those that do not count: from a device without a voucher, from the future, of
a newer version, or without the right to it. Which entries count is decided again when the members change. A
colleague's text is text from outside until a steward or the user confirms it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from remora.app.health.erase import erase_memories
from remora.app.sharing.outgoing import PERSONAL, SHARED
from remora.app.sharing.space import set_member, standing_of
from remora.core.change import Op, acting
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput, RemoraError
from remora.core.values import MemoryDraft, MemoryRecord
from remora.injection.brief import SHARED as BY_COLLEAGUE
from remora.lifecycle.drafts import prepare
from remora.sharing.entries import MEMBERSHIP, Entry, is_genuine, parse
from remora.sharing.permissions import EARLY, ROLES, Standing
from remora.store.shared import COUNTS, HELD, REFUSED, UNKNOWN, SharedLine

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.app.sharing.space import Space

AHEAD_SECONDS = 600.0  # tolerance for clocks that are ahead of ours
OPS = get_args(Op)
_STEWARD = ROLES.index("steward")
_PENDING = "pending"
_TEXT = (
    *("type", "content", "citation_text", "scope", "source", "created_at", "updated_at", "deprecated_at"),
    *("superseded_by", "stale_at", "trust_level_scope", "review_reason"),
)
_LISTS = ("tags", "related_files", "related_modules", "relations")
_NUMBERS = ("confidence", "decay_half_life_days")
_FLAGS = ("deprecated", *PERSONAL[:-1])
_NEEDED = ("type", "content", "confidence", "created_at", "updated_at", "source", "scope")


def keep(project: OpenProject, space: Space, device: str, after: int, lines: Sequence[str]) -> int:
    """Store lines of a device unchanged, and return their number; call inside a transaction.

    A known line is skipped, and lines after a gap are not stored: they are requested again. An invalid line
    is stored as a blank entry with its number.
    """
    rows, hlcs, ops = [], [], []
    number = after + 1
    for line in lines:
        try:
            entry = parse(line)
            fits = entry.device == device and entry.space == space.space
        except InvalidInput:
            fits = False
        if fits and entry.n != number:
            if entry.n < number:
                continue
            break
        if not fits:
            entry = parse_blank(space.space, device, number)
        state, reason = (_PENDING, "") if fits else (REFUSED, "it is no entry of this device")
        rows.append(SharedLine(device, number, entry.rev, entry.memory_id, entry.line, state, reason))
        hlcs.append(entry.hlc)
        ops.append(entry.op)
        number += 1
    project.db.shared.add(rows, hlcs, ops)
    return len(rows)


def parse_blank(space: str, device: str, n: int) -> Entry:
    """Return a blank entry to replace an invalid line."""
    nothing = dict.fromkeys(("memory", "scope", "author", "digest", "sig"), "")
    named = {"space": space, "device": device, "n": n, "rev": f"?{device}:{n}", "op": "?"}
    return parse(json.dumps({"v": 1, **nothing, **named, "parents": [], "hlc": "0" * 19, "body": None}))


def settle(project: OpenProject, space: Space) -> Space:
    """Decide on every waiting entry, merge the changed memories, and return the updated space.

    Each memory is a transaction of its own, so that after a kill the rest is done the next time.
    """
    db = project.db
    waiting = db.shared.in_state(_PENDING, HELD, UNKNOWN)
    if not waiting:
        return space
    with db.transaction():
        standing, changed = _membership(project, space, [r for r in waiting if not r.memory_id])
        own = standing.member_of(space.device)
        if own is not None and own != space.member:
            space = set_member(project, space, own)
    touched = dict.fromkeys(row.memory_id for row in waiting if row.memory_id)
    touched |= dict.fromkeys(db.shared.of_devices(changed))
    for memory_id in touched:
        _settle_memory(project, space, standing, memory_id)
    return space


def _membership(
    project: OpenProject, space: Space, waiting: Sequence[SharedLine]
) -> tuple[Standing, set[str]]:
    """Decide on membership entries; return the standing, and devices whose rights may have changed."""
    db = project.db
    before = standing_of(project, space)
    now = project.clock.now()
    rows = [r for r in db.shared.of_memory("") if r.state != REFUSED or r.rev[:1] != "?"]
    entries = [parse(row.line) for row in rows]
    due = [
        entry
        for row, entry in zip(rows, entries, strict=True)
        if entry.op in MEMBERSHIP and (row.state == COUNTS or entry.at <= now + AHEAD_SECONDS)
    ]
    standing = Standing(space.space, due)
    counted = {e.rev for e in due} - set(standing.refused)
    states: dict[tuple[str, int], tuple[str, str]] = {}
    for row, entry in zip(rows, entries, strict=True):
        if entry.rev in counted:
            state = (COUNTS, "")
        elif entry.rev in standing.refused:
            why = standing.refused[entry.rev]
            state = (UNKNOWN if why in EARLY else REFUSED, why)
        elif entry.op in MEMBERSHIP:
            state = (HELD, "its time is in the future")
        else:
            state = (UNKNOWN, "it takes a newer version of Remora")
        if state != (row.state, row.reason):
            states[row.device, row.n] = state
    db.shared.set_states(states)
    if not any(row.state == _PENDING for row in waiting) and not states:
        return standing, set()
    members = {m.id for m in (*before.members(), *standing.members())}
    changed = {
        m
        for m in members
        if before.role(m) != standing.role(m) or before.changes_of(m) != standing.changes_of(m)
    }
    devices = {d for m in changed for d in (*before.devices_of(m), *standing.devices_of(m))}
    return standing, devices


def _settle_memory(project: OpenProject, space: Space, standing: Standing, memory_id: str) -> None:
    db = project.db
    with db.transaction():
        rows = db.shared.of_memory(memory_id)
        entries, states = _counted(project, space, standing, rows)
        before = {(row.device, row.n): (row.state, row.reason) for row in rows}
        db.shared.set_states({key: state for key, state in states.items() if state != before[key]})
        erased = next((e for e in entries if e.op == "erase"), None)
        if erased is None:
            _merge(project, space, standing, memory_id, entries)
            _disputes(project, standing, memory_id, entries)
            return
    if db.memories.get(memory_id) is not None:
        with acting(f"member:{standing.member_of(erased.device)}"):
            erase_memories(project, [memory_id])


def _counted(
    project: OpenProject, space: Space, standing: Standing, rows: Sequence[SharedLine]
) -> tuple[list[Entry], dict[tuple[str, int], tuple[str, str]]]:
    """Return the entries of a memory that count, in order, and the states of all its entries."""
    now = project.clock.now()
    counted: list[Entry] = []
    states: dict[tuple[str, int], tuple[str, str]] = {}
    creator: str | None = None
    for row in rows:
        entry = parse(row.line)
        key = standing.key_of(entry.device)
        if key is None:
            state = (UNKNOWN, "nobody vouched for its device yet")
        elif row.state != COUNTS and not is_genuine(entry, key):
            state = (REFUSED, "its signature is wrong")
        elif entry.op not in OPS:
            state = (UNKNOWN, "it takes a newer version of Remora")
        elif row.state != COUNTS and entry.at > now + AHEAD_SECONDS:
            # An entry that counts stays, even if our clock went back.
            state = (HELD, "its time is in the future; a clock is wrong")
        elif why := standing.verdict(entry, creator) or _nonsense(entry):
            state = (REFUSED, why)
        elif entry.scope not in (space.scope, "team", "organization"):
            state = (REFUSED, "of another project")
        else:
            state = (COUNTS, "")
            creator = creator or standing.member_of(entry.device)
            counted.append(entry)
        states[entry.device, entry.n] = state
    return counted, states


def _nonsense(entry: Entry) -> str:
    """Return the reason why the columns of an entry are invalid; empty if they can be stored."""
    fields = entry.fields
    kinds = ((_TEXT, str | None), (_FLAGS, bool | int), (_NUMBERS, int | float | None))
    for names, kind in kinds:
        if any(name in fields and not isinstance(fields[name], kind) for name in names):
            return "it cannot be understood"
    try:
        lists = [json.loads(fields[name]) for name in _LISTS if name in fields]
        payload = json.loads(fields.get("payload") or "{}")
        draft = MemoryDraft(content=fields.get("content", "no text"), type=fields.get("type", "gotcha"))
        given = {name: fields[name] for name in ("confidence", "scope", "source") if name in fields}
        prepare(draft._replace(**given), lambda: [draft.type])
    except (RemoraError, TypeError, ValueError, RecursionError) as error:
        return f"it cannot be understood: {error}"
    well_formed = all(isinstance(one, list) for one in lists) and isinstance(payload, dict)
    return "" if well_formed else "it cannot be understood"


def _merge(
    project: OpenProject, space: Space, standing: Standing, memory_id: str, entries: Sequence[Entry]
) -> None:
    """Write the entries that count to the local revisions, and the merged row to the memory."""
    db = project.db
    first = next((one for one in entries if "content" in one.fields), None)
    rows = [_revision(space, standing, one, begins=one is first) for one in entries]
    devices = {row.device for row in db.shared.of_memory(memory_id)}
    db.revisions.replace_foreign(memory_id, devices, rows)
    merged = db.revisions.merged(memory_id).fields
    known = db.memories.get(memory_id)
    if any(merged.get(name) is None for name in _NEEDED):
        return  # its first entries have not arrived yet
    values = db.memories.values_of(merged)
    if known is None:
        values = {**_started(project), **values, "id": memory_id}
        record = MemoryRecord(**{n: v for n, v in values.items() if n in MemoryRecord._fields})
        db.memories.insert(record, change=None)
        return
    changes = {n: v for n, v in values.items() if n in (*SHARED, *PERSONAL, "taint", "origins")}
    db.memories.update(memory_id, changes, change=None)


def _started(project: OpenProject) -> dict[str, Any]:
    return {
        "tags": (),
        "related_files": (),
        "related_modules": (),
        "last_accessed_at": to_iso(project.clock.now()),
        "access_count": 0,
        "project_id": project.db.project_id,
    }


def _revision(space: Space, standing: Standing, entry: Entry, *, begins: bool) -> dict[str, Any]:
    """Return an entry as a local revision, with the columns that it may set here."""
    member = standing.member_of(entry.device)
    fields = {name: entry.fields[name] for name in SHARED if name in entry.fields}
    if member == space.member:
        fields |= {name: entry.fields[name] for name in PERSONAL if name in entry.fields}
    else:
        fields |= _foreign(standing, entry, member, begins=begins)
    return {
        "rev": entry.rev,
        "parents": entry.parents,
        "device": entry.device,
        "n": entry.n,
        "hlc": entry.hlc,
        "author": f"member:{member}",
        "op": entry.op,
        "fields": fields,
        "why": entry.why,
    }


def _foreign(standing: Standing, entry: Entry, member: str | None, *, begins: bool) -> Mapping[str, Any]:
    """Return the columns that limit the trust in a colleague's text; `begins`: the memory is theirs."""
    name = standing.name(member)
    approved = ROLES.index(standing.role_at(entry.device, entry.n)) >= _STEWARD
    found: dict[str, Any] = {}
    if "content" in entry.fields:
        found["taint"] = None if approved else json.dumps({"source": f"shared by {name}"}, ensure_ascii=False)
        if begins:
            found["origins"] = json.dumps(
                [{"source": BY_COLLEAGUE, "at": to_iso(entry.at), "text": name}], ensure_ascii=False
            )
    elif entry.op in ("verify", "resolve") and approved:
        found["taint"] = None
    return found


def _disputes(project: OpenProject, standing: Standing, memory_id: str, entries: Iterable[Entry]) -> None:
    opened: Entry | None = None
    for one in entries:
        if one.op == "dispute":
            opened = opened or one
        elif one.op == "resolve":
            opened = None
    if opened is None:
        project.db.shared.settle(memory_id)
    else:
        name = standing.name(standing.member_of(opened.device))
        project.db.shared.dispute(memory_id, to_iso(opened.at), name)
