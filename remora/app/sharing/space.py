"""The shared log that a project takes part in: create, invite, join, leave.

The identity of this machine is stored in the project's home: an id in the database, and the private key in a
file that only the user can read. An invitation is a line of text with the address, the log's id and a key
that is valid for one membership.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.core.clock import to_iso
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.disk.files import make_folder, os_errors, read_small, write_atomic
from remora.sharing import addresses, keys
from remora.sharing.entries import Entry, parse, seal
from remora.sharing.permissions import Standing, vouched
from remora.store.shared import COUNTS, STATE, SharedLine
from remora.store.shared import SPACE as KEY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.sharing.carrier import Carrier

MARK, WAITING = "share.mark", "share.waiting"  # meta keys
CONFIRMED = "share.confirmed"  # meta key: a person has allowed this machine to send
CODE = "remora-invitation:"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Space(NamedTuple):
    """A shared log, as seen from this machine.

    Attributes:
        address: see `sharing.addresses`.
        space: id of the log.
        device: id of this machine in it.
        member: id of the person.
        project: the project's name for the members.
        automatic: new memories about the project are shared automatically, except those that need a person's
            decision.
    """

    address: str
    space: str
    device: str
    member: str
    project: str
    automatic: bool

    @property
    def scope(self) -> str:
        """The scope of entries that belong to this project alone."""
        return f"project:{self.project}"


def space_of(project: OpenProject) -> Space | None:
    """Return the shared log of a project; None if it is not shared."""
    found = project.db.meta.get(KEY)
    return Space(**found) if isinstance(found, dict) else None


def need_space(project: OpenProject) -> Space:
    """Return the shared log of a project.

    Raises:
        NotFound: the project is not shared.
    """
    found = space_of(project)
    if found is None:
        raise NotFound("this project is not shared", hint="`remora share init git` shares it.")
    return found


def carrier_of(project: OpenProject, space: Space) -> Carrier:
    """Return the carrier of a space."""
    return addresses.open_carrier(space.address, space.space, project.location.root, project.environ)


def standing_of(project: OpenProject, space: Space) -> Standing:
    """Return the members of a space and their rights, as known on this machine."""
    rows = project.db.shared.of_memory("")
    return Standing(space.space, [parse(row.line) for row in rows if row.state == COUNTS])


def found(project: OpenProject, address: str, name: str, who: str, *, automatic: bool) -> Space:
    """Create a shared log at an address; the user, called `who`, is its first admin; see `Sharing.init`."""
    _must_be_new(project)
    seed = keys.new_seed()
    device = keys.device_of(keys.public_key(seed))
    member = secrets.token_hex(8)
    space = Space(address, device, device, member, _checked(name), automatic)
    with closing(carrier_of(project, space)) as carrier:
        getattr(carrier, "found", carrier.last)()
    _keep_seed(project, device, seed)
    with project.db.transaction():
        project.db.meta.set(KEY, space._asdict())
        fields = {"key": keys.public_key(seed), "member": member, "name": _named(who)}
        add(project, space, "space", fields)
    return space


def invite(project: OpenProject, who: str, role: str, *, member: str | None = None) -> str:
    """Return an invitation, for a person or for another machine of the user's own.

    Args:
        project: the open project.
        who: the person's name.
        role: one of `permissions.ROLES`.
        member: id of an existing member who gets one more machine.

    Raises:
        InvalidInput: the user may not invite.
    """
    space = need_space(project)
    seed = keys.new_seed()
    fields = {
        "key": keys.public_key(seed),
        "member": member or secrets.token_hex(8),
        "role": role,
        "name": _named(who),
    }
    if why := _why_not(project, space, fields["member"]):
        raise InvalidInput(f"you cannot invite {who}: {why}")
    with project.db.transaction():
        add(project, space, "invite", fields)
    told = {"address": space.address, "space": space.space, "seed": seed, "project": space.project}
    return CODE + base64.urlsafe_b64encode(json.dumps(told).encode()).decode()


def join(project: OpenProject, code: str, address: str | None, *, automatic: bool) -> Space:
    """Join a shared log by an invitation; nothing is exchanged yet; see `Sharing.join`."""
    _must_be_new(project)
    try:
        told = json.loads(base64.urlsafe_b64decode(code.strip().removeprefix(CODE)))
        invited = {name: str(told[name]) for name in ("address", "space", "seed", "project")}
        voucher = keys.public_key(invited["seed"])
    except (ValueError, KeyError, TypeError):
        raise InvalidInput("the text is not an invitation", hint="Copy the whole line.") from None
    seed = keys.new_seed()
    key = keys.public_key(seed)
    device = keys.device_of(key)
    where = address or invited["address"]
    space = Space(where, invited["space"], device, "", _checked(invited["project"]), automatic)
    carrier_of(project, space).close()
    _keep_seed(project, device, seed)
    with project.db.transaction():
        project.db.meta.set(KEY, space._asdict())
        signature = keys.sign(invited["seed"], vouched(space.space, key))
        add(project, space, "join", {"key": key, "voucher": voucher, "signature": signature})
    return space


def renew(project: OpenProject, space: Space) -> Space:
    """Give this machine a new id in the log, vouched for by its old one; call inside a transaction.

    Two copies of one data folder would write under one id: the machine that notices takes a new one.
    """
    old = seed_of(project, space.device)
    seed = keys.new_seed()
    key = keys.public_key(seed)
    device = keys.device_of(key)
    _keep_seed(project, device, seed)
    after = space._replace(device=device)
    project.db.meta.set(KEY, after._asdict())
    signature = keys.sign(old, vouched(space.space, key))
    add(project, after, "join", {"key": key, "voucher": space.device, "signature": signature})
    return after


def set_member(project: OpenProject, space: Space, member: str) -> Space:
    """Store the user's member id, once the log has it; call inside a transaction."""
    after = space._replace(member=member)
    project.db.meta.set(KEY, after._asdict())
    return after


def add(
    project: OpenProject,
    space: Space,
    op: str,
    fields: Mapping[str, Any],
    *,
    place: tuple[str, str] | None = None,
    memory_id: str = "",
    parents: tuple[str, ...] = (),
    scope: str = "",
    author: str = "person",
    why: str = "",
) -> None:
    """Sign an entry of this machine and add it to the log; call inside a transaction.

    `place` is the id and the time of a revision of a memory; the other entries are about the membership.
    """
    rev, hlc = place or project.db.revisions.next_place()
    written = Entry(
        space=space.space,
        device=space.device,
        n=project.db.shared.last().get(space.device, 0) + 1,
        rev=rev,
        memory_id=memory_id,
        parents=parents,
        hlc=hlc,
        scope=scope,
        op=op,
        author=author,
        fields=fields,
        why=why,
    )
    entry = seal(seed_of(project, space.device), written)
    row = SharedLine(entry.device, entry.n, rev, memory_id, entry.line, COUNTS, "")
    project.db.shared.add([row], [hlc], [op])


def seed_of(project: OpenProject, device: str) -> str:
    """Return the private key of a machine's id.

    Raises:
        NotFound: its file does not exist.
    """
    found = read_small(_seed_file(project, device))
    if not found:
        raise NotFound(
            "the key of this machine for the shared log is missing",
            hint="`remora share leave`, then join again with a new invitation.",
        )
    return found.decode().strip()


def forget_space(project: OpenProject, space: Space) -> None:
    """Delete the local copy of the log, its meta keys and this machine's key."""
    with project.db.transaction():
        project.db.shared.drop()
        for key in (KEY, MARK, WAITING, STATE, CONFIRMED):
            project.db.meta.remove(key)
    with suppress(OSError):
        _seed_file(project, space.device).unlink()


def note_state(project: OpenProject, problem: str) -> None:
    """Store the outcome of an exchange; `problem` is empty for success."""
    now = to_iso(project.clock.now())
    before = project.db.meta.get(STATE) or {}
    after = {"at": now, "tried": now, "problem": "", "since": ""}
    if problem:
        since = before.get("since") or now
        after = {"at": before.get("at", ""), "tried": now, "problem": problem, "since": since}
    with project.db.transaction():
        project.db.meta.set(STATE, after)


def _why_not(project: OpenProject, space: Space, member: str) -> str:
    role = standing_of(project, space).role(space.member)
    if role == "admin" or member == space.member:
        return ""
    return f"only an admin can do this, and you are a {role}"


def _must_be_new(project: OpenProject) -> None:
    project.must_be_writable()
    if space_of(project) is not None:
        raise Conflict(
            "this project is already shared",
            hint="`remora share status` shows the address, `remora share leave` leaves the log.",
        )


def _seed_file(project: OpenProject, device: str) -> Path:
    return project.location.home / "share" / f"{device}.key"


def _keep_seed(project: OpenProject, device: str, seed: str) -> None:
    path = _seed_file(project, device)
    with os_errors(path, "write"):
        make_folder(path.parent)
        write_atomic(path, seed + "\n")


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} is not a valid name of a shared project", hint="Use letters, digits, '.', '_' and '-'."
        )
    return name


def _named(who: str) -> str:
    name = " ".join(who.split())[:80]
    if not name:
        raise InvalidInput("a member needs a name", hint="Give it with --name NAME.")
    return name
