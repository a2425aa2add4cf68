"""Section 18's pruning job: list what to forget and what to delete, then do it.

Forgetting is soft: an expired memory (unused for three half-lives, not pinned, not verified) leaves
every search and can be restored for 30 days. Only then is it deleted, and never when a person
verified or pinned it. Of what somebody forgot, a digest of its maker's id stays, so that nobody makes it
again. `plan` changes nothing; `apply` does exactly what a plan says.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import NamedTuple

from remora.core.change import Change, acting
from remora.core.clock import Clock, to_iso
from remora.core.strength import is_deletable, is_expired
from remora.core.text import collapse
from remora.core.values import MemoryRecord
from remora.lifecycle.flags import FADED, flag_dependents, retired_for, with_reason
from remora.store import erase
from remora.store.database import Database

_KEY = "erase.key"  # meta key: the secret that digests of erased texts are made with


class PrunePlan(NamedTuple):
    """What pruning would do: memories to forget, memories to delete for good, cache rows to evict."""

    forget: tuple[MemoryRecord, ...]
    delete: tuple[MemoryRecord, ...]
    cache_rows: int

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.forget or self.delete or self.cache_rows)


def plan(db: Database, clock: Clock) -> PrunePlan:
    """Return what pruning would do now."""
    now = clock.now()
    aging, gone = db.selections.fading(), db.selections.forgotten()
    records = db.memories.get_many([*aging, *gone])
    forget = tuple(records[i] for i in aging if is_expired(records[i], now))
    delete = tuple(records[i] for i in gone if is_deletable(records[i], now))
    return PrunePlan(forget, delete, db.cache.expired(int(now * 1000)))


def apply(db: Database, clock: Clock, wanted: PrunePlan) -> None:
    """Do what a plan says, in one transaction."""
    now = to_iso(clock.now())
    with db.connection.transaction(), acting("system:prune"):
        for record in wanted.forget:
            gone = {"deprecated": True, "deprecated_at": now, "updated_at": now}
            changes = gone | with_reason(record, FADED)
            db.memories.update(record.id, changes, change=Change("retire", FADED))
            flag_dependents(db, record, "which faded and was pruned")
        for record in wanted.delete:
            if record.external_id is not None and not retired_for(record):
                keep_forgotten(db, record.external_id, now)
        erase.memories(db, [r.id for r in wanted.delete])
        db.cache.evict(int(clock.now() * 1000))


def is_forgotten(db: Database, external_id: str) -> bool:
    """Return whether somebody forgot a memory with an id of its maker's, which is deleted by now."""
    return db.meta.get(_mark(external_id)) is not None


def keep_forgotten(db: Database, external_id: str, at: str) -> None:
    """Note that somebody deleted what has this id of its maker's, so that nobody makes it again."""
    db.meta.set(_mark(external_id), at)


def keep_erased(db: Database, texts: Iterable[str], at: str) -> None:
    """Note the digests of texts that a person erased, with a secret of the store; inside a transaction."""
    key = db.meta.get(_KEY)
    if not isinstance(key, str):
        key = secrets.token_hex(32)
        db.meta.set(_KEY, key)
    for text in texts:
        db.meta.set(_digest(key, text), at[:10])


def is_erased(db: Database, text: str) -> bool:
    """Return whether a person erased a text; what was erased is not learned again."""
    key = db.meta.get(_KEY)
    return isinstance(key, str) and db.meta.get(_digest(key, text)) is not None


def _digest(key: str, text: str) -> str:
    words = collapse(text).casefold().encode("utf-8", "surrogatepass")
    return "erased:" + hmac.new(bytes.fromhex(key), words, "sha256").hexdigest()


def _mark(external_id: str) -> str:
    return "forgotten:" + hashlib.blake2b(external_id.encode("utf-8", "replace"), digest_size=16).hexdigest()
