"""`Memory.sharing`: one memory on several machines and in a team."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.app.project.argument_types import checked
from remora.app.sharing import outgoing, space, team
from remora.app.sharing.outgoing import Leaving
from remora.app.sharing.sync import Synced, sync, sync_when_due
from remora.app.sharing.team import Comment, Contested, MemberInfo
from remora.core.errors import InvalidInput, NotFound, RemoraError, SourceError
from remora.injection.brief import SHARED as BY_COLLEAGUE
from remora.lifecycle.upkeep import resolve
from remora.sharing.carriers.postgresql import PostgreSQL
from remora.sharing.permissions import ROLES, VISIBILITIES
from remora.store.shared import HELD, REFUSED, STATE, UNKNOWN

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord
    from remora.store.shared import Dispute


class Ignored(NamedTuple):
    """An entry of the log that does not count: its author, its memory, its state and why."""

    by: str
    memory_id: str
    state: str
    reason: str


class SharingStatus(NamedTuple):
    """How a project is shared.

    Attributes:
        address: where the log lies; empty for a project that is not shared, and so is all that follows.
        project: its name among the members.
        me: the user's name among them, and `role` their role; empty until the first exchange after joining.
        automatic: what is learned is shared without asking, but for what needs a word.
        shared: number of memories that are shared.
        at: time of the last exchange, ISO 8601; empty before the first.
        problem: why the last attempt failed, and `since` when there has been none; empty where it went well.
        leaving: what the next exchange would send, and what waits for a word.
        conflicts, disputes: numbers of memories.
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
    """The shared log that a project takes part in. Every verb works offline but `init`, `join` and `sync`."""

    def __init__(self, project: OpenProject) -> None:
        self._project = project

    @property
    def is_on(self) -> bool:
        """Whether the project is shared."""
        return space.space_of(self._project) is not None

    def init(
        self, address: str = "git", *, name: str = "", me: str = "", automatic: bool = True
    ) -> SharingStatus:
        """Begin to share a project; the user is the first admin. Nothing is sent before `sync`.

        Args:
            address: "git", "git:REMOTE", "folder:PATH", "postgresql://…" or "libsql://…".
            name: of the project, as members call it; the name of its folder by default.
            me: the user's name, as members see it; git's or the system's by default.
            automatic: share what is learned about the project, but for what needs a person's word.

        Raises:
            Conflict: the project is shared already.
            InvalidInput: the address or a name cannot be.
            ConfigError: an extra is not installed.
            SourceError: the address cannot be reached.
        """
        space.found(
            self._project,
            address,
            name or self._project.location.name,
            me or self._name(),
            automatic=automatic,
        )
        return self.status()

    def join(self, invitation: str, *, address: str | None = None, automatic: bool = True) -> SharingStatus:
        """Take part by an invitation, and exchange once.

        Args:
            invitation: the line that `invite` gave.
            address: where the log lies for this machine, if not where the invitation says.
            automatic: as for `init`; the first exchange sends nothing but the membership.

        Raises:
            Conflict: the project is shared already.
            InvalidInput: the text is no invitation.
            SourceError: the log cannot be reached.
        """
        space.join(self._project, invitation, address, automatic=automatic)
        sync(self._project, send=False)
        return self.status()

    def leave(self) -> int:
        """Leave: the log of this machine, its key, and memories that others shared go; returns how many.

        What the user taught stays. That others keep what was shared cannot be helped.
        """
        project, here = self._project, space.need_space(self._project)
        standing = space.standing_of(project, here)
        others = [
            row.memory_id
            for row in project.db.shared.in_state("counts")
            if row.memory_id and standing.member_of(row.device) != here.member
        ]
        with project.db.transaction():
            space.write(project, here, "leave", {})
        with suppress(RemoraError):  # whoever leaves does not wait for the others
            sync(project, send=False)
        own = {m.id for m in project.db.memories.get_many(others).values() if not _foreign(m)}
        gone = [i for i in dict.fromkeys(others) if i not in own]
        with project.db.transaction():
            for one in project.db.memories.get_many(project.db.shared.visible()).values():
                if one.id not in gone:
                    project.db.memories.update(one.id, {"trust_level_scope": "personal"})
            project.db.memories.delete(gone)
        space.forget_space(project, here)
        return len(gone)

    def status(self) -> SharingStatus:
        """Return how the project is shared, and what would leave."""
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
            len(team.disputes(project)),
            tuple(ignored[:_NAMED]),
        )

    def sync(self) -> Synced:
        """Exchange with the log now; from the first time on, the work after sessions does it, too.

        Raises:
            NotFound: the project is not shared.
            SourceError: the log cannot be reached, or refuses.
        """
        return sync(self._project)

    def sync_when_due(self) -> Synced | None:
        """Exchange if a minute has passed since the last attempt; None where nothing was done or it failed.

        Hooks do this after sessions. Before the first `sync` it sends nothing but the membership.
        """
        return sync_when_due(self._project)

    def share(self, memory_ids: Sequence[str], visibility: str = "project") -> list[MemoryRecord]:
        """Share memories: with the project's members, the team or the organization; "personal" takes back.

        What was shared before and is taken back leaves search on the others' machines.

        Raises:
            NotFound: the project is not shared, or there is no such memory in it.
            InvalidInput: there is no such visibility, it is not the user's to give, or a text names this
                machine.
        """
        if visibility not in VISIBILITIES:
            raise InvalidInput(f"{visibility!r} is no visibility", hint=f"One of {', '.join(VISIBILITIES)}.")
        project, here = self._project, space.need_space(self._project)
        standing = space.standing_of(project, here)
        records = [resolve(project.db, one) for one in memory_ids]
        for record in records:
            outgoing.must_be_shareable(project, here, standing, record, visibility)
        with project.db.transaction():
            for record in records:
                outgoing.share(project, record.id, visibility)
        return [resolve(project.db, record.id) for record in records]

    def invite(self, name: str = "", *, role: str = "member", login: str = "") -> str:
        """Return an invitation, a line of text that is good for one machine.

        Args:
            name: of the person; empty for another machine of the user's own.
            role: one of "reader", "member", "steward" and "admin".
            login: the person's login, where the log lies in PostgreSQL.

        Raises:
            InvalidInput: the user may not invite, or there is no such role.
        """
        project, here = self._project, space.need_space(self._project)
        standing = space.standing_of(project, here)
        if role not in ROLES:
            raise InvalidInput(f"{role!r} is no role", hint=f"One of {', '.join(ROLES)}.")
        if name:
            code = space.invite(project, name, role)
            self._grant(login, role)
        else:
            own = standing.name(here.member), standing.role(here.member)
            code = space.invite(project, *own, member=here.member)
        with suppress(SourceError):  # it holds from the next exchange on; `status` says what is wrong
            sync(project, send=False)
        return code

    def members(self) -> list[MemberInfo]:
        """Return the members, by name."""
        return team.members(self._project)

    def set_role(self, member: str, role: str, *, login: str = "") -> MemberInfo:
        """Give a member another role; "removed" ends the membership. Takes an admin.

        Args:
            member: name or id.
            role: one of the roles, or "removed".
            login: the person's login, where the log lies in PostgreSQL.
        """
        found = team.set_role(self._project, member, role)
        self._grant(login, role)
        return found

    def conflicts(self) -> list[Contested]:
        """Return the memories that two people changed at a time, with the texts."""
        return team.conflicts(self._project)

    def decide(self, memory_id: str, keep: str) -> MemoryRecord:
        """Decide between the texts of a memory.

        Args:
            memory_id: its id or a start of it.
            keep: "mine", "theirs", "both", the id of a revision, or another text.

        Raises:
            NotFound: nothing is contested.
            Conflict: more than one text is meant.
        """
        return team.decide(self._project, memory_id, keep)

    def dispute(self, memory_id: str, text: str) -> MemoryRecord:
        """Say why a shared memory is wrong; it ranks lower for everybody until a steward decides."""
        return team.dispute(self._project, memory_id, text)

    def comment(self, memory_id: str, text: str) -> MemoryRecord:
        """Add to the thread of a disputed memory."""
        return team.comment(self._project, memory_id, text)

    def uphold(self, memory_id: str, text: str) -> MemoryRecord:
        """Decide that a disputed memory holds. Takes a steward; to change or forget it settles it as well."""
        return team.uphold(self._project, memory_id, text)

    def disputes(self) -> list[Dispute]:
        """Return the disputes that nobody has settled, oldest first."""
        return team.disputes(self._project)

    def thread(self, memory_id: str) -> list[Comment]:
        """Return what was said about a memory, oldest first."""
        return team.thread(self._project, memory_id)

    def onboarding(self) -> list[MemoryRecord]:
        """Return the five memories of others that a newcomer should know first."""
        return team.onboarding(self._project)

    def _grant(self, login: str, role: str) -> None:
        if not login:
            return
        here = space.need_space(self._project)
        carrier = space.carrier_of(self._project, here)
        try:
            if not isinstance(carrier, PostgreSQL):
                raise InvalidInput("only PostgreSQL has logins", hint="Leave --login out.")
            carrier.set_role(login, role)
        finally:
            carrier.close()

    def _name(self) -> str:
        """Return the user's name: git's, else the system's."""
        repository = self._project.location.repository
        named = repository.config_get("user.name") if repository is not None else ""
        if named:
            return named
        with suppress(OSError, KeyError, ImportError):
            return getpass.getuser()
        raise NotFound("nobody says what you are called", hint="--me NAME")


def _foreign(record: MemoryRecord) -> bool:
    return any(origin.source == BY_COLLEAGUE for origin in record.origins)
