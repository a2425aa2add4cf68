"""Merge the changes of a memory, from any author and in any order, into one state.

Every node with the same changes gets the same state. The last value set wins; a list is merged by the
elements that each change added and removed (an observed-remove set: Shapiro et al., "Conflict-free
Replicated Data Types", 2011); erasure overrides everything. Two texts written without knowledge of each other
are contested, as are a text and a retirement: both stay in the log until a person decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

LISTS = ("tags", "related_files", "related_modules", "relations")
ERASE = "erase"


class Revision(NamedTuple):
    """One change of a memory.

    Attributes:
        rev: its id, a UUID.
        parents: ids of the revisions that its author saw; empty at the creation.
        device: random id of its store.
        n: counts the revisions of a device from 1, without gaps.
        hlc: its hybrid logical time, 19 digits: text order is time order.
        author: see `change.Change`; a person's id is "person:DEVICE".
        op: one of `change.Op`.
        fields: the changed columns, as stored; empty if the text of an old revision was removed.
        why: the reason in words.
    """

    rev: str
    memory_id: str
    parents: tuple[str, ...]
    device: str
    n: int
    hlc: str
    author: str
    op: str
    fields: Mapping[str, Any]
    why: str

    @property
    def at(self) -> float:
        """Its time, in seconds since the epoch."""
        return int(self.hlc[:13]) / 1000


class Merged(NamedTuple):
    """The state after all changes.

    Attributes:
        fields: columns, as stored; empty for an erased memory.
        contested: ids of the conflicting changes, for a person to decide; empty if there are none.
    """

    fields: dict[str, Any]
    contested: tuple[str, ...] = ()


def merge(revisions: Iterable[Revision]) -> Merged:
    """Return the state of one memory from its changes, given in any order."""
    ordered = sorted(revisions, key=lambda r: (r.hlc, r.device, r.rev))
    if any(one.op == ERASE for one in ordered):
        return Merged({})
    fields: dict[str, Any] = {}
    for one in ordered:
        fields |= one.fields
    if all(list(one.parents) == [before.rev] for before, one in pairwise(ordered)):
        return Merged(fields)
    seen = _ancestors(ordered)
    for name in LISTS:
        if name in fields:
            fields[name] = _list(name, ordered, seen)
    contested = _contested(ordered, seen)
    if any(_retires(one) for one in ordered if one.rev in contested):
        fields |= {"deprecated": 0, "deprecated_at": None}  # searchable until a person decides
    return Merged(fields, contested)


def _ancestors(ordered: Sequence[Revision]) -> dict[str, frozenset[str]]:
    """Return the ancestors of each change, itself excluded; unknown parents are left out."""
    seen: dict[str, frozenset[str]] = {}
    for one in ordered:
        known = [p for p in one.parents if p in seen]
        seen[one.rev] = frozenset(known).union(*(seen[p] for p in known))
    return seen


def _list(name: str, ordered: Sequence[Revision], seen: Mapping[str, frozenset[str]]) -> str:
    added: dict[tuple[str, str], set[str]] = {}  # (element, the change that added it): those that removed it
    for one in ordered:
        if name not in one.fields:
            continue
        known = seen[one.rev]
        before = {key for key, removals in added.items() if key[1] in known and not removals & known}
        now = [
            json.dumps(v, ensure_ascii=False, sort_keys=True) for v in json.loads(one.fields[name] or "[]")
        ]
        held = {element for element, _ in before}
        for element in now:
            if element not in held:
                added.setdefault((element, one.rev), set())
        for key in before:
            if key[0] not in now:
                added[key].add(one.rev)
    kept = dict.fromkeys(element for element, _ in added)
    live = {element for (element, _), removals in added.items() if not removals}
    return json.dumps([json.loads(element) for element in kept if element in live], ensure_ascii=False)


def _contested(ordered: Sequence[Revision], seen: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Return the newest changes of the text, and retirements, that are concurrent with each other."""
    told = [one for one in ordered if "content" in one.fields or _retires(one)]
    last = [one for one in told if not any(one.rev in seen[other.rev] for other in told)]
    # A descendant of two of them resolves the conflict, whatever it changed.
    after = [ancestors for ancestors in seen.values() if len(ancestors) > 1]
    open_ = [
        one
        for one in last
        if any(
            other.rev != one.rev and not any({one.rev, other.rev} <= ancestors for ancestors in after)
            for other in last
        )
    ]
    texts = {one.fields["content"] for one in open_ if "content" in one.fields}
    retired = [one for one in open_ if _retires(one)]
    if len(texts) > 1 or (texts and retired):
        return tuple(one.rev for one in open_)
    return ()


def _retires(one: Revision) -> bool:
    return bool(one.fields.get("deprecated"))
