"""Exchange with the shared log: send new local entries, receive new remote ones.

Entries are stored before they are applied, and every step can be repeated. If a server is unavailable,
refuses or lost entries, that is stored as the state; commands continue without it.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.app.sharing import incoming, outgoing
from remora.app.sharing.space import (
    CONFIRMED,
    MARK,
    add,
    carrier_of,
    need_space,
    note_state,
    renew,
    space_of,
    standing_of,
)
from remora.core.clock import from_iso
from remora.core.errors import InvalidInput, RemoraError, SourceError, StoreBusy
from remora.disk.files import lock
from remora.sharing.carrier import BATCH
from remora.sharing.entries import parse
from remora.store.shared import HELD, REFUSED, STATE, UNKNOWN

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.app.sharing.space import Space
    from remora.sharing.carrier import Carrier

EVERY = 60.0  # seconds between automatic exchanges
TRIES = 3  # exchanges in one call, if another copy of this machine's data exists


class Synced(NamedTuple):
    """The result of an exchange.

    Attributes:
        sent, received: number of entries.
        waiting: reasons why memories and changes stay on this machine, by memory.
        refused, held, unknown: number of entries of others that do not count: without a right or a valid
            signature; with a time in the future; of an unknown device or form.
        conflicts: number of memories with two texts, to be resolved by a person.
        renewed: this machine took a new id, because a copy of its data wrote under the old one.
    """

    sent: int = 0
    received: int = 0
    waiting: dict[str, str] = {}  # noqa: RUF012  never changed
    refused: int = 0
    held: int = 0
    unknown: int = 0
    conflicts: int = 0
    renewed: bool = False


def sync(project: OpenProject, *, send: bool = True) -> Synced:
    """Exchange with the log now.

    Args:
        project: the open project.
        send: also send changes of memories, now and from now on after sessions; else only membership entries.

    Raises:
        NotFound: the project is not shared.
        SourceError: the log cannot be reached, or refuses; entries received before are kept.
    """
    space = need_space(project)
    project.must_be_writable()
    with lock(project.location.home / "share-sync"):
        try:
            with closing(carrier_of(project, space)) as carrier:
                if send:
                    with project.db.transaction():
                        project.db.meta.set(CONFIRMED, True)
                        outgoing.gather(project, space, standing_of(project, space))
                done = _exchange(project, space, carrier)
        except RemoraError as error:
            note_state(project, str(error))
            error.hint = error.hint or "Nothing is lost; `remora sync` tries again."
            raise
        note_state(project, "")
    return done


def is_due(project: OpenProject) -> bool:
    """Return whether the last attempt of a shared project is at least EVERY seconds ago."""
    if space_of(project) is None:
        return False
    tried = (project.db.meta.get(STATE) or {}).get("tried")
    return not tried or not 0 <= project.clock.now() - from_iso(tried) < EVERY


def sync_when_due(project: OpenProject) -> Synced | None:
    """Exchange if it is due; None if not due or failed."""
    if project.read_only or not is_due(project):
        return None
    with suppress(SourceError, StoreBusy):
        return sync(project, send=bool(project.db.meta.get(CONFIRMED)))
    return None


def _exchange(project: OpenProject, space: Space, carrier: Carrier) -> Synced:
    db = project.db
    renewed = False
    there = carrier.last()
    sent = received = 0
    for _ in range(TRIES):
        common = _common(project, space, carrier, there.get(space.device, 0))
        if common is not None:
            space, renewed = _renewed(project, space, common), True
        sent += _push(project, space, carrier, there.get(space.device, 0))
        there = carrier.last()
        received += _pull(project, space, carrier, there)
        if _common(project, space, carrier, there.get(space.device, 0)) is None:
            break
    space = incoming.settle(project, space)
    _empty(project, space, carrier)
    _uses(project, space, carrier)
    states = [row.state for row in db.shared.in_state(REFUSED, HELD, UNKNOWN)]
    return Synced(
        sent,
        received,
        outgoing.staying(db),
        states.count(REFUSED),
        states.count(HELD),
        states.count(UNKNOWN),
        sum(bool(db.revisions.merged(one).contested) for one in db.revisions.forked()),
        renewed,
    )


def _common(project: OpenProject, space: Space, carrier: Carrier, last: int) -> int | None:
    """Return the number of this machine's own entries on which log and machine agree; None if on all.

    A log that lost entries agrees on the entries that it has.
    """
    mine = project.db.shared.last().get(space.device, 0)
    newest = min(mine, last)
    if last <= mine and (newest == 0 or _same(project, space, carrier, newest)):
        return None

    def differs(number: int) -> bool:
        return not _same(project, space, carrier, number)

    return bisect_left(range(1, newest + 1), True, key=differs)


def _same(project: OpenProject, space: Space, carrier: Carrier, n: int) -> bool:
    there = carrier.read(space.device, n - 1, 1)
    here = project.db.shared.lines(space.device, n - 1, 1)
    try:
        return bool(there and here) and parse(there[0]).rev == parse(here[0]).rev
    except InvalidInput:
        return False


def _renewed(project: OpenProject, space: Space, common: int) -> Space:
    """Take a new id, and write the entries under it that the log lacks."""
    db = project.db
    with db.transaction():
        lost = [parse(line) for line in db.shared.lines(space.device, common, 1_000_000)]
        db.shared.drop_after(space.device, common)
        after = renew(project, space)
        for entry in lost:
            if entry.op in ("invite", "role", "leave"):
                add(project, after, entry.op, entry.fields)
        db.meta.set(MARK, 0)  # examine every change again; those in the log are known by their ids
        if db.meta.get(CONFIRMED):
            outgoing.gather(project, after, standing_of(project, after))
    return after


def _push(project: OpenProject, space: Space, carrier: Carrier, last: int) -> int:
    sent = 0
    while lines := project.db.shared.lines(space.device, last + sent, BATCH):
        carrier.append(space.device, lines, last + sent)
        sent += len(lines)
    return sent


def _pull(project: OpenProject, space: Space, carrier: Carrier, there: dict[str, int]) -> int:
    here = project.db.shared.last()
    received = 0
    for device, last in there.items():
        after = here.get(device, 0)
        while device != space.device and after < last:
            lines = carrier.read(device, after, BATCH)
            with project.db.transaction():
                kept = incoming.keep(project, space, device, after, lines)
            if not kept:
                break
            after += kept
            received += kept
    return received


def _empty(project: OpenProject, space: Space, carrier: Carrier) -> None:
    """Remove the bodies of erased memories from this machine's part of the log."""
    due = project.db.shared.to_empty(space.device)
    if due:
        carrier.empty(space.device, due)
        with project.db.transaction():
            project.db.shared.emptied(space.device, due)


def _uses(project: OpenProject, space: Space, carrier: Carrier) -> None:
    """Send the use counts of this machine, and receive those of other devices."""
    there = carrier.uses()
    own = json.dumps(project.db.shared.own_uses(), separators=(",", ":"))
    if own != (there.get(space.device) or "[]"):
        carrier.put_uses(space.device, own)
    with project.db.transaction():
        for device, counts in there.items():
            if device == space.device:
                continue
            with suppress(ValueError, TypeError):
                rows = [(str(i), str(kind), int(n), str(at)) for i, kind, n, at in json.loads(counts)]
                project.db.shared.set_uses(device, rows)
