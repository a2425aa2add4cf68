"""Compute the members and rights of a shared log from its own entries. Pure.

The founder's key is the root of trust: an invitation carries its fingerprint. Every other device has a
voucher: an invitation that an admin signed, or another device of the same member. A change of role names the
last known entry of each of the member's devices: later entries of a device have the new role, whatever its
clock says. Every node computes the same verdicts from the same entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from remora.sharing.entries import MEMBERSHIP, Entry, is_genuine
from remora.sharing.keys import device_of, is_signed

ROLES = ("reader", "member", "steward", "admin")  # each includes the rights of those before it
REMOVED = "removed"
_NOW = 2**63  # after every entry of a device
VISIBILITIES = ("personal", "project", "team", "organization")


_UNKNOWN, _UNVOUCHED = "nobody vouched for its device yet", "nobody vouches for its device"
EARLY = (_UNKNOWN, _UNVOUCHED)  # reasons that a later entry may remove


class Member(NamedTuple):
    """One member.

    Attributes:
        id: random.
        name: the name given in the invitation.
        role: one of ROLES, or "removed".
    """

    id: str
    name: str
    role: str


class _Change(NamedTuple):
    role: str
    cuts: Mapping[str, int]
    device: str = ""  # the only device that it applies to; empty for all of the member


class Standing:
    """The members of a space and their rights, after given entries.

    Args:
        space: id of the space: the founder's device.
        entries: of the log, in any order; only membership entries count.
    """

    def __init__(self, space: str, entries: Iterable[Entry]) -> None:
        self.space = space
        self.refused: dict[str, str] = {}  # reasons why membership entries do not count, by id
        self._entries = sorted((e for e in entries if e.op in MEMBERSHIP), key=lambda e: e.order)
        while not self._fold():
            pass

    def member_of(self, device: str) -> str | None:
        """Return the member who owns a device, None for an unknown device."""
        return self._devices.get(device, ("", None))[1]

    def key_of(self, device: str) -> str | None:
        """Return the public key of a device, None for an unknown device."""
        found = self._devices.get(device)
        return found[0] if found else None

    def devices_of(self, member: str) -> list[str]:
        """Return the devices of a member, in order."""
        return sorted(device for device, (_, owner) in self._devices.items() if owner == member)

    def active_devices(self, member: str) -> list[str]:
        """Return the devices of a member that have not left and were not removed, in order."""
        return [device for device in self.devices_of(member) if self.role_at(device) != REMOVED]

    def members(self) -> list[Member]:
        """Return all members who have joined, by id."""
        joined = {owner for _, owner in self._devices.values()}
        return [Member(i, self._names.get(i, i), self.role(i)) for i in sorted(joined)]

    def name(self, member: str | None) -> str:
        """Return the name of a member; "somebody" for an unknown one."""
        return self._names.get(member or "", "somebody")

    def role(self, member: str) -> str:
        """Return the present role of a member; "removed" if all their devices left."""
        return next((self.role_at(device) for device in self.active_devices(member)), REMOVED)

    def changes_of(self, member: str) -> Sequence[object]:
        """Return the role changes of a member, in order, to be compared with another standing's."""
        return self._changes.get(member, ())

    def role_at(self, device: str, n: int = _NOW) -> str:
        """Return the role of a device at its n-th entry, by default the present one; "removed" for none."""
        member = self.member_of(device)
        role = self._first.get(member or "", REMOVED)
        for change in self._changes.get(member or "", ()):
            if change.device in ("", device) and n > change.cuts.get(device, 0):
                role = change.role
        return role

    def verdict(self, entry: Entry, creator: str | None) -> str:
        """Return the reason why an entry of a memory does not count; empty if it does.

        Args:
            entry: an entry of a device that has joined.
            creator: the member who first shared the memory; None if this entry does.
        """
        return self.verdict_on(entry.device, entry.op, entry.scope, creator, entry.n)

    def verdict_on(self, device: str, op: str, scope: str, creator: str | None, n: int = _NOW) -> str:
        """Return the reason why a change by a device, by default the next one, does not count."""
        own = creator in (None, self.member_of(device))
        role, wanted = self.role_at(device, n), needed(op, scope, own=own)
        if role == REMOVED:
            return "its author was removed"
        enough = ROLES.index(role) >= ROLES.index(wanted)
        return "" if enough else f"its author is a {role}; it takes a {wanted}"

    def _fold(self) -> bool:
        """Read the entries in order; return False if an entry that counted before turns out not to."""
        self._devices: dict[str, tuple[str, str]] = {}
        self._names: dict[str, str] = {}
        self._first: dict[str, str] = {}
        self._changes: dict[str, list[_Change]] = {}
        self._invited: dict[str, tuple[str, str, str]] = {}  # by the invitation's key: member, role, name
        self._spent: set[str] = set()
        counted: list[Entry] = []
        waiting = [entry for entry in self._entries if entry.rev not in self.refused]
        early: dict[str, str] = {}
        progress = True
        while progress:  # with a slow clock a device may join before its invitation
            progress, early, left = False, {}, []
            for entry in waiting:
                why = self._take(entry)
                if why in EARLY:
                    early[entry.rev] = why
                    left.append(entry)
                    continue
                progress = True
                if why:
                    self.refused[entry.rev] = why
                    continue
                counted.append(entry)
                if entry.op == "role" and (unfit := [one for one in counted[:-1] if self._unfit(one)]):
                    self.refused |= dict.fromkeys((one.rev for one in unfit), "its author was removed")
                    return False
            waiting = left
        self.refused |= early
        return True

    def _unfit(self, entry: Entry) -> bool:
        """Return whether an entry counted by a role that its author did not have."""
        if entry.op not in ("invite", "role"):
            return False
        return bool(self._may_manage(entry, str(entry.fields.get("member", ""))))

    def _take(self, entry: Entry) -> str:
        fields = {name: value for name, value in entry.fields.items() if isinstance(value, str)}
        if entry.space != self.space:
            return "it belongs to another log"
        if entry.op in ("space", "join"):
            return self._joined(entry, fields)
        key = self.key_of(entry.device)
        if key is None or not is_genuine(entry, key):
            return _UNKNOWN if key is None else "its signature is wrong"
        if entry.op == "leave":
            left = _Change(REMOVED, {entry.device: entry.n}, entry.device)
            self._changes.setdefault(self.member_of(entry.device) or "", []).append(left)
            return ""
        member, role = fields.get("member", ""), fields.get("role", "")
        if why := self._may_manage(entry, member):
            return why
        if role not in (*ROLES, REMOVED) or not member:
            return "it names no role"
        if entry.op == "invite":
            if member in self._first:
                role = self._first[member]
            self._invited[fields.get("key", "")] = (member, role, fields.get("name", member))
        else:
            self._change(entry, member, role)
        return ""

    def _may_manage(self, entry: Entry, member: str) -> str:
        """Return the reason why an author may not; all members may invite their own devices."""
        role = self.role_at(entry.device, entry.n)
        own = member == self.member_of(entry.device) and entry.op == "invite" and role != REMOVED
        return "" if own or role == "admin" else f"its author is a {role}; it takes an admin"

    def _change(self, entry: Entry, member: str, role: str) -> None:
        told = entry.fields.get("cuts")
        cuts = {d: n for d, n in told.items() if isinstance(n, int)} if isinstance(told, Mapping) else {}
        self._changes.setdefault(member, []).append(_Change(role, cuts))

    def _joined(self, entry: Entry, fields: Mapping[str, str]) -> str:
        key, member = fields.get("key", ""), fields.get("member", "")
        try:
            own = device_of(key) == entry.device
        except ValueError:
            own = False
        if not own or not is_genuine(entry, key):
            return "its signature is wrong"
        if entry.device in self._devices:
            return "its device has joined before"
        if entry.op == "space":
            if entry.device != self.space or entry.n != 1:
                return "it is not the founder's"
            self._devices[entry.device] = (key, member)
            self._names[member], self._first[member] = fields.get("name", member), "admin"
            return ""
        voucher, signature = fields.get("voucher", ""), fields.get("signature", "")
        if voucher not in self._devices and voucher not in self._invited:
            return _UNVOUCHED
        voucher_key = self.key_of(voucher) or voucher
        if not is_signed(voucher_key, signature, vouched(self.space, key)):
            return "its voucher is forged"
        if voucher in self._invited and voucher not in self._spent:
            self._spent.add(voucher)
            member, role, name = self._invited[voucher]
            self._first.setdefault(member, role)
            self._names.setdefault(member, name)
        elif voucher in self._devices and self.role_at(voucher) != REMOVED:
            member = self._devices[voucher][1]
        else:
            return "the invitation was used before, or its author was removed"
        self._devices[entry.device] = (key, member)
        return ""


def vouched(space: str, key: str) -> bytes:
    """Return the bytes that a voucher of a new device signs: the space, and the device's public key."""
    return f"remora:join:{space}:{key}".encode()


def needed(op: str, scope: str, *, own: bool) -> str:
    """Return the role required for a change of a memory.

    >>> needed("edit", "project:shop", own=True), needed("edit", "project:shop", own=False)
    ('member', 'steward')
    >>> needed("dispute", "team", own=False), needed("share", "organization", own=True)
    ('reader', 'admin')
    """
    if op in ("dispute", "comment"):
        return "reader"
    if op == "erase" or scope == "organization":
        return "admin"
    if op == "resolve" or scope == "team" or not own:
        return "steward"
    return "member"
