"""What enters: validated, cleaned, redacted, compared with what is there, then stored.

Order matters. Secrets go before anything is hashed or compared, so that no digest of a secret is
ever kept. Duplicates are looked for before writing: the same text (blind to case and white space),
then near duplicates of the same type, found by MinHash bands and confirmed word by word. Two texts
that differ in a number, an identifier or a negation are never merged, however alike the rest is.

A merge keeps both origins. It never lowers what is known: tags and files are joined, confidence is
the higher one, a person's word outranks an inference. Tainted text adds its origin to a clean memory
and nothing else; a tainted memory is cleared by a person who says the same, by nobody else.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from remora.core import payloads, sketch
from remora.core.clock import Clock, from_iso, to_iso
from remora.core.errors import InvalidInput
from remora.core.secrets import redact
from remora.core.strength import SOURCE_TRUST, TAINT_FACTOR, half_life
from remora.core.text import clean, collapse, content_hash, index_terms, jaccard, salient, shorten
from remora.core.values import (
    MEMORY_SCOPES,
    MEMORY_SOURCES,
    MEMORY_TYPES,
    RELATION_TYPES,
    MemoryDraft,
    MemoryRecord,
    Origin,
    Receipt,
    Redaction,
)
from remora.store.space import Space

MAX_CONTENT_CHARS = 20_000  # a memory is a statement; a document belongs in a file
NEAR_DUPLICATE = 0.85  # Jaccard of word sets, as the packer's rule for saying things twice
CITATION_CHARS = 40  # section 3
MAX_LIST_ITEMS = 200


class Prepared(NamedTuple):
    """A draft that may be stored: cleaned, redacted, checked."""

    draft: MemoryDraft
    redactions: tuple[Redaction, ...]
    notes: tuple[str, ...]


class Intake:
    """Takes drafts in; one for each database."""

    def __init__(self, space: Space, clock: Clock, custom_types: Callable[[], Iterable[str]] = tuple) -> None:
        self._space = space
        self._clock = clock
        self._custom_types = custom_types  # asked only for a type that is not one of ours

    def remember(self, draft: MemoryDraft, *, revive: bool = True) -> MemoryRecord:
        """Store one draft durably, or merge it with what it duplicates.

        Args:
            draft: what to remember.
            revive: bring a forgotten memory with the same text back. Automatic sources say False: what
                a person forgot stays forgotten.

        Returns:
            The record as stored; `receipt` says whether it was stored, merged, restored or skipped.

        Raises:
            InvalidInput: the draft cannot be stored; nothing was changed.
        """
        return self.remember_many([draft], revive=revive)[0]

    def remember_many(self, drafts: Sequence[MemoryDraft], *, revive: bool = True) -> list[MemoryRecord]:
        """Store many drafts in one transaction: all or none; one record for each draft, in order."""
        prepared = [self._prepare(d) for d in drafts]
        with self._space.db.transaction():
            return [self._take(p, revive=revive) for p in prepared]

    def check_changes(
        self, record: MemoryRecord, changes: Mapping[str, Any]
    ) -> tuple[dict[str, Any], tuple[Redaction, ...]]:
        """Return changed fields as a draft with them would be stored, and what was redacted.

        Raises:
            InvalidInput: as for a new memory.
        """
        fields = {n: getattr(record, n) for n in MemoryDraft._fields if n in MemoryRecord._fields}
        ours = {n: v for n, v in changes.items() if n in fields}
        if "content" in ours and "citation_text" not in ours:
            fields["citation_text"] = None
        if "type" in ours and "payload" not in ours:
            fields["payload"] = None
        prepared = self._prepare(MemoryDraft(**{**fields, **ours}))
        names = [*ours, *(n for n in ("citation_text",) if "content" in ours)]
        checked = {name: getattr(prepared.draft, name) for name in names}
        if "stale_at" in changes:
            checked["stale_at"] = changes["stale_at"]
        return checked, prepared.redactions

    def _prepare(self, draft: MemoryDraft) -> Prepared:
        notes: list[str] = []
        content = checked_text(draft.content, "content", MAX_CONTENT_CHARS, notes)
        if draft.type not in MEMORY_TYPES:
            _one_of("type", draft.type, (*MEMORY_TYPES, *self._custom_types()))
        _one_of("source", draft.source, MEMORY_SOURCES)
        _one_of("scope", draft.scope, MEMORY_SCOPES)
        for relation in draft.relations:
            _one_of("relation", relation.relation_type, RELATION_TYPES)
        if isinstance(draft.confidence, bool) or not 0.0 <= draft.confidence <= 1.0:
            raise InvalidInput(f"confidence must be between 0 and 1, not {draft.confidence!r}")
        created = draft.created_at
        if created is not None:
            try:
                created = to_iso(from_iso(created))
            except (ValueError, OverflowError, TypeError):
                raise InvalidInput(f"created_at must be an ISO 8601 time, not {draft.created_at!r}") from None
        payload = payloads.validate(draft.type, draft.payload)
        counts: dict[str, int] = {}
        content = str(redact_json(content, counts))
        citation = str(redact_json(shorten(clean(draft.citation_text or content), CITATION_CHARS), counts))
        draft = draft._replace(
            content=content,
            citation_text=citation,
            tags=_names(draft.tags, "tags", counts),
            related_files=_names(
                (p.replace("\\", "/") for p in draft.related_files), "related_files", counts
            ),
            related_modules=_names(draft.related_modules, "related_modules", counts),
            payload=redact_json(payload, counts),
            created_at=created,
        )
        redactions = tuple(Redaction(kind, number) for kind, number in sorted(counts.items()))
        return Prepared(draft, redactions, tuple(notes))

    def _take(self, prepared: Prepared, *, revive: bool) -> MemoryRecord:
        draft = self._inherit(prepared.draft)
        memories = self._space.memories
        if draft.external_id is not None:
            known = memories.with_external_id(draft.external_id)
            if known is not None:
                return self._refresh(known, draft, prepared)
        digest = content_hash(draft.content)
        twin = self._twin(draft, digest)
        if twin is not None:
            record, similarity = twin
            if record.deprecated and not revive:
                return record._replace(receipt=Receipt("skipped", record.id, similarity, prepared.redactions))
            return self._merge(record, draft, similarity, prepared)
        return self._insert(draft, digest, prepared)

    def _inherit(self, draft: MemoryDraft) -> MemoryDraft:
        """Carry taint from what a draft is derived from; its confidence falls once."""
        if not draft.derived_from or draft.taint is not None:
            return draft
        parents = self._space.memories.get_many(draft.derived_from)
        tainted = [parents[i].taint for i in draft.derived_from if i in parents and parents[i].taint]
        if not tainted:
            return draft
        return draft._replace(taint=tainted[0], confidence=draft.confidence * TAINT_FACTOR, needs_review=True)

    def _twin(self, draft: MemoryDraft, digest: str) -> tuple[MemoryRecord, float] | None:
        for record in self._space.memories.with_hash(digest):
            same_words = collapse(record.content).casefold() == collapse(draft.content).casefold()
            if same_words and record.superseded_by is None and _may_merge(record, draft):
                return record, 1.0
        if draft.type in _NEVER_NEAR:
            return None
        words, marks = sketch.word_set(draft.content), salient(draft.content)
        memories = self._space.memories
        for memory_id, content in memories.sharing_bands(sketch.bands(draft.content), draft.type):
            similarity = jaccard(words, sketch.word_set(content))
            if similarity >= NEAR_DUPLICATE and marks == salient(content):
                near = memories.get(memory_id)
                if near is not None and _may_merge(near, draft):
                    return near, similarity
        return None

    def _insert(self, draft: MemoryDraft, digest: str, prepared: Prepared) -> MemoryRecord:
        now = to_iso(self._clock.now())
        known = {name: getattr(draft, name) for name in MemoryDraft._fields if name in MemoryRecord._fields}
        known["payload"] = dict(draft.payload) if draft.payload is not None else None
        known["created_at"] = draft.created_at or now
        if draft.decay_half_life_days is None:
            known["decay_half_life_days"] = half_life(draft.type)
        record = MemoryRecord(
            **known,
            id=str(uuid.uuid4()),
            updated_at=now,
            last_accessed_at=now,
            access_count=0,
            project_id=self._space.project_id,
            provenance_session_ids=(draft.session_id,) if draft.session_id else (),
            origins=(_origin(draft, now),),
            review_reason=None,
            redaction_count=sum(r.count for r in prepared.redactions),
            realm=self._space.realm,
        )
        self._space.memories.insert(
            record,
            content_hash=digest,
            search_terms=search_terms(record),
            bands=sketch.bands(record.content),
        )
        return record._replace(receipt=Receipt("stored", None, 0.0, prepared.redactions, prepared.notes))

    def _merge(
        self, record: MemoryRecord, draft: MemoryDraft, similarity: float, prepared: Prepared
    ) -> MemoryRecord:
        now = to_iso(self._clock.now())
        changes = merged_fields(record, draft, now)
        action = "merged"
        if record.deprecated:
            action = "restored"
            changes |= {"deprecated": False, "deprecated_at": None, "last_accessed_at": now}
        return self._write(record, changes, now, Receipt(action, record.id, similarity, prepared.redactions))

    def _refresh(self, record: MemoryRecord, draft: MemoryDraft, prepared: Prepared) -> MemoryRecord:
        """The caller's own id is known: the newer text replaces the older one."""
        now = to_iso(self._clock.now())
        changes = merged_fields(record, draft, now)
        receipt = Receipt("merged", record.id, 1.0, prepared.redactions, prepared.notes)
        if content_hash(draft.content) != content_hash(record.content) or record.deprecated:
            changes |= {
                "content": draft.content,
                "type": draft.type,
                "citation_text": draft.citation_text,
                "deprecated": False,
                "deprecated_at": None,
                "redaction_count": sum(r.count for r in prepared.redactions),
            }
            receipt = receipt._replace(action="updated")
        return self._write(record, changes, now, receipt)

    def _write(
        self, record: MemoryRecord, changes: dict[str, Any], now: str, receipt: Receipt
    ) -> MemoryRecord:
        if changes:
            changes["updated_at"] = now
            after = record._replace(**changes)
            self._space.memories.update(
                record.id,
                changes,
                content_hash=content_hash(after.content),
                search_terms=search_terms(after),
                bands=sketch.bands(after.content) if "content" in changes else None,
            )
            record = after
        return record._replace(receipt=receipt)


# Types whose texts are alike by nature: they count things or list files, and differ in little.
_NEVER_NEAR = frozenset(
    {"task_calibration", "prefetch_pattern", "context_cost", "work_state", "work_unit_outcome"}
)


def merged_fields(record: MemoryRecord, draft: MemoryDraft, now: str) -> dict[str, Any]:
    """Return the fields of a record that a duplicate draft changes; empty when it says nothing new."""
    origin = _origin(draft, now)
    if collapse(draft.content) != collapse(record.content):
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
        "payload": record.payload if draft.payload is None else {**(record.payload or {}), **draft.payload},
    }
    if SOURCE_TRUST[draft.source] > SOURCE_TRUST[record.source]:
        wanted |= {"source": draft.source, "type": draft.type, "scope": draft.scope}
        if draft.decay_half_life_days is not None or draft.type != record.type:
            wanted["decay_half_life_days"] = draft.decay_half_life_days or half_life(draft.type)
    return {name: value for name, value in wanted.items() if value != getattr(record, name)}


def checked_text(text: object, name: str, limit: int, notes: list[str]) -> str:
    """Return a text that can be stored, with notes on what was changed.

    Raises:
        InvalidInput: it is not text, says nothing, is too long or looks like binary data.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{name} must be text, not {type(text).__name__}")
    if len(text) > limit:
        raise InvalidInput(
            f"{name} has {len(text):,} characters; at most {limit:,} are kept in one memory",
            hint="Remember the point in a sentence and name the file that holds the rest.",
        )
    decoded = text.encode("utf-8", "replace").decode("utf-8")
    if decoded != text:
        notes.append("characters that are not valid Unicode were replaced")
    cleaned = clean(decoded).strip()
    lost = len(decoded.strip()) - len(cleaned)
    if lost and (lost + decoded.count("\ufffd")) / len(decoded) > 0.1:
        raise InvalidInput(f"{name} looks like binary data", hint="Remember text; name the file instead.")
    if lost:
        notes.append(f"{lost} control characters were removed")
    if not any(c.isalnum() for c in cleaned):
        raise InvalidInput(f"{name} is empty", hint="Say in a sentence what to remember.")
    return cleaned


def search_terms(record: MemoryRecord) -> str:
    """Return the extra terms under which a memory is found.

    The headings it stood under, parts of identifiers, pairs of CJK signs.
    """
    prefix = record.context_prefix or ""
    extra = index_terms(" ".join((record.content, prefix, *record.related_files, *record.tags)))
    return f"{prefix} {extra}".strip()


def _may_merge(record: MemoryRecord, draft: MemoryDraft) -> bool:
    own_ids = record.external_id is not None and draft.external_id is not None
    if own_ids and record.external_id != draft.external_id:
        return False
    same_unit = record.scope == draft.scope and record.scope in ("work_unit", "session")
    if record.scope != draft.scope and {record.scope, draft.scope} & {"work_unit", "session"}:
        return False
    if same_unit and (record.session_id, record.work_unit_ref) != (draft.session_id, draft.work_unit_ref):
        return False
    return record.branch is None or draft.branch is None or record.branch == draft.branch


def _origin(draft: MemoryDraft, now: str) -> Origin:
    return Origin(
        source=draft.source,
        at=draft.created_at or now,
        session_id=draft.session_id,
        commit_sha=draft.commit_sha,
        path=draft.origin_path,
        line=draft.origin_line,
    )


def _known_origin(record: MemoryRecord, origin: Origin) -> bool:
    """Whether a place is recorded already; said again by hand is a new origin only on another day."""

    def place(o: Origin) -> tuple[object, ...]:
        anchored = o.session_id or o.commit_sha or o.path
        return (o.source, o.session_id, o.commit_sha, o.path, None if anchored else o.at[:10])

    return any(place(o) == place(origin) for o in record.origins)


def _joined(first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _names(values: Iterable[str], name: str, counts: dict[str, int]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for value in values:
        if not isinstance(value, str):
            raise InvalidInput(f"{name} must be a list of texts, not {type(value).__name__}")
        cleaned = str(redact_json(collapse(clean(value)), counts))
        if cleaned:
            found[cleaned[:1_000]] = None
    if len(found) > MAX_LIST_ITEMS:
        raise InvalidInput(f"{name} has {len(found)} items; at most {MAX_LIST_ITEMS} fit one memory")
    return tuple(found)


def redact_json(value: Any, counts: dict[str, int]) -> Any:
    """Return a JSON value with the secrets taken out of every text in it; adds to counts by kind."""
    if isinstance(value, str):
        found = redact(value)
        for redaction in found.redactions:
            counts[redaction.kind] = counts.get(redaction.kind, 0) + redaction.count
        return found.text
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return redact_json(value._asdict(), counts)
    if isinstance(value, Mapping):
        return {k: redact_json(v, counts) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [redact_json(v, counts) for v in value]
    return value


def _one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InvalidInput(f"there is no {name} {value!r}", hint=f"Choose one of {', '.join(known)}.")
