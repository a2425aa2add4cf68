"""`Memory.sharing`: share a memory between machines and in a team."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.app.sharing import outgoing, space, team
from remora.app.sharing.outgoing import Leaving
from remora.app.sharing.sync import Synced, sync, sync_when_due
from remora.app.sharing.team import Comment, Contested, MemberInfo
from remora.core.argument_types import checked
from remora.core.change import PERSON, Change
from remora.core.errors import InvalidInput, NotFound, RemoraError, SourceError
from remora.lifecycle.upkeep import resolve
from remora.sharing.carriers.postgresql import PostgreSQL
from remora.sharing.permissions import REMOVED, ROLES, VISIBILITIES
from remora.store.shared import HELD, REFUSED, STATE, UNKNOWN

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord
    from remora.store.shared import Dispute


class Ignored(NamedTuple):
    """An entry of the log that does not count: its author, its memory, its state and the reason."""

    by: str
    memory_id: str
    state: str
    reason: str


class SharingStatus(NamedTuple):
    """The sharing status of a project.

    Attributes:
        address: the address of the log; this and all other values are empty for a project that is not shared.
        project: its name among the members.
        me, role: the user's name and role among the members; empty until the first exchange after joining.
        automatic: new memories are shared automatically, except those that need a person's decision.
        shared: number of shared memories.
        at: time of the last exchange, ISO 8601; empty before the first.
        problem, since: the error of the last attempt, and the time of the first failure in a row; empty if it
            succeeded.
        leaving: the entries of the next exchange, and the memories that wait for a decision.
        conflicts, disputes: number of memories.
        ignored: entries that do not count, the first 50.
    """

    address: str = ""
    project: str = ""
    me: str = ""
    role: str = ""
    automatic: bool = False
    shared: int = 0
    at: str = ""
    problem: str = ""
    since: str = ""
    leaving: Leaving = Leaving((), 0, {})
    conflicts: int = 0
    disputes: int = 0
    ignored: tuple[Ignored, ...] = ()


_NAMED = 50


@checked
class Sharing:
    """The shared log that a project takes part in. All methods but `init`, `join` and `sync` work offline."""

    def __init__(self, project: OpenProject) -> None:
        self._project = project

    @property
    def is_on(self) -> bool:
        """Whether the project is shared."""
        return space.space_of(self._project) is not None

    def init(
        self, address: str = "git", *, name: str = "", me: str = "", automatic: bool = True
    ) -> SharingStatus:
        """Start sharing a project; the user is the first admin. Nothing is sent before `sync`.

        Args:
            address: "git", "git:REMOTE", "folder:PATH", "postgresql://…" or "libsql://…".
            name: the project's name for the members; the name of its folder by default.
            me: the user's name for the members; git's or the system's by default.
            automatic: share new memories about the project automatically, except those that need a person's
                decision.

        Raises:
            Conflict: the project is shared already.
            InvalidInput: the address or a name is invalid.
            ConfigError: an extra is not installed.
            SourceError: the address cannot be reached.
        """
        name, me = name or self._project.location.name, me or self._name()
        space.found(self._project, address, name, me, automatic=automatic)
        return self.status()

    def join(self, invitation: str, *, address: str | None = None, automatic: bool = True) -> SharingStatus:
        """Join a shared log by an invitation, and exchange once.

        Args:
            invitation: the line returned by `invite`.
            address: the address of the log for this machine, if it differs from the invitation's.
            automatic: as for `init`; the first exchange sends only the membership.

        Raises:
            Conflict: the project is shared already.
            InvalidInput: the text is not an invitation, or the invitation was used before; the project is not
                shared then.
            SourceError: the log cannot be reached.
        """
        here = space.join(self._project, invitation, address, automatic=automatic)
        sync(self._project, send=False)
        refused = self._project.db.shared.in_state(REFUSED)
        if why := next((row.reason for row in refused if row.device == here.device), ""):
            self._forget(here)
            raise InvalidInput(why, hint="Ask for a new invitation.")
        return self.status()

    def leave(self) -> int:
        """Leave: delete the local log, this machine's key and the memories of others; return their number.

        The user's own memories stay, and so do the user's other machines in the log. Other members keep the
        memories that the user shared.

        Raises:
            Conflict: this is the last machine of the only admin, and there are other members.
        """
        project, here = self._project, space.need_space(self._project)
        standing = space.standing_of(project, here)
        members = [m for m in standing.members() if m.role != REMOVED]
        admins = [m.id for m in members if m.role == "admin"]
        last = standing.active_devices(here.member) == [here.device]
        if last and admins == [here.member] and len(members) > 1:
            raise team.only_admin(standing.name(here.member))
        with project.db.transaction():
            space.add(project, here, "leave", {})
        with suppress(RemoraError):  # leaving does not depend on the exchange
            sync(project, send=False)
        return self._forget(here)

    def _forget(self, here: space.Space) -> int:
        """Delete the local log, this machine's key and the memories of others; return their number."""
        project = self._project
        standing = space.standing_of(project, here)
        others = [
            row.memory_id
            for row in project.db.shared.in_state("counts")
            if row.memory_id and standing.member_of(row.device) != here.member
        ]
        gone = [i for i in dict.fromkeys(others) if self._is_of_another(i, here.member)]
        with project.db.transaction():
            for one in project.db.memories.get_many(project.db.shared.visible()).values():
                if one.id not in gone:
                    change = Change(author=outgoing.LEAVING)
                    project.db.memories.update(one.id, {"trust_level_scope": "personal"}, change=change)
            project.db.memories.delete(gone, change=None)  # a revision would be sent after rejoining
        space.forget_space(project, here)
        return len(gone)

    def status(self) -> SharingStatus:
        """Return the sharing status of the project, and the entries that would leave."""
        project, here = self._project, space.space_of(self._project)
        if here is None:
            return SharingStatus()
        db, standing = project.db, space.standing_of(project, here)
        state = db.meta.get(STATE) or {}
        ignored = [
            Ignored(standing.name(standing.member_of(row.device)), row.memory_id, row.state, row.reason)
            for row in db.shared.in_state(REFUSED, HELD, UNKNOWN)
        ]
        return SharingStatus(
            here.address,
            here.project,
            standing.name(here.member) if here.member else "",
            standing.role(here.member) if here.member else "",
            here.automatic,
            len(db.shared.visible()),
            state.get("at", ""),
            state.get("problem", ""),
            state.get("since", ""),
            Leaving((), 0, {}) if project.read_only else outgoing.preview(project, here, standing),
            len(team.conflicts(project)),
            len(db.shared.disputes()),
            tuple(ignored[:_NAMED]),
        )

    def sync(self) -> Synced:
        """Exchange with the log now; after the first call, the work after sessions also does it.

        Raises:
            NotFound: the project is not shared.
            SourceError: the log cannot be reached, or refuses the exchange.
        """
        return sync(self._project)

    def sync_when_due(self) -> Synced | None:
        """Exchange if a minute has passed since the last attempt; None if not due or failed.

        Hooks call this after sessions. Before the first `sync` it sends only the membership.
        """
        return sync_when_due(self._project)

    def share(self, memory_ids: Sequence[str], visibility: str = "project") -> list[MemoryRecord]:
        """Share memories with the project's members, the team or the organization; "personal" unshares them.

        Unshared memories leave search on the other members' machines.

        Raises:
            NotFound: the project is not shared, or has no such memory.
            InvalidInput: the visibility does not exist or needs another role, or a text names this machine.
        """
        if visibility not in VISIBILITIES:
            raise InvalidInput(
                f"unknown visibility {visibility!r}", hint=f"Choose one of {', '.join(VISIBILITIES)}."
            )
        project, here = self._project, space.need_space(self._project)
        standing = space.standing_of(project, here)
        records = [resolve(project.db, one) for one in memory_ids]
        for record in records:
            outgoing.must_be_shareable(project, here, standing, record, visibility)
        change = Change("share" if visibility != "personal" else "unshare", author=PERSON)
        with project.db.transaction():
            for record in records:
                project.db.memories.update(record.id, {"trust_level_scope": visibility}, change=change)
        return [resolve(project.db, record.id) for record in records]

    def invite(self, name: str = "", *, role: str = "member", login: str = "") -> str:
        """Return an invitation, a line of text that is valid for one machine.

        Args:
            name: name of the person; empty for another machine of the user's own.
            role: one of "reader", "member", "steward" and "admin".
            login: the person's login, if the log is in PostgreSQL.

        Raises:
            InvalidInput: the user may not invite, or there is no such role.
        """
        project, here = self._project, space.need_space(self._project)
        standing = space.standing_of(project, here)
        if role not in ROLES:
            raise InvalidInput(f"unknown role {role!r}", hint=f"Choose one of {', '.join(ROLES)}.")
        if name:
            code = space.invite(project, name, role)
            self._grant(login, role)
        else:
            own = standing.name(here.member), standing.role(here.member)
            code = space.invite(project, *own, member=here.member)
        with suppress(SourceError):  # the invitation is valid after the next exchange; `status` has the error
            sync(project, send=False)
        return code

    def members(self) -> list[MemberInfo]:
        """Return the members, by name."""
        return team.members(self._project)

    def set_role(self, member: str, role: str, *, login: str = "") -> MemberInfo:
        """Change the role of a member; "removed" ends the membership. Only admins may do so.

        Args:
            member: name or id.
            role: one of the roles, or "removed".
            login: the person's login, if the log is in PostgreSQL.
        """
        found = team.set_role(self._project, member, role)
        self._grant(login, role)
        return found

    def conflicts(self) -> list[Contested]:
        """Return the memories that two people changed concurrently, with their texts."""
        return team.conflicts(self._project)

    def decide(self, memory_id: str, keep: str, *, named: bool = False) -> MemoryRecord:
        """Resolve a conflict between the texts of a memory.

        Args:
            memory_id: its id or a prefix of it.
            keep: "mine", "theirs", "both", the id of a revision, or another text.
            named: refuse another text, which may be a mistyped id.

        Raises:
            NotFound: the memory has no conflict, or no text as named.
            Conflict: `keep` matches more than one text.
        """
        return team.decide(self._project, memory_id, keep, named=named)

    def dispute(self, memory_id: str, text: str) -> MemoryRecord:
        """Dispute a shared memory, with the reason; it ranks lower for all until a steward decides."""
        return team.talk(self._project, memory_id, "dispute", text)

    def comment(self, memory_id: str, text: str) -> MemoryRecord:
        """Add a comment to the thread of a disputed memory."""
        return team.talk(self._project, memory_id, "comment", text)

    def uphold(self, memory_id: str, text: str) -> MemoryRecord:
        """Uphold a disputed memory. Takes a steward; an edit or forgetting settles the dispute as well."""
        return team.talk(self._project, memory_id, "resolve", text)

    def disputes(self) -> list[Dispute]:
        """Return the open disputes, oldest first."""
        return self._project.db.shared.disputes()

    def thread(self, memory_id: str) -> list[Comment]:
        """Return the thread of a memory, oldest first."""
        return team.thread(self._project, memory_id)

    def onboarding(self) -> list[MemoryRecord]:
        """Return the five memories of other members that a new member should know first."""
        return team.onboarding(self._project)

    def _grant(self, login: str, role: str) -> None:
        if not login:
            return
        here = space.need_space(self._project)
        with closing(space.carrier_of(self._project, here)) as carrier:
            if not isinstance(carrier, PostgreSQL):
                raise InvalidInput("only PostgreSQL has logins", hint="Omit --login.")
            carrier.set_role(login, role)

    def _is_of_another(self, memory_id: str, member: str) -> bool:
        """Return whether another member began a memory; a later edit does not change whose it is."""
        first = next(iter(self._project.db.revisions.of(memory_id)), None)
        return first is not None and first.author.startswith("member:") and first.author != f"member:{member}"

    def _name(self) -> str:
        """Return the user's name: git's, else the system's."""
        repository = self._project.location.repository
        named = repository.config_get("user.name") if repository is not None else ""
        if named:
            return named
        with suppress(OSError, KeyError, ImportError):
            return getpass.getuser()
        raise NotFound("your name is unknown", hint="Give it with --me NAME.")
