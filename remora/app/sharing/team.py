"""Members, disputes, conflicts, and onboarding of new members."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from remora.app.sharing.space import add, need_space, space_of, standing_of
from remora.core.change import Change
from remora.core.clock import DAY_SECONDS, from_iso, to_iso
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.core.values import MemoryDraft
from remora.lifecycle.upkeep import resolve
from remora.sharing.permissions import REMOVED, ROLES
from remora.store.shared import COUNTS

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.change import Op
    from remora.core.merge import Revision
    from remora.core.values import MemoryRecord
    from remora.store.shared import Dispute

FIVE = 5  # memories for a new member
PINNED_WEIGHT = 2.0
ESCALATED_DAYS = 14  # after which an open dispute is reported to admins


class MemberInfo(NamedTuple):
    """A member: id, name, role, and number of machines in the log; `me` is True for the user."""

    id: str
    name: str
    role: str
    machines: int
    me: bool


class Version(NamedTuple):
    """One of the texts of a conflict.

    Attributes:
        revision: id of the change.
        by: its author.
        at: its time, ISO 8601.
        content: the text; empty for a retirement.
        mine: whether it was made on this machine.
    """

    revision: str
    by: str
    at: str
    content: str
    mine: bool


class Contested(NamedTuple):
    """A memory in conflict, and its texts, oldest first."""

    memory: MemoryRecord
    versions: tuple[Version, ...]


class Comment(NamedTuple):
    """A part of a thread: the operation ("dispute", "comment", "resolve"), author, time and text."""

    op: str
    by: str
    at: str
    text: str


def members(project: OpenProject) -> list[MemberInfo]:
    """Return the members, by name."""
    space = need_space(project)
    standing = standing_of(project, space)
    found = [
        MemberInfo(m.id, m.name, m.role, len(standing.active_devices(m.id)), m.id == space.member)
        for m in standing.members()
    ]
    return sorted(found, key=lambda m: (m.name.casefold(), m.id))


def set_role(project: OpenProject, who: str, role: str) -> MemberInfo:
    """Change the role of a member, or end the membership ("removed").

    Raises:
        NotFound: there is no such member, by name or id.
        InvalidInput: there is no such role, or the user is no admin.
        Conflict: the member is the only admin.
    """
    if role not in (*ROLES, REMOVED):
        raise InvalidInput(f"unknown role {role!r}", hint=f"Choose one of {', '.join((*ROLES, REMOVED))}.")
    space = need_space(project)
    member = _member(project, who)
    standing = standing_of(project, space)
    mine = standing.role(space.member)
    if mine != "admin":
        raise InvalidInput(f"only an admin can change a role, and you are a {mine}")
    admins = [m for m in standing.members() if m.role == "admin"]
    if [m.id for m in admins] == [member.id] and role != "admin":
        raise only_admin(member.name)
    last = project.db.shared.last()
    cuts = {device: last.get(device, 0) for device in standing.devices_of(member.id)}
    with project.db.transaction():
        add(project, space, "role", {"member": member.id, "role": role, "cuts": cuts})
    return member._replace(role=role)


def only_admin(name: str) -> Conflict:
    """Return the error that a log would lose its only admin."""
    return Conflict(f"{name} is the only admin", hint="Make another member an admin first.")


def _member(project: OpenProject, who: str) -> MemberInfo:
    known = members(project)
    found = [m for m in known if who in (m.id, m.name)] or [m for m in known if m.id.startswith(who)]
    if len(found) != 1:
        raise NotFound(
            f"no member, or more than one, matches {who!r}", hint="`remora team members` shows names and ids."
        )
    return found[0]


# Conflicts


def conflicts(project: OpenProject) -> list[Contested]:
    """Return the memories in conflict, oldest first."""
    db = project.db
    found = []
    for memory_id in db.revisions.forked():
        contested = db.revisions.merged(memory_id).contested
        record = db.memories.get(memory_id)
        if contested and record is not None:
            made = [one for one in db.revisions.of(memory_id) if one.rev in contested]
            found.append(Contested(record, tuple(_version(project, one) for one in made)))
    return sorted(found, key=lambda c: (c.versions[0].at, c.memory.id))


def _version(project: OpenProject, one: Revision) -> Version:
    mine = one.device == project.db.revisions.device
    by = "you" if mine else _by(project, one)
    return Version(one.rev, by, to_iso(one.at), str(one.fields.get("content", "")), mine)


def _by(project: OpenProject, one: Revision) -> str:
    space = space_of(project)
    kind, _, member = one.author.partition(":")
    return standing_of(project, space).name(member) if space and kind == "member" else one.author


def decide(project: OpenProject, memory_id: str, keep: str, *, named: bool) -> MemoryRecord:
    """Resolve a conflict between the texts of a memory; see `Sharing.decide`."""
    record = resolve(project.db, memory_id)
    contested = next((c for c in conflicts(project) if c.memory.id == record.id), None)
    if contested is None:
        raise NotFound(f"{record.id[:8]} has no conflict", hint="`remora conflicts` lists them.")
    if keep == "both":
        chosen = contested.versions[-1]
        with project.db.transaction():
            for one in contested.versions[:-1]:
                if one.content and one.content != chosen.content:
                    _beside(project, record, one.content)
            return _settled(project, record, chosen.content)
    found = _named(contested, keep)
    if len(found) > 1:
        raise Conflict(
            f"{keep!r} matches more than one text of {record.id[:8]}",
            hint="Name the revision: " + _ids(found),
        )
    if named and not found:
        raise NotFound(f"no text of {record.id[:8]} is {keep}", hint=_ids(contested.versions))
    if found and not found[0].content:
        with project.db.transaction():
            _settled(project, record, record.content)
            return project.store("project").upkeep.forget(record.id)
    return _settled(project, record, found[0].content if found else keep)


def _named(contested: Contested, keep: str) -> list[Version]:
    if keep in ("mine", "theirs"):
        found = [v for v in contested.versions if v.mine == (keep == "mine")]
        if not found:
            raise NotFound(f"no text of {contested.memory.id[:8]} is {keep}", hint=_ids(contested.versions))
        return found
    return [v for v in contested.versions if len(keep) >= 8 and v.revision.startswith(keep)]


def _ids(versions: tuple[Version, ...] | list[Version]) -> str:
    return ", ".join(f"{v.revision} ({v.by})" for v in versions)


def _settled(project: OpenProject, record: MemoryRecord, content: str) -> MemoryRecord:
    """Write a text as a revision after all contested ones, even if it is the present text."""
    db = project.db
    checked, _ = project.store("project").intake.check_changes(record, {"content": content})
    changes = {"content": checked["content"], "deprecated": False, "deprecated_at": None}
    changes["updated_at"] = to_iso(project.clock.now())
    with db.transaction():
        db.revisions.write(record.id, Change("edit", "decided between texts"), {**changes, "deprecated": 0})
        db.memories.update(record.id, changes, change=None)
    return resolve(db, record.id)


def _beside(project: OpenProject, record: MemoryRecord, content: str) -> None:
    """Store another text of a memory as a separate memory."""
    draft = MemoryDraft(
        content=content,
        type=record.type,
        source=record.source,
        confidence=record.confidence,
        tags=record.tags,
        related_files=record.related_files,
        related_modules=record.related_modules,
        taint=record.taint,
    )
    project.store("project").intake.remember(draft)


# Disputes


def talk(project: OpenProject, memory_id: str, op: Op, text: str) -> MemoryRecord:
    """Dispute a shared memory, add a comment to its thread, or uphold it ("resolve").

    All members see it, and a disputed memory ranks lower until a steward decides.
    """
    space, db = need_space(project), project.db
    role = standing_of(project, space).role(space.member)
    if op == "resolve" and (role not in ROLES or ROLES.index(role) < ROLES.index("steward")):
        raise InvalidInput(f"only a steward or an admin can decide a dispute, and you are a {role}")
    record = resolve(db, memory_id)
    if op == "comment" and record.id not in {d.memory_id for d in db.shared.disputes()}:
        raise NotFound(f"{record.id[:8]} is not disputed", hint="`remora dispute ID TEXT` disputes it.")
    if record.trust_level_scope == "personal":
        raise InvalidInput(
            f"{record.id[:8]} is not shared", hint=f"`remora share {record.id[:8]} --with project`"
        )
    words = " ".join(text.split())
    if not words:
        raise InvalidInput("the reason is missing")
    with db.transaction():
        db.revisions.write(record.id, Change(op, words), {})
        if op == "dispute":
            db.shared.dispute(record.id, to_iso(project.clock.now()), "you")
        elif op == "resolve":
            db.shared.settle(record.id)
    return record


def thread(project: OpenProject, memory_id: str) -> list[Comment]:
    """Return the thread of a memory, oldest first, and mark its dispute as seen."""
    record = resolve(project.db, memory_id)
    space = space_of(project)
    if space is None:
        return []
    if not project.read_only:
        with project.db.transaction():
            project.db.shared.see(record.id, to_iso(project.clock.now()))
    standing = standing_of(project, space)
    found = []
    for one in project.db.revisions.of(record.id):
        if one.op in ("dispute", "comment") or (one.op == "resolve" and one.why and not one.fields):
            kind, _, member = one.author.partition(":")
            by = standing.name(member if kind == "member" else space.member)
            found.append(Comment(one.op, by, to_iso(one.at), one.why))
    return found


def for_me(project: OpenProject) -> list[Dispute]:
    """Return the unseen disputes that wait for the user.

    A steward gets all of them; an admin gets the old ones, or all if there is no steward.
    """
    space = space_of(project)
    if space is None:
        return []
    standing, now = standing_of(project, space), project.clock.now()
    role = standing.role(space.member)
    if role not in ("steward", "admin"):
        return []
    found = [one for one in project.db.shared.disputes() if one.seen_at is None]
    if role == "admin" and any(m.role == "steward" for m in standing.members()):
        found = [d for d in found if now - from_iso(d.opened_at) >= ESCALATED_DAYS * DAY_SECONDS]
    return found


def onboarding(project: OpenProject) -> list[MemoryRecord]:
    """Return the memories of others that a new member should see first.

    Order: confidence x 2 if pinned x log(1 + 1 + members whose agents used it), so that a new team has an
    order, too.
    """
    space = space_of(project)
    if space is None:
        return []
    standing = standing_of(project, space)
    users = project.db.shared.users()
    mine = set(standing.devices_of(space.member))
    counted = {
        r.memory_id for r in project.db.shared.in_state(COUNTS) if r.device not in mine and r.memory_id
    }
    found = [m for m in project.db.memories.get_many(counted).values() if not m.deprecated]

    def weight(record: MemoryRecord) -> float:
        using = {standing.member_of(device) for device in users.get(record.id, ())}
        return record.confidence * (PINNED_WEIGHT if record.pinned else 1.0) * math.log1p(1 + len(using))

    return sorted(found, key=lambda m: (-weight(m), m.created_at, m.id))[:FIVE]
