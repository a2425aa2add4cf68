"""Who may write what, read from the log."""

from __future__ import annotations

from typing import Any

import pytest

from remora.sharing.entries import Entry, seal
from remora.sharing.keys import device_of, new_seed, public_key, sign
from remora.sharing.permissions import Standing, needed, vouched


class Log:
    """A log that is written by hand: what every device signed, valid or not."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.seeds: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        self._at = 0
        seed = new_seed()
        self.space = device_of(public_key(seed))
        self._named("ann", seed)
        self.write("ann", "space", {"key": public_key(seed), "member": "m-ann", "name": "Ann"})

    def _named(self, who: str, seed: str) -> None:
        self.seeds[who], self.ids[who] = seed, device_of(public_key(seed))

    def write(self, who: str, op: str, fields: dict[str, Any], *, at: int = 0, memory: str = "") -> Entry:
        """Add an entry of somebody's device."""
        self._at += 1
        device = self.ids[who]
        number = 1 + sum(one.device == device for one in self.entries)
        hlc, scope = f"{at or self._at:013d}000000", "project:shop" if memory else ""
        written = Entry(
            self.space, device, number, f"rev-{self._at}", memory, (), hlc, scope, op, "person", fields
        )
        entry = seal(self.seeds[who], written)
        self.entries.append(entry)
        return entry

    def invite(self, by: str, who: str, role: str, *, member: str = "") -> str:
        """Invite somebody and return the key of the invitation."""
        seed = new_seed()
        fields = {"key": public_key(seed), "member": member or f"m-{who}", "role": role, "name": who.title()}
        self.write(by, "invite", fields)
        return seed

    def join(self, who: str, voucher: str, *, seed: str = "") -> Entry:
        """Let a new device join by a key that vouches for it."""
        self._named(who, seed or new_seed())
        key = public_key(self.seeds[who])
        vouching = public_key(voucher)
        if voucher in self.seeds.values():
            vouching = device_of(vouching)
        signature = sign(voucher, vouched(self.space, key))
        told = {"key": key, "voucher": vouching, "signature": signature}
        return self.write(who, "join", told)

    def standing(self) -> Standing:
        """Return what the entries say."""
        return Standing(self.space, self.entries)

    def role(self, who: str) -> str:
        """Return the role of somebody's device for what it writes next."""
        return self.standing().role_at(self.ids[who], 1_000)


@pytest.fixture
def log() -> Log:
    """Return a log with a founder and one member of each other role."""
    made = Log()
    for who, role in (("rita", "reader"), ("mel", "member"), ("stu", "steward")):
        made.join(who, made.invite("ann", who, role))
    return made


def test_everybody_has_the_role_of_their_invitation(log: Log) -> None:
    """The founder is an admin, and who joins has the role that the admin signed."""
    assert {m.name: m.role for m in log.standing().members()} == {
        "Ann": "admin",
        "Rita": "reader",
        "Mel": "member",
        "Stu": "steward",
    }


# What each role may do, by hand: (operation, scope, own), and the least role.
RIGHTS = [
    ("dispute", "project:shop", False, "reader"),
    ("comment", "team", False, "reader"),
    ("share", "project:shop", True, "member"),
    ("edit", "project:shop", True, "member"),
    ("retire", "project:shop", True, "member"),
    ("edit", "project:shop", False, "steward"),
    ("share", "team", True, "steward"),
    ("resolve", "project:shop", True, "steward"),
    ("share", "organization", True, "admin"),
    ("edit", "organization", True, "admin"),
    ("erase", "project:shop", True, "admin"),
]


@pytest.mark.parametrize(("op", "scope", "own", "least"), RIGHTS)
def test_the_matrix_of_rights(log: Log, op: str, scope: str, *, own: bool, least: str) -> None:
    """Who has the least role or more may, who has less may not."""
    assert needed(op, scope, own=own) == least
    order = ["reader", "member", "steward", "admin"]
    for who, role in (("rita", "reader"), ("mel", "member"), ("stu", "steward"), ("ann", "admin")):
        entry = log.write(who, op, {}, memory="m1")._replace(scope=scope)
        creator = log.standing().member_of(log.ids[who]) if own else "m-somebody"
        refused = log.standing().verdict(entry, creator)
        assert bool(refused) == (order.index(role) < order.index(least)), (who, refused)


@pytest.mark.parametrize("who", ["rita", "mel", "stu"])
def test_only_an_admin_invites_others(log: Log, who: str) -> None:
    """An invitation that anybody else signed brings nobody in."""
    log.join("eve", log.invite(who, "eve", "admin"))
    assert log.standing().member_of(log.ids["eve"]) is None


@pytest.mark.parametrize("who", ["rita", "mel", "stu"])
def test_nobody_raises_themselves(log: Log, who: str) -> None:
    """A change of role that no admin signed changes nothing."""
    before = log.role(who)
    log.write(who, "role", {"member": f"m-{who}", "role": "admin", "cuts": {}})
    assert log.role(who) == before


def test_an_own_machine_needs_no_admin(log: Log) -> None:
    """A member invites another machine of theirs; it has their role and no higher one."""
    log.join("mel2", log.invite("mel", "mel", "admin", member="m-mel"))
    assert log.standing().member_of(log.ids["mel2"]) == "m-mel"
    assert log.role("mel2") == "member"


def test_an_invitation_is_good_once(log: Log) -> None:
    """The second device that uses an invitation stays outside."""
    key = log.invite("ann", "eve", "member")
    log.join("eve", key)
    log.join("mallory", key)
    assert log.standing().member_of(log.ids["mallory"]) is None


def test_a_device_vouches_for_its_successor(log: Log) -> None:
    """A machine whose data was copied joins under another id, as the same member."""
    log.join("mel2", log.seeds["mel"])
    assert log.standing().member_of(log.ids["mel2"]) == "m-mel"


def test_a_foreign_key_vouches_for_nobody(log: Log) -> None:
    """Without a voucher nobody joins, whatever they claim to be."""
    log.join("eve", new_seed())
    assert log.standing().member_of(log.ids["eve"]) is None


def test_a_signature_cannot_be_borrowed(log: Log) -> None:
    """An entry that says to be of another device counts for nothing."""
    forged = log.write("mel", "role", {"member": "m-mel", "role": "admin", "cuts": {}})
    log.entries[-1] = forged._replace(device=log.ids["ann"])
    assert log.role("mel") == "member"


def test_who_was_removed_writes_no_more(log: Log) -> None:
    """What a member wrote before stays; what comes later does not count, whatever its clock says."""
    before = log.write("mel", "share", {}, memory="m1")
    log.write("ann", "role", {"member": "m-mel", "role": "removed", "cuts": {log.ids["mel"]: before.n}})
    after = log.write("mel", "share", {}, memory="m2", at=1)
    assert log.standing().verdict(before, None) == ""
    assert log.standing().verdict(after, None) == "its author was removed"


def test_a_removed_admin_cannot_date_back(log: Log) -> None:
    """An admin who was removed changes no roles with a clock that is set back."""
    log.join("bea", log.invite("ann", "bea", "admin"))
    log.write("ann", "role", {"member": "m-bea", "role": "removed", "cuts": {log.ids["bea"]: 1}})
    log.write("bea", "role", {"member": "m-ann", "role": "removed", "cuts": {}}, at=2)
    assert log.role("ann") == "admin"
    assert log.role("bea") == "removed"


def test_who_is_removed_brings_no_new_machine(log: Log) -> None:
    """A new device that a removed member's device vouches for stays outside."""
    log.write("ann", "role", {"member": "m-mel", "role": "removed", "cuts": {log.ids["mel"]: 1}})
    log.join("mel2", log.seeds["mel"])
    assert log.role("mel2") == "removed"


def test_who_left_comes_back_by_an_invitation_for_them(log: Log) -> None:
    """A member who left has no role until an admin gives one again."""
    log.write("mel", "leave", {})
    assert log.role("mel") == "removed"
    log.write("ann", "role", {"member": "m-mel", "role": "member", "cuts": {}})
    assert log.role("mel") == "member"


def test_a_machine_leaves_alone(log: Log) -> None:
    """A machine that leaves writes and vouches no more; its owner's other machines keep their role."""
    log.join("ann2", log.invite("ann", "ann", "admin", member="m-ann"))
    log.write("ann2", "leave", {})
    log.join("eve", log.seeds["ann2"])
    assert (log.role("ann"), log.role("ann2"), log.role("eve")) == ("admin", "removed", "removed")
    assert log.standing().role("m-ann") == "admin"
    assert log.standing().active_devices("m-ann") == [log.ids["ann"]]


def test_another_space_is_another_log(log: Log) -> None:
    """Entries of another log count for nothing here."""
    other = Log()
    standing = Standing(log.space, [*log.entries, *other.entries])
    assert standing.member_of(other.ids["ann"]) is None
