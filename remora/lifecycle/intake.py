"""Store drafts: validate, clean, redact, compare with stored memories, then insert or merge.

Order matters. Secrets are removed before anything is hashed or compared, so that no digest of a secret is
stored. Duplicates are searched before writing: the same text (ignoring case and white space), then near
duplicates of the same type, found by full-text search and confirmed word by word. Two texts that differ in a
number, an identifier or a negation are never merged, however similar the rest is.

A statement of a person or an agent is compared with earlier statements (`core.relation.relation`): the same
in other words is merged, with both texts kept; an earlier memory that a later statement contradicts is
retired with the reason, and restored when the later one is forgotten. Only a person's statement can retire a
person's statement, and what a session met retires none.

A merge keeps both origins. It never lowers certainty: tags and files are joined, the higher confidence is
kept, a person's statement outranks an inference. Tainted text adds only its origin to a clean memory; a
tainted memory becomes clean only if a person states the same.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from remora.core import payloads
from remora.core.change import PERSON, Change, Op
from remora.core.clock import Clock, to_iso
from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError
from remora.core.evidence import STATED
from remora.core.relation import matter, relation
from remora.core.statement import said_on, same_statement, word_set
from remora.core.strength import HALF_LIVES, SOURCE_TRUST, TAINT_FACTOR
from remora.core.text import collapse, content_hash, jaccard
from remora.core.values import MemoryDraft, MemoryRecord, Origin, Receipt, Redaction
from remora.lifecycle.drafts import Prepared, checked_instant, prepare, require_statement
from remora.lifecycle.flags import (
    RETIREMENTS,
    flag_dependents,
    overturned_by,
    unflag_dependents,
    with_reason,
    without_reason,
)
from remora.store.database import Database

_SAID_AGAIN = "said again"
REFUSALS = (InvalidInput, Conflict, NotFound)  # errors of a draft, not of the store
_COUNTS = re.compile(
    r"(?<!\s)\s+\((?:seen (?:once|in \d+ sessions?)(?:, (?:last )?[\d-]+)?"
    r"|(?:said by the user,|committed) [\d-]+)\)"
    r"|(?<=`)\s+\(\d+\)|(?<!\s)\s+\(\d+ of (?:the last )?\d+(?: sessions?)?\)"
    r"|\bMet (?:once|in \d+ findings)\b|; last \d{4}-\d\d-\d\d"
)
ALIKE = 24  # memories that share words with a draft, and may be its duplicates or its rivals
RIVALS = 6  # of those, the memories that a statement is compared with
SHARED = 0.25  # share of the shorter text's words that two statements on one matter have in common
NEAR_DUPLICATE = 0.85  # Jaccard of word sets, as for repetitions in the packer


class Intake:
    """Stores drafts in one database."""

    def __init__(self, db: Database, clock: Clock, custom_types: Callable[[], Iterable[str]] = tuple) -> None:
        self._db = db
        self._clock = clock
        self._custom_types = custom_types  # called only for a type that is not built in

    def remember(
        self, draft: MemoryDraft, *, revive: bool = True, stated: bool = False, apart_from: str = ""
    ) -> MemoryRecord:
        """Store one draft durably, or merge it with its duplicate.

        Args:
            draft: the memory to store.
            revive: restore a forgotten memory with the same text. Automatic sources pass False: a memory that
                a person forgot stays forgotten.
            stated: the draft is stated now: it must be a statement (`require_statement`).
            apart_from: id of a memory that the draft replaces and is not compared with.

        Returns:
            The record as stored; its `receipt` tells whether it was stored, merged, restored or skipped.

        Raises:
            InvalidInput: the draft cannot be stored; nothing was changed.
        """
        return self.remember_many([draft], revive=revive, stated=stated, apart_from=apart_from)[0]

    def remember_many(
        self,
        drafts: Sequence[MemoryDraft],
        *,
        revive: bool = True,
        stated: bool = False,
        apart_from: str = "",
    ) -> list[MemoryRecord]:
        """Store drafts in one transaction, all or none; return one record for each draft, in order."""
        prepared = [prepare(d, self._custom_types) for d in drafts]
        for one in prepared if stated else ():
            require_statement(one)
        with self._db.transaction():
            return [self._take(p, revive=revive, apart_from=apart_from) for p in prepared]

    def remember_each(self, drafts: Iterable[MemoryDraft | RemoraError]) -> list[MemoryRecord | RemoraError]:
        """Store statements in one transaction, each on its own; return a record or an error for each.

        An error given in place of a draft is returned unchanged.

        Raises:
            StoreError: the store itself failed; nothing was stored.
        """
        with self._db.transaction():
            return [d if isinstance(d, RemoraError) else self._remember_or_refuse(d) for d in drafts]

    def _remember_or_refuse(self, draft: MemoryDraft) -> MemoryRecord | RemoraError:
        try:
            return self.remember(draft, stated=True)
        except REFUSALS as error:
            return error

    def check_changes(
        self, record: MemoryRecord, changes: Mapping[str, Any]
    ) -> tuple[dict[str, Any], tuple[Redaction, ...]]:
        """Return changed fields in the form that would be stored, and the redactions.

        Raises:
            InvalidInput: as for a new memory.
        """
        fields = {n: getattr(record, n) for n in MemoryDraft._fields if n in MemoryRecord._fields}
        ours = {n: v for n, v in changes.items() if n in fields}
        if "content" in ours and "citation_text" not in ours:
            fields["citation_text"] = None
        prepared = prepare(MemoryDraft(**{**fields, **ours}), self._custom_types)
        if "content" in ours:
            require_statement(prepared)
        names = [*ours, *(n for n in ("citation_text",) if "content" in ours)]
        checked = {name: getattr(prepared.draft, name) for name in names}
        if "content" in ours:
            checked["redaction_count"] = prepared.taken_out
        if "silent" in changes:
            checked["silent"] = bool(changes["silent"])
        if "stale_at" in changes:
            checked["stale_at"] = checked_instant("stale_at", changes["stale_at"])
        return checked, prepared.redactions

    def _take(self, prepared: Prepared, *, revive: bool, apart_from: str = "") -> MemoryRecord:
        draft = self._inherit(prepared.draft)
        if draft.external_id is not None:
            known = self._db.memories.with_external_id(draft.external_id)
            if known is not None:
                return self._refresh(known, draft, prepared, revive=revive)
        alike: list[MemoryRecord] = []
        twin = self._same_words(draft, apart_from)
        if twin is None and draft.type not in _NEVER_NEAR:
            alike = self._alike(draft, apart_from)
            twin = _near_duplicate(draft, alike)
        if twin is not None:
            record, similarity = twin
            if record.deprecated and not revive:
                return record._replace(receipt=Receipt("skipped", record.id, similarity, prepared.redactions))
            return self._merge(record, draft, similarity, prepared)
        stated = _is_stated(draft.source, draft.type, draft.origin_path) and draft.taint is None
        rivals = _rivals(draft, alike) if stated else []
        for record in rivals:
            # If a person said the same in two sessions, the first external id is kept.
            said = record.session_id and draft.session_id and draft.source == record.source == "user_taught"
            unnamed = draft._replace(external_id=None) if said else draft
            same = _states(record) and relation(draft.content, record.content) == "same"
            if same and _may_merge(record, unnamed):
                return self._merge(record, draft, NEAR_DUPLICATE, prepared)
        return self._held_against(rivals, self._insert(draft, prepared))

    def _same_words(self, draft: MemoryDraft, apart_from: str) -> tuple[MemoryRecord, float] | None:
        said = collapse(draft.content).casefold()
        for record in self._db.memories.with_hash(content_hash(draft.content)):
            same = record.id != apart_from and collapse(record.content).casefold() == said
            if same and record.superseded_by is None and _may_merge(record, draft):
                return record, 1.0
        return None

    def _alike(self, draft: MemoryDraft, apart_from: str) -> list[MemoryRecord]:
        """Return the live memories that share words with a draft, the most similar first."""
        ids = self._db.fulltext.beginning(matter(draft.content), ALIKE)
        records = self._db.memories.get_many(ids)
        return [records[i] for i in ids if i != apart_from]

    def _held_against(self, rivals: Sequence[MemoryRecord], new: MemoryRecord) -> MemoryRecord:
        """Retire the memories that a new statement contradicts, or the new one if another is later."""
        notes: list[str] = []
        for record in rivals:
            older, newer = (record, new) if _said(record) <= _said(new) else (new, record)
            if not _states(newer) or newer.branch not in (None, older.branch) or not _outranks(newer, older):
                continue
            if relation(newer.content, older.content) != "later":
                continue
            changes = {
                **with_reason(older, overturned_by(newer.id)),
                "deprecated": True,
                "deprecated_at": to_iso(self._clock.now()),
                "pinned": False,
            }
            change = Change("retire", overturned_by(newer.id), maker_of(newer))
            self._db.memories.update(older.id, changes, change=change)
            flag_dependents(self._db, older, f"which {newer.id[:8]} took back", except_id=newer.id)
            if older is new:
                notes = [
                    f"{newer.id[:8]} is newer and contradicts this memory, which is excluded from search"
                ]
                new = new._replace(**changes)
                break
            notes.append(
                f"{older.id[:8]} contradicts this memory and is excluded from search: {older.content}"
            )
        assert new.receipt is not None
        return new._replace(receipt=new.receipt._replace(notes=(*new.receipt.notes, *notes)))

    def _inherit(self, draft: MemoryDraft) -> MemoryDraft:
        """Copy taint from the memories that a draft is derived from; its confidence is lowered once."""
        if not draft.derived_from or draft.taint is not None:
            return draft
        parents = self._db.memories.get_many(draft.derived_from)
        tainted = [parents[i].taint for i in draft.derived_from if i in parents and parents[i].taint]
        if not tainted:
            return draft
        return draft._replace(taint=tainted[0], confidence=draft.confidence * TAINT_FACTOR, needs_review=True)

    def _insert(self, draft: MemoryDraft, prepared: Prepared) -> MemoryRecord:
        now = to_iso(self._clock.now())
        known = {name: getattr(draft, name) for name in MemoryDraft._fields if name in MemoryRecord._fields}
        known["payload"] = dict(draft.payload) if draft.payload is not None else None
        known["created_at"] = draft.created_at or now
        known["decay_half_life_days"] = _half_life(draft)
        record = MemoryRecord(
            **known,
            id=str(uuid.uuid4()),
            updated_at=now,
            last_accessed_at=now,
            access_count=0,
            project_id=self._db.project_id,
            provenance_session_ids=(draft.session_id,) if draft.session_id else (),
            origins=(_origin(draft, now),),
            redaction_count=prepared.taken_out,
            realm=self._db.realm,
        )
        self._db.memories.insert(record, change=Change("create", author=maker_of(record)))
        return record._replace(receipt=Receipt("stored", None, 0.0, prepared.redactions))

    def _merge(
        self, record: MemoryRecord, draft: MemoryDraft, similarity: float, prepared: Prepared
    ) -> MemoryRecord:
        action = "restored" if record.deprecated else "merged"
        receipt = Receipt(action, record.id, similarity, prepared.redactions)
        return self._write(record, draft, {}, receipt, _SAID_AGAIN)

    def _refresh(
        self, record: MemoryRecord, draft: MemoryDraft, prepared: Prepared, *, revive: bool
    ) -> MemoryRecord:
        """Update the memory with the draft's external id: the newer text replaces the older one."""
        same = content_hash(draft.content) == content_hash(record.content)
        action = "restored" if record.deprecated else "merged"
        receipt = Receipt(action, record.id, 1.0, prepared.redactions)
        if record.superseded_by is not None and same:
            note = f"it was superseded by {record.superseded_by[:8]}"
            return record._replace(receipt=receipt._replace(action="skipped", notes=(note,)))
        if record.deprecated and not revive:
            return record._replace(receipt=receipt._replace(action="skipped"))
        replaced: dict[str, Any] = {}
        if not same and not _counted_anew(record, draft):
            replaced = {**replaced_fields(record, draft), "redaction_count": prepared.taken_out}
            receipt = receipt._replace(action="updated")
        return self._write(record, draft, replaced, receipt, _SAID_AGAIN if same else "")

    def _write(
        self, record: MemoryRecord, draft: MemoryDraft, more: dict[str, Any], receipt: Receipt, reason: str
    ) -> MemoryRecord:
        """Merge a draft into a memory with some more changes; one that left search is restored."""
        now = to_iso(self._clock.now())
        lifted = without_reason(record, *RETIREMENTS) if record.deprecated else {}
        changes = lifted | merged_fields(record._replace(**lifted), draft, now)
        if record.deprecated and draft.taint is not None and record.taint is None:
            share = min(record.confidence, draft.confidence)  # only untrusted text restores it
            changes |= {"taint": draft.taint, "needs_review": True, "confidence": share}
        changes |= more
        op: Op = "restore" if record.deprecated else "edit"
        if record.deprecated:
            unflag_dependents(self._db, record)
            changes |= {"deprecated": False, "deprecated_at": None, "superseded_by": None}
            changes["last_accessed_at"] = now
        if changes:
            changes["updated_at"] = now
            self._db.memories.update(record.id, changes, change=Change(op, reason, maker_of(draft)))
        return record._replace(**changes, receipt=receipt)


# Types with similar texts by nature: counts and lists of files, which differ little.
_NEVER_NEAR = frozenset(
    {"task_calibration", "prefetch_pattern", "context_cost", "work_state", "work_unit_outcome"}
)


def _near_duplicate(draft: MemoryDraft, alike: Iterable[MemoryRecord]) -> tuple[MemoryRecord, float] | None:
    """Return the first memory that says the same in nearly the same words, with its similarity."""
    own = word_set(draft.content)
    for record in alike if own else ():
        similarity = jaccard(own, word_set(record.content))
        near = record.type == draft.type and similarity >= NEAR_DUPLICATE
        if near and same_statement(draft.content, record.content) and _may_merge(record, draft):
            return record, similarity
    return None


def _rivals(draft: MemoryDraft, alike: Iterable[MemoryRecord]) -> list[MemoryRecord]:
    """Return the memories on the same matter as a draft, without those from outside and from rule files."""
    own = matter(draft.content)
    return [
        record
        for record in alike
        if record.taint is None
        and record.type not in _NEVER_NEAR
        and not (record.origins and record.origins[0].path)
        and len(own & (other := matter(record.content))) >= SHARED * min(len(own), len(other))
    ][:RIVALS]


def maker_of(made: MemoryDraft | MemoryRecord) -> str:
    """Return the author of a memory by its source; empty for the actor who opened the database."""
    if made.source == "user_taught":
        return PERSON
    if made.source == "agent_explicit":
        return ""
    return "system:init" if made.source == "commit_auto" else f"observer:{made.session_id or ''}"


def _is_stated(source: str, memory_type: str, path: str | None) -> bool:
    """Return whether a memory is a statement of a person or an agent, and not from a rule file."""
    return source in STATED and not path and memory_type not in (*_NEVER_NEAR, *payloads.PAYLOADS)


def _states(record: MemoryRecord) -> bool:
    return _is_stated(record.source, record.type, record.origins[0].path if record.origins else None)


def _said(record: MemoryRecord) -> str:
    return said_on(record.content) or record.created_at[:10]


def _outranks(newer: MemoryRecord, older: MemoryRecord) -> bool:
    """Return whether a later statement may retire an earlier one: a person's only by a person's."""
    held = older.source == "user_taught" or older.pinned or older.user_verified
    return newer.source == "user_taught" or not held


def merged_fields(record: MemoryRecord, draft: MemoryDraft, now: str) -> dict[str, Any]:
    """Return the fields of a record that a duplicate draft changes; empty if it adds nothing."""
    origin = _origin(draft, now)
    if draft.said is None and collapse(draft.content) != collapse(record.content):
        origin = origin._replace(text=draft.content)
    origins = record.origins if _known_origin(record, origin) else (*record.origins, origin)
    if draft.taint is not None and record.taint is None:
        return {"origins": origins} if origins != record.origins else {}
    wanted: dict[str, Any] = {
        "tags": _joined(record.tags, draft.tags),
        "related_files": _joined(record.related_files, draft.related_files),
        "related_modules": _joined(record.related_modules, draft.related_modules),
        "derived_from": _joined(record.derived_from, draft.derived_from),
        "relations": _joined(record.relations, draft.relations),
        "provenance_session_ids": _joined(
            record.provenance_session_ids, (draft.session_id,) if draft.session_id else ()
        ),
        "origins": origins,
        "confidence": max(record.confidence, draft.confidence),
        "pinned": record.pinned or draft.pinned,
        "user_verified": record.user_verified or draft.user_verified,
        "taint": None if draft.source == "user_taught" and draft.taint is None else record.taint,
        "branch": record.branch if record.branch == draft.branch else None,
        "external_id": record.external_id or draft.external_id,
        "target_node_id": record.target_node_id or draft.target_node_id,
        "impacted_node_ids": _joined(record.impacted_node_ids, draft.impacted_node_ids),
    }
    if draft.triggers:
        wanted["triggers"] = dict(draft.triggers)
    if draft.source == "user_taught" and not draft.needs_review and record.review_reason is None:
        wanted["needs_review"] = False  # a person stated it
    if SOURCE_TRUST[draft.source] > SOURCE_TRUST[record.source]:
        wanted |= {"source": draft.source, "type": draft.type, "scope": draft.scope}
        if draft.decay_half_life_days is not None or draft.type != record.type:
            wanted["decay_half_life_days"] = _half_life(draft)
    wanted["payload"] = _merged_payload(record, draft, wanted.get("type", record.type))
    return {name: value for name, value in wanted.items() if value != getattr(record, name)}


def replaced_fields(record: MemoryRecord, draft: MemoryDraft) -> dict[str, Any]:
    """Return the changes when a newer text replaces an older one under the same external id.

    The text brings its own trust. A person's confirmation of the old text does not hold for the new one,
    unless only the counts differ; the taint of the old text does, unless a person stated the new one.
    """
    confirmed = record.user_verified and _claim(record.content) == _claim(draft.content)
    taint = draft.taint or (None if draft.source == "user_taught" else record.taint)
    if confirmed:
        taint = None
    return {
        "content": draft.content,
        "type": draft.type,
        "source": draft.source,
        "confidence": max(record.confidence, draft.confidence) if confirmed else draft.confidence,
        "citation_text": draft.citation_text,
        "context_prefix": draft.context_prefix,
        "payload": draft.payload,
        "decay_half_life_days": _half_life(draft),
        "taint": taint,
        "needs_review": not confirmed and (draft.needs_review or taint is not None),
        "review_reason": None,
        "stale_at": None,
        "user_verified": draft.user_verified or confirmed,
    }


def _counted_anew(record: MemoryRecord, draft: MemoryDraft) -> bool:
    """Return whether tainted text only updates the counts in a clean memory."""
    tainted = draft.taint is not None and record.taint is None and not record.deprecated
    return tainted and not record.user_verified and _claim(record.content) == _claim(draft.content)


def _claim(content: str) -> str:
    """Return a learned text without its counts and dates.

    >>> _claim("Run `a` (31 of the last 50 sessions) and `b` (46) (seen in 4 sessions, last 2026-01-05).")
    'Run `a` and `b`.'
    """
    return _COUNTS.sub("", content)


def _may_merge(record: MemoryRecord, draft: MemoryDraft) -> bool:
    own_ids = record.external_id is not None and draft.external_id is not None
    if own_ids and record.external_id != draft.external_id:
        return False
    if record.scope != draft.scope and {record.scope, draft.scope} & {"work_unit", "session"}:
        return False
    if record.scope == draft.scope == "work_unit" and (record.work_unit_ref or draft.work_unit_ref):
        if record.work_unit_ref != draft.work_unit_ref:
            return False
    elif record.scope in ("work_unit", "session") and record.session_id != draft.session_id:
        return False
    return record.branch is None or draft.branch is None or record.branch == draft.branch


def _half_life(draft: MemoryDraft) -> float | None:
    return HALF_LIVES.get(draft.type) if draft.decay_half_life_days is None else draft.decay_half_life_days


def _merged_payload(record: MemoryRecord, draft: MemoryDraft, kind: str) -> Mapping[str, Any] | None:
    """Return the payload of a merged memory: joined if both have its final type."""
    if kind == record.type:
        if draft.payload is None or draft.type != kind:
            return record.payload
        return {**(record.payload or {}), **draft.payload}
    if draft.payload is not None:
        return draft.payload
    return None if kind in payloads.PAYLOADS else record.payload


def _origin(draft: MemoryDraft, now: str) -> Origin:
    return Origin(
        source=draft.source,
        at=draft.created_at or now,
        session_id=draft.session_id,
        commit_sha=draft.commit_sha,
        path=draft.origin_path,
        line=draft.origin_line,
        text=draft.said,
    )


def _known_origin(record: MemoryRecord, origin: Origin) -> bool:
    """Return whether an origin with its text is recorded.

    The same text stated again by hand is a new origin only on another day.
    """

    def place(o: Origin) -> tuple[object, ...]:
        anchored = o.session_id or o.commit_sha or o.path
        return (o.source, o.session_id, o.commit_sha, o.path, o.text, None if anchored else o.at[:10])

    return any(place(o) == place(origin) for o in record.origins)


def _joined(first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*first, *second)))
