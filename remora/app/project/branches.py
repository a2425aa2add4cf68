"""Keep memories in step with their branches: merged ones become the project's, unmerged ones retire.

A memory with a branch is ranked for that branch alone, and quotes of a person from a session on it are shown
there alone. Each `learn` and `init` asks git for the state of every branch that a live memory names. If the
state is unknown, nothing changes.

A memory retired with its branch is restored when git later shows the branch as merged or open: it was pulled
only now, or pushed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from remora.core.change import Change, acting
from remora.core.clock import from_iso
from remora.core.errors import SourceError
from remora.lifecycle.flags import BRANCH_GONE
from remora.sources.branches import Branch, Known, State, follow, looks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from remora.app.project.open_project import OpenProject
    from remora.store.database import Database

KNOWN = "branch:"  # prefix of a meta key; the branch name follows: its last known state
LOOKED = "branches"  # meta key: digest of all branches at the last query, and the states found
_LASTING = ("open", "unknown")  # states that change no memory


class Settled(NamedTuple):
    """The result of following branches: (branch, number of memories) for each change.

    Attributes:
        merged: memories that now belong to the project.
        retired: memories retired because their branch was deleted unmerged.
        revived: retired memories restored because their branch is merged or exists again.
        notes: problems.
    """

    merged: tuple[tuple[str, int], ...] = ()
    retired: tuple[tuple[str, int], ...] = ()
    revived: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()


@acting("system:branches")
def settle(project: OpenProject, more: Iterable[str] = ()) -> Settled:
    """Update memories by the state of their branches, and store that state.

    Args:
        project: the open project.
        more: further branches to examine, besides those that memories name.
    """
    repository = project.location.repository
    if repository is None or project.read_only:
        return Settled()
    db = project.db
    named, gone, quoted = _branches(db), _gone(db), db.notes.on_branches()
    if not (names := {*named, *gone, *(name for name, _ in quoted), *more}):
        return Settled()
    try:
        look = looks(repository)
        before = _settled(db, look)
        names -= {name for name, state in before.items() if state in _LASTING or name not in named}
        if not names:
            return Settled()
        known = {name: _known(db, name) for name in names}
        found = follow(repository, known)
    except SourceError as error:
        return Settled(notes=(f"branches were not checked: {error}",))
    merged: list[tuple[str, int]] = []
    retired: list[tuple[str, int]] = []
    revived: list[tuple[str, int]] = []
    with db.connection.transaction():
        db.meta.set(LOOKED, [look, before | {branch.name: branch.state for branch in found}])
        for branch in found:
            if branch.known != known[branch.name]:
                db.meta.set(KNOWN + branch.name, list(branch.known))
            if branch.state == "merged":
                for name, path in quoted:
                    if name == branch.name:
                        db.notes.bind(path, None)
            ids = named.get(branch.name, [])
            if branch.name in gone and branch.state in ("merged", "open"):
                for memory_id in gone[branch.name]:
                    project.store("project").upkeep.restore(memory_id)
                revived.append((branch.name, len(gone[branch.name])))
                ids = [*ids, *gone[branch.name]]
            if ids and branch.state == "merged":
                _bring_in(db, ids)
                merged.append((branch.name, len(ids)))
            elif ids and branch.state == "deleted":
                _retire(project, db, ids, branch)
                retired.append((branch.name, len(ids)))
    return Settled(tuple(merged), tuple(retired), tuple(revived))


def became(project: OpenProject, name: str) -> Branch | None:
    """Return the state of a branch; None outside a repository, or if git fails."""
    repository = project.location.repository
    if repository is None:
        return None
    try:
        (found,) = follow(repository, {name: _known(project.db, name)})
    except SourceError:
        return None
    return found


def to_stamp(found: Branch | None, since: str | None = None) -> str | None:
    """Return the branch that a memory learned on a branch belongs to; None if it belongs to the project.

    A memory belongs to a branch only if git knows it and it is not merged: an old session may have worked on
    a branch that is merged and deleted, and its memories would never be visible. A branch without commits
    of its own was either merged, or has yet to get the changes a session left in the working tree: the
    latter if its commit is older than the session.

    Args:
        found: the state of the branch.
        since: the start of the session, ISO 8601.
    """
    if found is None or found.state != "open":
        return None
    if not found.known.ahead and (found.at is None or since is None or found.at >= from_iso(since)):
        return None
    return found.name


def _bring_in(db: Database, ids: Iterable[str]) -> None:
    for memory_id in ids:
        db.memories.update(memory_id, {"branch": None}, change=Change("edit", "its branch was merged"))


def _branches(db: Database) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, memory_id in db.memories.on_branches():
        found.setdefault(name, []).append(memory_id)
    return found


def _gone(db: Database) -> dict[str, list[str]]:
    """Return the memories retired with a branch and unchanged since, by branch."""
    ids = db.selections.gone_with_branch(BRANCH_GONE)
    found: dict[str, list[str]] = {}
    for record in db.memories.get_many(ids).values():
        found.setdefault(record.branch or "", []).append(record.id)
    return found


def _known(db: Database, name: str) -> Known:
    value = db.meta.get(KNOWN + name)
    return Known(*value) if isinstance(value, list) and len(value) == len(Known._fields) else Known()


def _settled(db: Database, look: str) -> dict[str, State]:
    """Return the known states of branches, if no branch has moved since."""
    seen = db.meta.get(LOOKED)
    return dict(seen[1]) if isinstance(seen, list) and seen[0] == look else {}


def _retire(project: OpenProject, db: Database, ids: list[str], branch: Branch) -> None:
    upkeep = project.store("project").upkeep
    records = db.memories.get_many(ids)
    for memory_id in ids:
        record = records[memory_id]
        if record.pinned or record.user_verified:  # a person confirmed it
            why = f"its branch {branch.name} is gone, and a person said that it holds"
            db.memories.update(memory_id, {"branch": None}, change=Change("edit", why))
            continue
        upkeep.retire(memory_id, f"{BRANCH_GONE} {branch.name}")
