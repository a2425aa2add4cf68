"""Store, find, list and change the memories of an open project, by id and as drafts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from os.path import lexists
from typing import TYPE_CHECKING, Any

from remora.app.project.arguments import filters_of, listed, own_names, paths
from remora.app.project.locate import commit_of
from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError
from remora.core.evidence import asked_kinds
from remora.core.strength import TAINT_FACTOR
from remora.core.text import shorten
from remora.core.values import MEMORY_KINDS, MOST_LISTED, MemoryDraft, MemoryRecord
from remora.lifecycle.flags import flag_dependents, unflag_dependents
from remora.lifecycle.intake import REFUSALS
from remora.lifecycle.upkeep import resolve

if TYPE_CHECKING:
    from pathlib import Path

    from remora.app.project.open_project import OpenProject, Store
    from remora.core.merge import Revision

Paths = Sequence[str | os.PathLike[str]]
GUESSED_FROM = 4_000  # characters that the type is guessed from
NAMED = 3  # missing names listed in a note


def remember_each(
    project: OpenProject, drafts: Iterable[Mapping[str, Any]], *, user: bool
) -> list[MemoryRecord | RemoraError]:
    """Store many drafts in one transaction, each independently; see `Memory.remember_each`."""
    store = project.store("user" if user else "project")
    given = [_drafted_or_refused(project, fields, store, user=user) for fields in drafts]
    found = store.intake.remember_each(given)
    make_triggers(store, [r for r in found if not isinstance(r, RemoraError)])
    root = None if user else project.location.root
    return [
        r if isinstance(d, RemoraError) or isinstance(r, RemoraError) else noted(d, r, root)
        for d, r in zip(given, found, strict=True)
    ]


def remember_many(project: OpenProject, drafts: Sequence[MemoryDraft], *, user: bool) -> list[MemoryRecord]:
    """Store many drafts in one transaction, all or none; see `Memory.remember_many`."""
    drafts = list(drafts)  # read twice
    store = project.store("user" if user else "project")
    records = store.intake.remember_many([_with_parents(project, d, store) for d in drafts], stated=True)
    make_triggers(store, records)
    root = None if user else project.location.root
    return [noted(d, r, root) for d, r in zip(drafts, records, strict=True)]


def drafted(
    project: OpenProject,
    content: Any,
    *,
    for_user: bool,
    type: str | None = None,  # noqa: A002  the field's own name
    related_files: Paths = (),
    related_modules: Sequence[str] = (),
    tags: Sequence[str] = (),
    source: str = "agent_explicit",
    confidence: float | None = None,
    **fields: Any,
) -> MemoryDraft:
    """Return a draft of a caller's fields, with defaults for the others.

    Raises:
        InvalidInput: a memory has no such field.
    """
    _known(fields)
    draft = MemoryDraft(
        content=content,
        type=type or _guess_type(content),
        related_files=paths("related_files", related_files, project.location.root),
        related_modules=listed("related_modules", related_modules),
        tags=listed("tags", tags),
        source=source,
        confidence=confidence if confidence is not None else (1.0 if source == "user_taught" else 0.8),
        **fields,
    )
    if draft.commit_sha is None and draft.related_files and not for_user:
        # A statement about files holds for their current version; later commits make it doubtful.
        draft = draft._replace(commit_sha=commit_of(project.location.repository))
    return draft


def _drafted_or_refused(
    project: OpenProject, fields: Mapping[str, Any], store: Store, *, user: bool
) -> MemoryDraft | RemoraError:
    if not isinstance(fields, Mapping) or not all(isinstance(name, str) for name in fields):
        return InvalidInput("a draft must be a mapping of field names to values")
    try:
        given = own_names(fields)
        _known(given)
        if given.get("content") is None:
            raise InvalidInput("a draft needs 'content'", hint='The minimum is {"content": "a statement"}.')
        draft = drafted(project, **given, for_user=user)
        return _with_parents(project, draft, store)
    except REFUSALS as error:
        return error


def _known(fields: Mapping[str, Any]) -> None:
    names = MemoryDraft._fields
    for field in sorted(set(fields).difference(names)):
        raise InvalidInput(f"a memory has no field {field!r:.60}", hint=f"Its fields are {', '.join(names)}.")


def _guess_type(content: object) -> str:
    from remora.sources.rule_sense import guess_type  # its word lists are large; most callers name a type

    return guess_type(content[:GUESSED_FROM]) if isinstance(content, str) else "pattern"


def _with_parents(project: OpenProject, draft: MemoryDraft, store: Store) -> MemoryDraft:
    """Return a draft with the full ids of its parents, tainted if one in the other database is.

    A parent may be deleted; its id stays as it was given.
    """
    if not isinstance(draft, MemoryDraft) or not draft.derived_from:
        return draft
    ids: list[str] = []
    for given in listed("derived_from", draft.derived_from):
        try:
            home, parent = find(project, given)
        except NotFound:
            ids.append(given)
            continue
        ids.append(parent.id)
        if home.db is not store.db and parent.taint is not None and draft.taint is None:
            sure = draft.confidence * TAINT_FACTOR
            draft = draft._replace(taint=parent.taint, confidence=sure, needs_review=True)
    return draft._replace(derived_from=tuple(ids))


def make_triggers(store: Store, records: Sequence[MemoryRecord]) -> None:
    """Make the triggers of memories; if that fails, the memories stay stored."""
    from remora.app.memories import triggers  # its patterns cost some milliseconds to load

    with suppress(RemoraError):
        triggers.take_in(store.db, records)


def find(project: OpenProject, memory_id: str) -> tuple[Store, MemoryRecord]:
    """Return a memory, possibly forgotten, by its id or a unique beginning of it, and its store.

    Raises:
        NotFound: there is none.
        Conflict: several ids begin so.
    """
    if not isinstance(memory_id, str):
        raise InvalidInput(f"an id must be text, not {type(memory_id).__name__}")
    found: list[tuple[Store, MemoryRecord]] = []
    for store in project.stores():
        with suppress(NotFound):
            found.append((store, resolve(store.db, memory_id)))
    if not found:
        quote = memory_id[:1] == "q" and memory_id[1:].isdecimal()
        hint = "`remora quote keep` makes a memory of a quote." if quote else "`remora list` shows the ids."
        raise NotFound(f"there is no memory {memory_id!r}", hint=hint)
    if len(found) > 1 and not any(record.id == memory_id for _, record in found):
        ids = ", ".join(record.id[:12] for _, record in found)
        raise Conflict(f"{memory_id!r} matches several ids: {ids}", hint="Give more characters of the id.")
    return next((one for one in found if one[1].id == memory_id), found[0])


def dependents(project: OpenProject, memory_id: str) -> list[MemoryRecord]:
    """Return the live memories derived from a memory, directly or through others."""
    room, record = find(project, memory_id)
    below: list[MemoryRecord] = []
    for memories in (r.db.memories for r in (room, *_others(project, room))):
        ids = memories.dependents(record.id)
        found = memories.get_many(ids)
        below += [found[i] for i in ids if i in found]
    return below


def listing(
    project: OpenProject,
    types: Sequence[str] | None,
    limit: int,
    offset: int,
    order: str,
    *,
    where: Mapping[str, Any],
    having: Mapping[str, Any],
    user: bool | None,
    records: bool,
) -> list[MemoryRecord]:
    """Return memories that pass all filters; see `Memory.list`.

    Args:
        project: the open project.
        types, limit, offset, order, user, records: as in `Memory.list`.
        where: files, modules, scope, branch and times to filter by.
        having: arguments of `Memories.find` besides filters.
    """
    keys: dict[str, Callable[[MemoryRecord], Any]] = {
        "created": lambda m: m.created_at,
        "accessed": lambda m: m.last_accessed_at,
        "confidence": lambda m: m.confidence,
    }
    if order not in keys:
        raise InvalidInput(f"unknown order {order!r}", hint="Choose created, accessed or confidence.")
    if not all(0 <= n <= MOST_LISTED for n in (limit, offset)):
        raise InvalidInput(f"limit and offset must be whole numbers from 0 to {MOST_LISTED:,}")
    filters = filters_of(project, types=types, **where)
    asked = asked_kinds(filters.types, having.get("source"))
    filters = filters._replace(kinds=MEMORY_KINDS[1:] if records else asked)
    found: list[MemoryRecord] = []
    for store in project.stores():
        if user is None or user == (store.db.realm == "user"):
            found += store.db.memories.find(filters, order=order, limit=limit + offset, **having)
    found.sort(key=lambda m: m.id)
    found.sort(key=keys[order], reverse=True)
    return found[offset : offset + limit]


def edit(project: OpenProject, memory_id: str, changes: Mapping[str, Any]) -> MemoryRecord:
    """Change fields of a memory; see `Memory.edit`."""
    room, record = find(project, memory_id)
    changes = dict(changes)
    seen = changes.pop("revision", None)
    with room.db.transaction():
        if seen is not None and room.db.revisions.heads(record.id) != [seen]:
            raise Conflict(
                f"{record.id[:8]} was changed since it was shown", hint="Look at it again, then edit it."
            )
        edited = room.upkeep.edit(record.id, _with_own_paths(project, changes))
    make_triggers(room, [edited])
    return edited


def supersede(project: OpenProject, memory_id: str, content: str, fields: Mapping[str, Any]) -> MemoryRecord:
    """Replace an old memory by a new one; see `Memory.supersede`."""
    room, old = find(project, memory_id)
    fields = _with_own_paths(project, fields)
    _known(fields)
    about = ("related_files", "related_modules", "target_node_id", "impacted_node_ids")
    names = ("source", "branch", "type", "scope", "tags", "pinned", "methodology", *about)
    kept = {name: getattr(old, name) for name in names}
    draft = MemoryDraft(**{**kept, "confidence": max(old.confidence, 0.8), **fields}, content=content)
    new = room.upkeep.supersede(old.id, _with_parents(project, draft, room))
    make_triggers(room, [new])
    _flag_elsewhere(project, room, old, f"which was superseded by {new.id[:8]}")
    return new


def forget(project: OpenProject, memory_id: str) -> MemoryRecord:
    """Remove a memory from every search; see `Memory.forget`."""
    room, record = find(project, memory_id)
    gone = room.upkeep.forget(record.id)
    if not record.deprecated:
        _flag_elsewhere(project, room, record, "which was forgotten")
    return gone


def outdate(project: OpenProject, memory_id: str) -> MemoryRecord:
    """Remove a memory from every search as out of date, and flag the memories derived from it."""
    room, record = find(project, memory_id)
    gone = room.upkeep.outdate(record.id)
    _flag_elsewhere(project, room, record, "which is out of date")
    return gone


def restore(project: OpenProject, memory_id: str, revision: str | None = None) -> MemoryRecord:
    """Restore a forgotten or superseded memory, or an earlier text; see `Memory.restore`."""
    room, record = find(project, memory_id)
    back = room.upkeep.restore(record.id)
    _flag_elsewhere(project, room, record, None)
    if revision is None:
        return back
    back = room.upkeep.revert(record.id, revision)
    make_triggers(room, [back])
    return back


def history(project: OpenProject, memory_id: str) -> list[Revision]:
    """Return the changes of a memory, oldest first; see `Memory.history`."""
    try:
        room, record = find(project, memory_id)
    except NotFound:
        for store in project.stores():  # the log still has the changes of a deleted memory
            if found := store.db.revisions.of(memory_id):
                return found
        raise
    return room.db.revisions.of(record.id)


def _with_own_paths(project: OpenProject, fields: Mapping[str, Any]) -> dict[str, Any]:
    given = own_names(fields)
    if "related_files" in given:
        given["related_files"] = paths("related_files", given["related_files"], project.location.root)
    return given


def _others(project: OpenProject, store: Store) -> list[Store]:
    return [other for other in project.stores() if other is not store]


def _flag_elsewhere(project: OpenProject, store: Store, record: MemoryRecord, what: str | None) -> None:
    """Flag the memories in the other database that derive from a memory; None removes the flags."""
    for other in _others(project, store):
        with other.db.transaction():
            if what is None:
                unflag_dependents(other.db, record)
            else:
                flag_dependents(other.db, record, what)


# Files that a memory names


def noted(draft: MemoryDraft, record: MemoryRecord, root: Path | None) -> MemoryRecord:
    """Return a stored memory with a receipt that notes the missing files of its draft, which are kept.

    Args:
        draft: the draft as given.
        record: the record as stored.
        root: the project's folder; None if the memory belongs to no single project.
    """
    if record.receipt is None or root is None:
        return record
    # lexists answers False for a name that no file can have.
    gone = [f for f in draft.related_files if _is_plain(f) and not lexists(root / f)]
    if not gone:
        return record
    note = f"there is no file {_listed(gone)} in the project; kept as written"
    return record._replace(receipt=record.receipt._replace(notes=(*record.receipt.notes, note)))


def _is_plain(path: str) -> bool:
    """Return whether a path is inside the project; others are not checked."""
    return not (path.startswith(("/", "~")) or "*" in path or ".." in path.split("/"))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shorten(name, 80) for name in names[:NAMED]) + (", …" if names[NAMED:] else "")
