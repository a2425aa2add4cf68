"""Count accesses to memories and write the counts in batches, so that a read writes nothing.

A search by an agent is a use of the memories it finds; a search by a person is only a look. Counts are worth
little and may be lost: neither a search nor an exit waits long, or fails, because another process holds the
database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from remora.core.change import PERSON
from remora.core.clock import to_iso
from remora.core.errors import StoreError
from remora.core.values import Hit

if TYPE_CHECKING:
    from remora.core.clock import Clock
    from remora.store.database import Database
    from remora.store.uses import Kind

FLUSH_AT = 64  # accesses kept in memory before they are written
BOOSTS = "search.boosts"  # meta key: number of searches with the neighbourhood boost, and of those it changed
CLOSING_PATIENCE = 1.0  # seconds to wait for another writer at the end


class Accesses:
    """The accesses of one open memory that are not yet written."""

    def __init__(
        self, db_of: Callable[[str], Database], clock: Clock, actor: str, *, read_only: bool
    ) -> None:
        self._db_of = db_of
        self._clock = clock
        self._read_only = read_only
        kind, _, session = actor.partition(":")
        kinds: dict[str, Kind] = {"agent": "asked", PERSON: "looked"}
        self._kind = kinds.get(kind)
        self._session = session or kind
        self._counts: Counter[tuple[str, str]] = Counter()
        self._boosts: Counter[bool] = Counter()  # searches, by whether the boost changed the first hits
        self._last = 0.0  # time of the newest access, seconds since the epoch

    @property
    def waiting(self) -> frozenset[str]:
        """The ids of memories with accesses that are not yet written."""
        return frozenset(memory_id for _, memory_id in self._counts)

    def note(self, hits: Iterable[Hit], *, boosted: bool | None = None) -> None:
        """Count one access of each memory; a full batch is written if no process holds the database.

        Searches by Remora itself are not counted.

        Args:
            hits: the results of a search.
            boosted: whether the neighbourhood boost changed the first hits; None if it is off.
        """
        if self._read_only or self._kind is None:
            return
        self._counts.update((h.realm, h.memory.id) for h in hits if h.memory is not None)
        if boosted is not None:
            self._boosts[boosted] += 1
        self._last = self._clock.now()
        if self._counts.total() >= FLUSH_AT:
            self.flush(wait=0.0)

    def flush(self, *, wait: float | None = CLOSING_PATIENCE) -> None:
        """Write the counts; those that a busy or full disk refuses are kept for the next time.

        Args:
            wait: seconds to wait for another writer; None is the usual busy timeout.
        """
        counts, self._counts = self._counts, Counter()
        at = to_iso(self._last)
        for realm in sorted({realm for realm, _ in counts}):
            own = {memory_id: number for (r, memory_id), number in counts.items() if r == realm}
            try:
                db = self._db_of(realm)
                with db.connection.transaction(durable=False, wait=wait):
                    db.uses.add(self._session, self._kind or "looked", own, at)
            except StoreError:
                self._counts.update({(realm, i): number for i, number in own.items()})
        if self._boosts:
            self._flush_boosts(wait)

    def _flush_boosts(self, wait: float | None) -> None:
        try:
            db = self._db_of("project")
            with db.connection.transaction(durable=False, wait=wait):
                searches, changed = db.meta.get(BOOSTS, (0, 0))
                db.meta.set(BOOSTS, (searches + self._boosts.total(), changed + self._boosts[True]))
        except StoreError:
            return
        self._boosts.clear()
