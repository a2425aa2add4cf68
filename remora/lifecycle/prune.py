"""Plan and apply pruning (section 18): forget expired memories, delete long-forgotten ones.

Forgetting is soft: an expired memory (unused for three half-lives, not pinned, not verified) leaves every
search and can be restored for 30 days. Only then is it deleted, and never if a person verified or pinned it.
For a memory that a person forgot, a digest of its external id is kept, so that no source creates it again.
`plan` changes nothing; `apply` does exactly what a plan says.
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

_KEY = "erase.key"  # meta key: the secret for the digests of erased texts


class PrunePlan(NamedTuple):
    """The effect of pruning: memories to forget, memories to delete, number of cache rows to evict."""

    forget: tuple[MemoryRecord, ...]
    delete: tuple[MemoryRecord, ...]
    cache_rows: int

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.forget or self.delete or self.cache_rows)


def plan(db: Database, clock: Clock) -> PrunePlan:
    """Return the plan of pruning now."""
    now = clock.now()
    aging, gone = db.selections.fading(), db.selections.forgotten()
    records = db.memories.get_many([*aging, *gone])
    forget = tuple(records[i] for i in aging if is_expired(records[i], now))
    delete = tuple(records[i] for i in gone if is_deletable(records[i], now))
    return PrunePlan(forget, delete, db.cache.expired(int(now * 1000)))


def apply(db: Database, clock: Clock, wanted: PrunePlan) -> None:
    """Apply a plan in one transaction."""
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
    """Return whether a person forgot the memory with an external id, which is deleted by now."""
    return db.meta.get(_mark(external_id)) is not None


def keep_forgotten(db: Database, external_id: str, at: str) -> None:
    """Store that the memory with an external id was deleted on purpose, so that it is not created again."""
    db.meta.set(_mark(external_id), at)


def keep_erased(db: Database, texts: Iterable[str], at: str) -> None:
    """Store digests of texts that a person erased, keyed by a secret of the store; inside a transaction."""
    key = db.meta.get(_KEY)
    if not isinstance(key, str):
        key = secrets.token_hex(32)
        db.meta.set(_KEY, key)
    for text in texts:
        db.meta.set(_digest(key, text), at[:10])


def is_erased(db: Database, text: str) -> bool:
    """Return whether a person erased a text; erased texts are not learned again."""
    key = db.meta.get(_KEY)
    return isinstance(key, str) and db.meta.get(_digest(key, text)) is not None


def _digest(key: str, text: str) -> str:
    words = collapse(text).casefold().encode("utf-8", "surrogatepass")
    return "erased:" + hmac.new(bytes.fromhex(key), words, "sha256").hexdigest()


def _mark(external_id: str) -> str:
    return "forgotten:" + hashlib.blake2b(external_id.encode("utf-8", "replace"), digest_size=16).hexdigest()
