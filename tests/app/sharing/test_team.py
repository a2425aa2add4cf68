"""A team: roles, what a colleague's word is worth, disputes, and what a newcomer sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput
from tests.app.sharing.conftest import Machine, exchange, founder

TEXT = "Never run the migrations on a Friday afternoon"
Team = dict[str, Memory]


def test_a_colleagues_word_is_quoted_until_a_steward_vouches_for_it(team: Team) -> None:
    """It is text from outside for the others; a member's own word clears it on their machines alone."""
    record = team["mel"].remember(TEXT, type="requirement", source="user_taught", confidence=1.0)
    exchange(*team.values())
    for name in ("ann", "stu", "rita"):
        found = team[name].show(record.id)
        assert (found.content, found.taint and found.taint.source) == (TEXT, "shared by Mel")
        assert TEXT not in team[name].status().brief
    assert team["mel"].show(record.id).taint is None
    team["rita"].verify(record.id)
    exchange(*team.values())
    assert team["rita"].show(record.id).taint is None
    assert team["ann"].show(record.id).taint is not None
    team["stu"].verify(record.id)
    exchange(*team.values())
    found = team["ann"].show(record.id)
    assert (found.taint, found.user_verified) == (None, False)
    assert f"{TEXT} (taught by Mel)" in team["ann"].status().brief


def test_a_member_changes_their_own(team: Team) -> None:
    """What somebody has no right to change stays as it was with the others, and theirs is their own copy."""
    record = team["stu"].remember(TEXT)
    exchange(*team.values())
    team["mel"].edit(record.id, content="Run the migrations on Fridays")
    exchange(*team.values())
    assert team["ann"].show(record.id).content == TEXT
    assert team["mel"].show(record.id).content == "Run the migrations on Fridays"
    team["stu"].edit(record.id, content="Never migrate on Fridays")
    exchange(*team.values())
    assert team["mel"].show(record.id).content == "Never migrate on Fridays"


def test_what_a_role_does_not_allow_is_refused(team: Team) -> None:
    """A reader shares nothing, a team takes a steward, an organization an admin; a dispute takes sharing."""
    own = team["rita"].remember("I like short functions")
    exchange(*team.values())
    assert team["ann"].list() == []
    assert team["rita"].show(own.id).trust_level_scope == "personal"
    with pytest.raises(InvalidInput, match="not shared"):
        team["rita"].sharing.dispute(own.id, "no")
    for who, visibility, why in (
        ("rita", "project", "you are a reader; it takes a member"),
        ("mel", "team", "it takes"),
        ("mel", "organization", "it takes"),
        ("stu", "organization", "it takes"),
    ):
        record = team[who].remember(TEXT)
        with pytest.raises(InvalidInput, match=why):
            team[who].sharing.share([record.id], visibility)


def test_roles_change(team: Team) -> None:
    """A new steward may share with the team; only admins change roles, and the only admin stays one."""
    with pytest.raises(InvalidInput, match="only an admin"):
        team["mel"].sharing.set_role("Mel", "admin")
    team["ann"].sharing.set_role("Mel", "steward")
    exchange(*team.values())
    record = team["mel"].remember(TEXT)
    team["mel"].sharing.share([record.id], "team")
    exchange(*team.values())
    assert team["rita"].show(record.id).trust_level_scope == "team"
    assert [m.role for m in team["rita"].sharing.members()] == ["admin", "steward", "reader", "steward"]
    with pytest.raises(Conflict, match="only admin"):
        team["ann"].sharing.set_role("Ann", "member")


def test_who_is_removed_is_refused(team: Team) -> None:
    """After a removal what the member wrote before stays, and what comes later is refused and listed."""
    before = team["mel"].remember(TEXT)
    exchange(*team.values())
    team["ann"].sharing.set_role("Mel", "removed")
    team["ann"].sharing.sync()
    after = team["mel"].remember("Bypass the linter in hot fixes")
    exchange(*team.values())
    assert [record.id for record in team["ann"].list()] == [before.id] != [after.id]
    (ignored,) = team["ann"].sharing.status().ignored
    assert (ignored.by, ignored.reason) == ("Mel", "its author was removed")


def test_an_edit_changes_nobodys_ownership(team: Team) -> None:
    """A memory that a steward edits stays its author's: all name the author, who keeps it after leaving."""
    record = team["mel"].remember(TEXT, type="requirement", source="user_taught", confidence=1.0)
    before = team["mel"].show(record.id).origins
    exchange(*team.values())
    team["stu"].edit(record.id, content="Never migrate on Fridays")
    exchange(*team.values())
    for name in ("ann", "stu", "rita"):
        assert [origin.text for origin in team[name].show(record.id).origins] == ["Mel"]
    assert team["mel"].show(record.id).origins == before
    assert (team["mel"].sharing.leave(), team["stu"].sharing.leave()) == (0, 1)
    assert [one.content for one in team["mel"].list()] == ["Never migrate on Fridays"]
    assert team["stu"].list() == []


@pytest.mark.parametrize("role", ["admin", "steward", "member"])
def test_who_comes_back_takes_nothing_from_anybody(machine: Machine, shared: Path, role: str) -> None:
    """Leaving touches one machine: who joins again, with any role, has the team's memories like all."""
    ann, ben = machine("ann"), machine("ben")
    record = ann.remember(TEXT)
    ann.sharing.init(f"folder:{shared}", me="Ann")
    ann.sharing.sync()
    for _ in range(2):
        ben.sharing.join(ann.sharing.invite("Ben", role=role))
        exchange(ben, ann)
        for memory in (ann, ben):
            assert [one.content for one in memory.list()] == [TEXT]
        ben.verify(record.id)
        assert ben.sharing.leave() == 1


def test_what_is_kept_after_leaving_stays_with_the_others(machine: Machine, shared: Path) -> None:
    """A memory that somebody shared before leaving stays shared when its author comes back."""
    ann, ben = founder(machine, shared, "ann", automatic=False), machine("ben")
    ben.sharing.join(ann.sharing.invite("Ben", role="steward"))
    record = ben.remember(TEXT)
    exchange(ben, ann)
    ben.sharing.leave()
    ben.sharing.join(ann.sharing.invite("Ben", role="steward"), automatic=False)
    exchange(ben, ann)
    assert ann.show(record.id).trust_level_scope == "project"


def test_one_of_two_machines_leaves(machine: Machine, shared: Path) -> None:
    """The other machine of the same person stays what it was; the last one of the only admin has to stay."""
    one, other, ben = founder(machine, shared, "one"), machine("other"), machine("ben")
    other.sharing.join(one.sharing.invite())
    other.sharing.leave()
    ben.sharing.join(one.sharing.invite("Ben"))
    one.sharing.sync()
    assert [(m.name, m.role, m.machines) for m in one.sharing.members()] == [
        ("Ann", "admin", 1),
        ("Ben", "member", 1),
    ]
    record = one.remember(TEXT)
    exchange(one, ben)
    assert ben.show(record.id).content == TEXT
    with pytest.raises(Conflict, match="Ann is the only admin"):
        one.sharing.leave()
    ben.sharing.leave()
    one.sharing.sync()
    assert one.sharing.leave() == 0


def test_a_dispute_lowers_and_a_decision_restores(team: Team) -> None:
    """A disputed memory ranks lower for everybody, the steward is told, and upholding restores it."""
    record = team["stu"].remember(TEXT)
    exchange(*team.values())
    before = score(team["ann"], record.id)
    team["rita"].sharing.dispute(record.id, "we have had online migrations since May")
    team["rita"].sharing.sync()
    exchange(*team.values())
    assert score(team["ann"], record.id) == pytest.approx(0.8 * before)
    assert "1 dispute (`remora dispute`)" in team["stu"].status().brief
    assert "dispute" not in team["mel"].status().brief
    team["mel"].sharing.comment(record.id, "only for the small tables")
    exchange(*team.values())
    told = [(one.op, one.by, one.text) for one in team["stu"].sharing.thread(record.id)]
    assert told == [
        ("dispute", "Rita", "we have had online migrations since May"),
        ("comment", "Mel", "only for the small tables"),
    ]
    assert "dispute" not in team["stu"].status().brief
    with pytest.raises(InvalidInput, match="only a steward"):
        team["mel"].sharing.uphold(record.id, "no")
    team["stu"].sharing.uphold(record.id, "the large ones still lock")
    exchange(*team.values())
    assert score(team["ann"], record.id) == pytest.approx(before)
    assert team["ann"].sharing.disputes() == []


def test_an_old_dispute_reaches_the_admins(machine: Machine, shared: Path) -> None:
    """After fourteen days without an answer the admins are told, too; before that the steward alone."""
    clock = FixedClock("2026-01-01T00:00:00Z")
    ann, stu = founder(machine, shared, "ann", clock), machine("stu", clock)
    stu.sharing.join(ann.sharing.invite("Stu", role="steward"))
    record = ann.remember(TEXT)
    exchange(ann, stu)
    stu.sharing.dispute(record.id, "not since May")
    exchange(stu, ann)
    clock.advance(days=13.9)
    assert "dispute" not in ann.status().brief
    clock.advance(days=0.2)
    assert "1 dispute (`remora dispute`)" in ann.status().brief


def score(memory: Memory, memory_id: str) -> float:
    """Return the relevance of a memory to what it says."""
    return next(hit.score for hit in memory.search("migrations on a Friday afternoon") if hit.id == memory_id)


def test_a_newcomer_is_shown_five(team: Team, machine: Machine) -> None:
    """Who joins sees the five surest memories of the others, pinned ones first, in a fresh team as well."""
    texts = [f"Rule number {word} of this shop" for word in "one two three four five six seven".split()]
    for place, text in enumerate(texts):
        team["stu"].remember(text, confidence=0.6 + place / 20)
    exchange(*team.values())
    newcomer = machine("nora")
    newcomer.sharing.join(team["ann"].sharing.invite("Nora"))
    assert [record.content for record in newcomer.sharing.onboarding()] == texts[:1:-1]
