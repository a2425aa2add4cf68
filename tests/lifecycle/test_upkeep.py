"""Edit, supersede, pin, verify, forget, restore, and what reaches the memories that rest on these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput
from remora.core.values import Filters, MemoryDraft, MemoryRecord, Receipt, Redaction, Relation, Taint
from remora.lifecycle.flags import BRANCH_GONE, FADED, overturned_by, retired_for, with_reason
from remora.lifecycle.upkeep import Upkeep
from remora.store.database import Database
from tests.helpers import SECRET

Take = Callable[..., MemoryRecord]


def now(db: Database, record: MemoryRecord) -> MemoryRecord:
    """Return a memory as it is stored now."""
    found = db.memories.get(record.id)
    assert found is not None
    return found


def flags(db: Database, *records: MemoryRecord) -> list[str | None]:
    """Return why each memory needs a review; None where it does not."""
    found = [now(db, r) for r in records]
    assert [m.needs_review for m in found] == [m.review_reason is not None for m in found]
    return [m.review_reason for m in found]


def test_edit_content(db: Database, take: Take, upkeep: Upkeep) -> None:
    """New words are searched for, hashed and cited instead of the old ones, and count as a look."""
    record = take("Tokens expire after 24 h", needs_review=True)
    after = upkeep.edit(record.id, {"content": "Sessions end after 12 h"})
    assert after.receipt == Receipt("updated")
    assert (after.content, after.citation_text) == ("Sessions end after 12 h",) * 2
    assert not after.needs_review
    assert now(db, record) == after._replace(receipt=None)
    assert db.fulltext.memories(["tokens"], Filters(), 5) == []
    assert [i for i, _ in db.fulltext.memories(["sessions"], Filters(), 5)] == [record.id]
    assert take("tokens expire after 24 h").id != record.id
    assert take("sessions END after 12 h").id == record.id


def test_edit_other_fields(take: Take, upkeep: Upkeep) -> None:
    """Fields become what they would be stored as; a new type brings its half-life unless one is given."""
    record = take("Tokens expire after 24 h", tags=("a",), related_files=("x.py",), confidence=0.5)
    changes = {"tags": ["b", " b", "c"], "related_files": ["src\\y.py"], "branch": "dev"}
    after = upkeep.edit(record.id, changes)
    assert (after.tags, after.related_files, after.branch) == (("b", "c"), ("src/y.py",), "dev")
    assert (after.content, after.confidence) == (record.content, 0.5)
    assert upkeep.edit(record.id, {"branch": None}).branch is None
    assert upkeep.edit(record.id, {"type": "work_state"}).decay_half_life_days == 7.0
    assert upkeep.edit(record.id, {"type": "decision"}).decay_half_life_days is None
    after = upkeep.edit(record.id, {"type": "gotcha", "decay_half_life_days": 3})
    assert after.decay_half_life_days == 3.0


def test_edit_type_and_payload(take: Take, upkeep: Upkeep) -> None:
    """A payload that the new type cannot have has to be given anew or taken away."""
    record = take("Threads were tried", payload={"seen": 3})
    tried = {"approach_tried": "threads", "why_it_failed": "races"}
    with pytest.raises(InvalidInput, match="dead_end has no field 'seen'"):
        upkeep.edit(record.id, {"type": "dead_end"})
    assert upkeep.edit(record.id, {"type": "dead_end", "payload": tried}).payload == tried
    assert upkeep.edit(record.id, {"payload": None}).payload is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "nothing to change"),
        ({"id": "x"}, "'id' cannot be edited"),
        ({"content": " "}, "content is empty"),
        ({"tags": "auth"}, "tags must be a list"),
        ({"stale_at": "soon"}, "stale_at must be an ISO 8601 time"),
    ],
)
def test_wrong_edits(db: Database, take: Take, upkeep: Upkeep, changes: dict[str, Any], message: str) -> None:
    """A change that cannot be made is refused, and nothing is changed."""
    record = take("Tokens expire after 24 h")
    with pytest.raises(InvalidInput, match=message):
        upkeep.edit(record.id, changes)
    assert now(db, record) == record._replace(receipt=None)


def test_edits_are_redacted(take: Take, upkeep: Upkeep) -> None:
    """A secret in new words is taken out and counted."""
    record = take("Deploy from the vault")
    after = upkeep.edit(record.id, {"content": f"Deploy with {SECRET} now", "tags": [f"t {SECRET}"]})
    assert after.content == "Deploy with [REDACTED:github-token] now"
    assert after.receipt == Receipt("updated", redactions=(Redaction("github-token", 2),))


def test_supersede(db: Database, take: Take, upkeep: Upkeep) -> None:
    """The new memory takes the old one's place, however alike they are; the old one can still be read."""
    long = "The payment service retries a failed request thrice with exponential backoff before giving up"
    old = take(long)
    new = upkeep.supersede(old.id, MemoryDraft(long.replace("before giving up", "then gives up")))
    assert (new.id != old.id, new.deprecated) == (True, False)
    assert new.relations == (Relation("supersedes", target_memory_id=old.id),)
    gone = now(db, old)
    assert (gone.deprecated, gone.superseded_by, gone.content) == (True, new.id, long)
    with pytest.raises(Conflict, match=f"was superseded by {new.id[:8]}") as caught:
        upkeep.supersede(old.id, MemoryDraft("It retries once"))
    assert caught.value.hint == f"Supersede {new.id[:8]} instead."


def test_supersede_with_the_same_text(db: Database, take: Take, upkeep: Upkeep) -> None:
    """The same text supersedes nothing, and the old memory is as it was."""
    old = take("Tokens expire after 24 h")
    with pytest.raises(Conflict, match="same as the old one"):
        upkeep.supersede(old.id, MemoryDraft(" tokens EXPIRE after 24 h"))
    assert now(db, old) == old._replace(receipt=None)
    assert db.memories.counts()["live"] == 1


def test_other_words_do_not_launder(take: Take, upkeep: Upkeep) -> None:
    """What supersedes a tainted memory is tainted and no surer, unless a person says it."""
    web = Taint("web_fetch")
    old = take("Port 8080 is open", taint=web, confidence=0.5)
    new = upkeep.supersede(old.id, MemoryDraft("The port 8080 stands open", confidence=0.9))
    assert (new.taint, new.confidence, new.needs_review) == (web, 0.5, True)
    said = upkeep.supersede(new.id, MemoryDraft("Port 8081 is open", source="user_taught", confidence=1.0))
    assert (said.taint, said.confidence, said.needs_review) == (None, 1.0, False)


def test_dependents_are_flagged_two_levels_down(db: Database, take: Take, upkeep: Upkeep) -> None:
    """Superseding flags what rests on a memory, directly and through others, with the reason."""
    root = take("Tokens are JSON web tokens")
    child = take("So tokens are large", derived_from=(root.id,))
    grandchild = take("So cookies overflow", derived_from=(child.id,))
    other = take("Cookies have names")
    new = upkeep.supersede(root.id, MemoryDraft("Tokens are opaque", derived_from=(root.id,)))
    reason = f"rests on {root.id[:8]}, which was superseded by {new.id[:8]}"
    assert flags(db, child, grandchild, other) == [reason, reason, None]
    assert now(db, new).review_reason != reason
    upkeep.restore(root.id)
    assert flags(db, child, grandchild) == [None, None]


def test_restore_lifts_only_its_own_flags(db: Database, take: Take, upkeep: Upkeep) -> None:
    """What rests on two is free when both are back; what needed a review before needs it still."""
    one, two = take("Tokens are JSON web tokens"), take("Cookies are small")
    child = take("So tokens do not fit", derived_from=(one.id, two.id))
    doubted = take("So tokens are large", derived_from=(one.id,), needs_review=True)
    upkeep.forget(one.id)
    upkeep.forget(two.id)
    first, second = (f"rests on {m.id[:8]}, which was forgotten" for m in (one, two))
    assert flags(db, child) == [f"{first}; {second}"]
    assert with_reason(now(db, child), first) == {}
    upkeep.restore(two.id)
    assert flags(db, child) == [first]
    upkeep.restore(one.id)
    assert flags(db, child) == [None]
    assert (now(db, doubted).needs_review, now(db, doubted).review_reason) == (True, None)


def test_a_circle_of_ancestors(db: Database, take: Take, upkeep: Upkeep) -> None:
    """Memories that rest on each other in a circle are flagged once each, and the search ends."""
    one = take("Tokens are large")
    two = take("Cookies are small", derived_from=(one.id,))
    with db.connection.transaction():
        db.memories.update(one.id, {"derived_from": (two.id,)})
    upkeep.forget(one.id)
    assert flags(db, two) == [f"rests on {one.id[:8]}, which was forgotten"]


def test_forget_and_restore(db: Database, take: Take, upkeep: Upkeep, clock: FixedClock) -> None:
    """A forgotten memory leaves the full-text search with its pin, and comes back unused for no time."""
    record = take("Tokens expire after 24 h", pinned=True)
    clock.advance(days=10)
    gone = upkeep.forget(record.id)
    assert (gone.deprecated, gone.pinned) == (True, False)
    assert gone.deprecated_at == "2026-03-11T12:00:00.000Z"
    assert upkeep.forget(record.id) == gone
    clock.advance(days=10)
    back = upkeep.restore(record.id)
    assert (back.deprecated, back.deprecated_at, back.superseded_by) == (False, None, None)
    assert back.last_accessed_at == "2026-03-21T12:00:00.000Z"
    assert upkeep.restore(record.id) == back


def test_what_was_retired_is_forgotten_by_a_person_since(db: Database, take: Take, upkeep: Upkeep) -> None:
    """A memory that went for a reason of ours keeps it until it is back or a person forgets it."""
    record = take("Tokens expire after 24 h")
    gone = upkeep.retire(record.id, f"{BRANCH_GONE} topic")
    assert (gone.deprecated, retired_for(gone)) == (True, f"{BRANCH_GONE} topic")
    back = upkeep.restore(record.id)
    assert (retired_for(back), back.review_reason, back.needs_review) == ("", None, False)
    upkeep.retire(record.id, FADED)
    gone = upkeep.forget(record.id)
    assert (gone.deprecated, retired_for(gone), gone.review_reason) == (True, "", None)


def test_verify(db: Database, take: Take, upkeep: Upkeep, clock: FixedClock) -> None:
    """A person's word clears taint, flags and the stale mark, and starts decay anew."""
    record = take("Port 8080 is open", taint=Taint("web_fetch"), needs_review=True, derived_from=())
    upkeep.edit(record.id, {"stale_at": "2026-02-01T00:00:00Z"})
    clock.advance(days=100)
    after = upkeep.verify(record.id)
    assert (after.user_verified, after.taint, after.needs_review) == (True, None, False)
    assert (after.stale_at, after.review_reason) == (None, None)
    assert after.last_accessed_at == "2026-06-09T12:00:00.000Z"


def test_what_was_taken_back_holds_again_when_that_is_forgotten(
    db: Database, take: Take, upkeep: Upkeep
) -> None:
    """A person's word brings it back, and nothing else; what was retired for another reason stays away."""
    old, newer, other = take("Use pnpm, not npm."), take("Use bun, not pnpm."), take("Tokens expire")
    upkeep.retire(old.id, overturned_by(newer.id))
    upkeep.retire(other.id, FADED)
    upkeep.retire(newer.id, FADED)
    assert now(db, old).deprecated
    upkeep.restore(newer.id)
    gone = upkeep.forget(newer.id)
    note = f"{old.id[:8]}, which it contradicted, is restored: Use pnpm, not npm."
    assert gone.receipt == Receipt("forgotten", notes=(note,))
    assert [now(db, m).deprecated for m in (old, newer, other)] == [False, True, True]
    assert not retired_for(now(db, old))
