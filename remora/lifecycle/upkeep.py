"""Change stored memories: edit, supersede, pin, verify, forget, restore.

Superseding or forgetting a memory affects the memories derived from it: each is flagged for review with the
reason, and ranks lower until a person reviews it. Restoring removes the flags that were set for that memory
alone.
"""

from __future__ import annotations

from typing import Any

from remora.core.change import Change
from remora.core.clock import Clock, to_iso
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.core.merge import Revision
from remora.core.strength import HALF_LIVES
from remora.core.text import content_hash
from remora.core.values import MemoryDraft, MemoryRecord, Receipt, Relation
from remora.lifecycle.flags import (
    RETIREMENTS,
    flag_dependents,
    overturned_by,
    unflag_dependents,
    with_reason,
    without_reason,
)
from remora.lifecycle.intake import Intake
from remora.store.database import Database

EDITABLE = (
    "content",
    "type",
    "confidence",
    "tags",
    "related_files",
    "related_modules",
    "scope",
    "branch",
    "citation_text",
    "payload",
    "triggers",
    "relations",
    "decay_half_life_days",
    "stale_at",
    "silent",
    "target_node_id",
    "impacted_node_ids",
)
MIN_ID_PREFIX = 4
_NUMBER = 5  # maximum digits of a revision's number; longer text is a prefix of its id


def resolve(db: Database, memory_id: str) -> MemoryRecord:
    """Return the memory with an id, or with the only id that has a prefix of at least 4 characters.

    Raises:
        NotFound: no memory has this id.
        Conflict: several ids have this prefix.
    """
    found = db.memories.get(memory_id)
    if found is None and len(memory_id) >= MIN_ID_PREFIX:
        ids = db.memories.ids_starting(memory_id)
        if len(ids) > 1:
            raise Conflict(
                f"{memory_id!r} is ambiguous: several ids begin with it: {', '.join(i[:12] for i in ids)}",
                hint="Use more characters of the id.",
            )
        found = db.memories.get(ids[0]) if ids else None
    if found is None:
        raise NotFound(f"there is no memory {memory_id!r}", hint="`remora list` shows the ids.")
    return found


class Upkeep:
    """Changes stored memories of one database."""

    def __init__(self, db: Database, clock: Clock, intake: Intake) -> None:
        self._db = db
        self._clock = clock
        self._intake = intake

    def edit(self, memory_id: str, changes: dict[str, Any]) -> MemoryRecord:
        """Change fields of a memory; an edit of the text also counts as a review.

        Raises:
            NotFound, Conflict: see `resolve`.
            InvalidInput: a field cannot be edited, or a value is invalid.
        """
        unknown = sorted(set(changes) - set(EDITABLE))
        if unknown:
            raise InvalidInput(f"{unknown[0]!r} cannot be edited", hint=f"Editable: {', '.join(EDITABLE)}.")
        if not changes:
            raise InvalidInput("nothing to change", hint=f"Name at least one of {', '.join(EDITABLE)}.")
        record = resolve(self._db, memory_id)
        checked, redactions = self._intake.check_changes(record, changes)
        if "type" in checked and "decay_half_life_days" not in checked:
            checked["decay_half_life_days"] = HALF_LIVES.get(checked["type"])
        if "content" in checked:
            checked |= {"needs_review": False, "review_reason": None, "stale_at": checked.get("stale_at")}
        after = self._save(record, checked, Change("edit"))
        return after._replace(receipt=Receipt("updated", redactions=redactions))

    def supersede(self, memory_id: str, draft: MemoryDraft) -> MemoryRecord:
        """Replace an old memory by a new one; the old one stays readable, but leaves search.

        Memories derived from the old one are flagged. Returns the new memory.

        Raises:
            Conflict: the old memory was superseded already, or the new text is the same.
        """
        old = resolve(self._db, memory_id)
        if old.superseded_by is not None:
            raise Conflict(
                f"{old.id[:8]} was superseded by {old.superseded_by[:8]}",
                hint=f"Supersede {old.superseded_by[:8]} instead.",
            )
        relation = Relation("supersedes", target_memory_id=old.id)
        draft = draft._replace(relations=(*draft.relations, relation))
        if old.taint is not None and draft.taint is None and draft.source != "user_taught":
            # A paraphrase of untrusted text is untrusted too.
            sure = min(draft.confidence, old.confidence)
            draft = draft._replace(taint=old.taint, confidence=sure, needs_review=True)
        now = to_iso(self._clock.now())
        with self._db.transaction():
            new = self._intake.remember(draft, stated=True, apart_from=old.id)
            if new.id == old.id or content_hash(new.content) == content_hash(old.content):
                raise Conflict("the new text is the same as the old one", hint="Nothing was changed.")
            changes = {"deprecated": True, "deprecated_at": now, "superseded_by": new.id, "pinned": False}
            change = Change("supersede", f"by {new.id[:8]}")
            self._db.memories.update(old.id, {**changes, "updated_at": now}, change=change)
            what = f"which was superseded by {new.id[:8]}"
            flag_dependents(self._db, old, what, except_id=new.id)
        return new

    def forget(self, memory_id: str) -> MemoryRecord:
        """Remove a memory from every search; it can be restored until pruning deletes it.

        A memory that Remora had retired counts as forgotten by a person from now on. A memory that was
        retired because this one contradicted it is restored, and the receipt's notes say so.
        """
        record = resolve(self._db, memory_id)
        lifted = without_reason(record, *RETIREMENTS)
        if record.deprecated:
            return self._save(record, lifted, Change("retire")) if lifted else record
        with self._db.transaction():
            gone = self._put_away(record, lifted, Change("retire"))
            back = [self.restore(i) for i in self._db.memories.put_away_with(overturned_by(record.id))]
        notes = tuple(f"{old.id[:8]}, which it contradicted, is restored: {old.content}" for old in back)
        return gone._replace(receipt=Receipt("forgotten", notes=notes)) if notes else gone

    def outdate(self, memory_id: str) -> MemoryRecord:
        """Remove a memory from every search because it no longer holds."""
        record = resolve(self._db, memory_id)
        if record.deprecated:
            return record
        stale = {"stale_at": to_iso(self._clock.now())}
        return self._put_away(record, stale, Change("retire", "out of date"))

    def retire(self, memory_id: str, reason: str) -> MemoryRecord:
        """Remove a memory from every search automatically; `reason` begins with one of RETIREMENTS."""
        record = resolve(self._db, memory_id)
        if record.deprecated:
            return record
        return self._put_away(record, with_reason(record, reason), Change("retire", reason))

    def _put_away(self, record: MemoryRecord, changes: dict[str, Any], change: Change) -> MemoryRecord:
        gone = {"deprecated": True, "deprecated_at": to_iso(self._clock.now()), "pinned": False}
        with self._db.transaction():
            after = self._save(record, changes | gone, change)
            flag_dependents(self._db, record, "which was forgotten")
        return after

    def restore(self, memory_id: str) -> MemoryRecord:
        """Restore a forgotten or superseded memory, and remove the flags that its absence had set."""
        record = resolve(self._db, memory_id)
        if not record.deprecated:
            return record
        now = to_iso(self._clock.now())
        changes = {"deprecated": False, "deprecated_at": None, "superseded_by": None, "last_accessed_at": now}
        with self._db.transaction():
            after = self._save(record, changes | without_reason(record, *RETIREMENTS), Change("restore"))
            unflag_dependents(self._db, record)
        if record.superseded_by is None:
            return after
        note = f"{record.superseded_by[:8]}, which superseded it, still exists; forget one of them"
        return after._replace(receipt=Receipt("restored", record.superseded_by, notes=(note,)))

    def revert(self, memory_id: str, revision: str) -> MemoryRecord:
        """Set the text and the other editable fields of a memory to those after one of its revisions.

        Args:
            memory_id: its id or a unique prefix of it.
            revision: id of the revision, a prefix of it, or its number from 1 on.

        Raises:
            NotFound: the memory has no such revision.
            InvalidInput: the text of the revision is lost; the database was damaged.
        """
        record = resolve(self._db, memory_id)
        wanted = self._revision(record, revision)
        columns = self._db.revisions.replayed(record.id, wanted.rev)
        if not columns.get("content"):
            raise InvalidInput("the text of this revision is no longer stored")
        known = {name: columns.get(name) for name in EDITABLE if name != "stale_at"}
        earlier = self._db.memories.values_of(known)
        now = {name: getattr(record, name) for name in earlier}
        changes = {name: value for name, value in earlier.items() if value != now[name]}
        if not changes:
            return record
        checked, redactions = self._intake.check_changes(record, changes)
        change = Change("restore", f"as after revision {revision}")
        return self._save(record, checked, change)._replace(receipt=Receipt("updated", redactions=redactions))

    def _revision(self, record: MemoryRecord, named: str) -> Revision:
        found = self._db.revisions.of(record.id)
        number = int(named) - 1 if named.isdecimal() and len(named) <= _NUMBER else -1
        if 0 <= number < len(found):
            return found[number]
        wanted = [one for one in found if len(named) > _NUMBER and one.rev.startswith(named)]
        if len(wanted) != 1:
            raise NotFound(
                f"{record.id[:8]} has no revision {named!r}",
                hint=f"`remora show {record.id[:8]} --history` lists them.",
            )
        return wanted[0]

    def pin(self, memory_id: str, *, pinned: bool = True) -> MemoryRecord:
        """Exempt a memory from decay and pruning, or end the exemption."""
        return self._change(memory_id, {"pinned": pinned}, Change("pin" if pinned else "unpin"))

    def verify(self, memory_id: str) -> MemoryRecord:
        """Store that a person confirms a memory: review flags and taint are removed, decay restarts."""
        now = to_iso(self._clock.now())
        return self._change(
            memory_id,
            {
                "user_verified": True,
                "needs_review": False,
                "review_reason": None,
                "taint": None,
                "stale_at": None,
                "last_accessed_at": now,
            },
            Change("verify"),
        )

    def _change(self, memory_id: str, changes: dict[str, Any], change: Change) -> MemoryRecord:
        record = resolve(self._db, memory_id)
        if record.deprecated:
            raise Conflict(f"{record.id[:8]} is forgotten", hint=f"`remora restore {record.id[:8]}` first.")
        return self._save(record, changes, change)

    def _save(self, record: MemoryRecord, changes: dict[str, Any], change: Change) -> MemoryRecord:
        if all(getattr(record, name) == value for name, value in changes.items()):
            return record
        changes = {**changes, "updated_at": to_iso(self._clock.now())}
        with self._db.transaction():
            self._db.memories.update(record.id, changes, change=change)
        return record._replace(**changes)
