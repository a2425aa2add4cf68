"""Select the memories, and the columns of them, that leave this machine.

A memory leaves if it is shared, by a person's command or because the project shares its memories
automatically. Without a person's command a memory stays if it is personal, waits for review, had a secret
redacted, derives from text from outside, or belongs to an unmerged branch. A text that names this machine,
its user or a folder of theirs never leaves.
"""

from __future__ import annotations

import getpass
import json
import re
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.app.sharing.space import MARK, WAITING, add
from remora.core.change import Change
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.core.merge import Revision
from remora.sharing.entries import TALK
from remora.sharing.permissions import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from remora.app.project.open_project import OpenProject
    from remora.app.sharing.space import Space
    from remora.core.values import MemoryRecord
    from remora.store.database import Database

# Columns that are sent; those in PERSONAL are applied on the same person's machines only.
SHARED = (
    *("type", "content", "payload", "confidence", "tags", "related_files", "related_modules", "relations"),
    *("citation_text", "decay_half_life_days", "scope", "source", "created_at", "updated_at"),
    *("deprecated", "deprecated_at", "superseded_by", "stale_at", "trust_level_scope"),
)
PERSONAL = ("pinned", "user_verified", "silent", "needs_review", "review_reason")
AUTOMATIC = "system:share"  # the author of automatic shares
LEAVING = "system:leave"  # the author of changes that leaving makes
_STAYS = ("system:prune", "system:branches", "system:code", "system:use", LEAVING)  # of one machine
_COMMON = frozenset(
    {"root", "user", "admin", "administrator", "ubuntu", "debian", "localhost", "runner", "dev"}
)
_HOMES = re.compile(r"(?:/home/|/Users/|/root/|[A-Za-z]:\\+Users\\+)\w")
_LEAST = 4  # characters; shorter names of this machine are not checked


class Leaving(NamedTuple):
    """The entries that the next exchange would send, and the memories that stay.

    Attributes:
        memories: ids of the memories with changes to send.
        entries: number of changes that are ready and not sent yet.
        waiting: the reasons why other memories stay, by id.
    """

    memories: tuple[str, ...]
    entries: int
    waiting: dict[str, str]


def gather(project: OpenProject, space: Space, standing: Standing) -> None:
    """Turn local changes of shared memories into entries of this machine; call inside a transaction."""
    if standing.member_of(space.device) is None:
        return  # no member has vouched for this machine yet: its entries would not count
    db = project.db
    names = _Names(project)
    waiting: dict[str, str] = {}
    if space.automatic and not standing.verdict_on(space.device, "share", space.scope, None):
        for record in db.memories.get_many(db.shared.eligible()).values():
            if why := names.named_in(record):
                waiting[record.id] = why
            else:
                change = Change("share", author=AUTOMATIC)
                db.memories.update(record.id, {"trust_level_scope": "project"}, change=change)
    mark = int(db.meta.get(MARK, 0))
    changed = db.shared.changed_after(db.revisions.device, mark)
    before = db.meta.get(WAITING) or {}
    for memory_id in [*changed, *(i for i in before if i not in changed)]:
        if why := _send(project, space, standing, memory_id, names):
            waiting[memory_id] = why
    db.meta.set(MARK, max([mark, *changed.values()]))
    db.meta.set(WAITING, waiting)


def preview(project: OpenProject, space: Space, standing: Standing) -> Leaving:
    """Return the entries that an exchange would send now; nothing is changed."""
    db = project.db
    with db.transaction(undo=True):
        sent = db.shared.last().get(space.device, 0)
        gather(project, space, standing)
        rows = [row for row in db.shared.in_state("counts") if row.device == space.device and row.n > sent]
        ids = tuple(dict.fromkeys(row.memory_id for row in rows if row.memory_id))
        return Leaving(ids, len(rows), staying(db))


def staying(db: Database) -> dict[str, str]:
    """Return the reasons why memories stay on this machine, by id."""
    return {**db.shared.need_a_word(), **(db.meta.get(WAITING) or {})}


def _send(project: OpenProject, space: Space, standing: Standing, memory_id: str, names: _Names) -> str:
    """Add entries for changes of a memory that the log lacks; return the reason why some must wait."""
    db = project.db
    known = db.shared.revs(memory_id)
    record = db.memories.get(memory_id)
    revisions = db.revisions.of(memory_id)
    parents = {one.rev: one.parents for one in revisions}
    creator = _creator(project, standing, memory_id)
    open_ = creator is not None and not any(one.op == "share" for one in revisions if _is_own(db, one))
    for one in revisions:
        if not _is_own(db, one):
            continue
        was_open, open_ = open_, (open_ or one.op == "share") and one.op != "unshare"
        if one.rev in known or not (was_open or open_) or one.author.startswith(_STAYS):
            continue
        op, fields = _told(project, space, standing, one)
        if (not fields and op not in (*TALK, "erase")) or (op in ("erase", "unshare") and not known):
            continue
        visibility = "project" if record is None else record.trust_level_scope
        scope = visibility if visibility in ("team", "organization") else space.scope
        if standing.verdict_on(space.device, op, scope, creator):
            continue  # a change without the right to it stays local
        said = one.why if op in TALK else ""
        if why := names.named(json.dumps(fields, ensure_ascii=False) + said):
            return why
        try:
            add(
                project,
                space,
                op,
                fields,
                place=(one.rev, one.hlc),
                memory_id=memory_id,
                parents=_shared_parents(one.rev, parents, known),
                scope=scope,
                author=one.author.partition(":")[0],
                why=said,
            )
        except InvalidInput as error:
            return str(error)
        known.add(one.rev)
        creator = creator or space.member
    return ""


def _told(
    project: OpenProject, space: Space, standing: Standing, one: Revision
) -> tuple[str, Mapping[str, Any]]:
    """Return the operation and columns of a change to send; a new share sends the whole memory."""
    gone = {"deprecated": 1, "deprecated_at": to_iso(project.clock.now())}
    if one.op == "erase":
        return ("erase", {}) if standing.role(space.member) == "admin" else ("unshare", gone)
    if one.op == "unshare":
        return "unshare", gone
    fields = one.fields
    if one.op == "share":
        fields = project.db.revisions.replayed(one.memory_id, one.rev)
    return one.op, {name: fields[name] for name in (*SHARED, *PERSONAL) if name in fields}


def _is_own(db: Database, one: Revision) -> bool:
    return one.device == db.revisions.device


def _shared_parents(rev: str, parents: Mapping[str, tuple[str, ...]], known: set[str]) -> tuple[str, ...]:
    """Return the nearest ancestors of a revision that are in the log."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    waiting = list(parents.get(rev, ()))
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in known:
            found[one] = None
        else:
            waiting += parents.get(one, ())
    return tuple(sorted(found))


def _creator(project: OpenProject, standing: Standing, memory_id: str) -> str | None:
    first = next((r for r in project.db.shared.of_memory(memory_id) if r.state == "counts"), None)
    return standing.member_of(first.device) if first else None


def must_be_shareable(
    project: OpenProject, space: Space, standing: Standing, record: MemoryRecord, visibility: str
) -> None:
    """Check that a person may share a memory with a visibility.

    Raises:
        InvalidInput: its branch is not merged, it names this machine, or the user's role does not allow it.
    """
    short = record.id[:8]
    if visibility == "personal":
        return
    if record.branch is not None:
        raise InvalidInput(f"{short} is of branch {record.branch}, which is not merged")
    if why := _Names(project).named_in(record):
        raise InvalidInput(
            f"{short} cannot be shared: it {why}", hint=f"`remora edit {short}` can say it in general words."
        )
    scope = visibility if visibility in ("team", "organization") else space.scope
    if why := standing.verdict_on(space.device, "share", scope, _creator(project, standing, record.id)):
        raise InvalidInput(f"{short} cannot be shared: {why.replace('its author is', 'you are')}")


class _Names:
    """The names of this machine, its user and their folders, which never leave."""

    def __init__(self, project: OpenProject) -> None:
        places = {str(project.location.root), str(project.location.home), str(Path.home())}
        self._places = [place for place in places if len(place) > _LEAST]
        names = {socket.gethostname(), socket.gethostname().partition(".")[0]}
        with suppress(OSError, KeyError, ImportError):
            names.add(getpass.getuser())
        known = {n.casefold() for n in names if len(n) >= _LEAST} - _COMMON
        self._words = (
            re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(known)))})(?!\w)") if known else None
        )

    def named_in(self, record: MemoryRecord) -> str:
        """Return the reason why a memory may not leave; empty if it may."""
        said = [record.content, record.citation_text or "", *record.tags, *record.related_files]
        return self.named(
            "\n".join((*said, json.dumps(record.payload or {}, ensure_ascii=False, default=str)))
        )

    def named(self, text: str) -> str:
        """Return the reason why a text may not leave; empty if it may."""
        if any(place in text for place in self._places) or _HOMES.search(text):
            return "names a folder of this machine or of a user"
        if self._words is not None and self._words.search(text.casefold()):
            return "names this machine or its user"
        return ""
