"""Correct a memory that a person calls wrong, in one of five ways; each is counted once.

Only the verdict "wrong" counts against a memory: it never gains trust from use again. A memory that is right
and of no use is only marked as silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from remora.app.agent.status import meant
from remora.app.agent.trust import too_many_wrong
from remora.app.memories import operations
from remora.app.project.open_project import OpenProject
from remora.core.change import PERSON
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.core.values import MemoryRecord
from remora.store.uses import Kind

CHOICES = ("wrong", "outdated", "narrow", "silent", "erase")  # kinds of correction


class Corrected(NamedTuple):
    """The result of a correction.

    Attributes:
        choice: one of CHOICES.
        memory: the memory now, or as it was before it was erased.
        new: the memory that replaces it, if the person gave one.
        flagged: ids of the memories derived from it, now flagged for review.
        in_session: number of memories called wrong in the same session, this one included.
        offer: whether that number suggests a lower trust level.
    """

    choice: str
    memory: MemoryRecord
    new: MemoryRecord | None
    flagged: tuple[str, ...]
    in_session: int
    offer: bool = False


def correct(
    project: OpenProject,
    memory_id: str,
    choice: str,
    *,
    right: str | None = None,
    files: Sequence[str] = (),
    modules: Sequence[str] = (),
    branch: str | None = None,
) -> Corrected:
    """Apply a person's correction of a memory; see `Memory.wrong`."""
    if choice not in CHOICES:
        raise InvalidInput(f"unknown choice {choice!r}", hint=f"Choose one of {', '.join(CHOICES)}.")
    if choice == "wrong" and not right:
        raise InvalidInput("the correct text is missing", hint="Give it, or choose another correction.")
    narrower: dict[str, Any] = {"related_files": files, "related_modules": modules, "branch": branch}
    narrower = {name: value for name, value in narrower.items() if value}
    if (choice == "narrow") != bool(narrower):
        raise InvalidInput(
            "name the files, modules or branch where it holds"
            if choice == "narrow"
            else "files, modules and a branch only go with the choice 'narrow'"
        )
    if right and choice not in ("wrong", "outdated"):
        raise InvalidInput("a new text only goes with the choices 'wrong' and 'outdated'")
    store, record = operations.find(project, memory_id)
    if record.deprecated and choice != "erase":
        raise InvalidInput(f"{record.id[:8]} is forgotten", hint="`remora restore` brings it back.")
    session = session_of(project)
    kind: Kind = "unhelpful" if choice == "silent" else "wrong"
    flagged = operations.dependents(project, record.id) if choice in ("wrong", "outdated", "erase") else []
    new: MemoryRecord | None = None
    with store.db.transaction():
        store.db.uses.note(session, kind, {record.id: 1}, to_iso(project.clock.now()))
        in_session = store.db.uses.wrong_in(session)
        if right:
            said = {"source": "user_taught", "confidence": 1.0, "taint": None, "needs_review": False}
            new = operations.supersede(project, record.id, right, said)
        elif choice == "outdated":
            operations.outdate(project, record.id)
        elif choice == "narrow":
            operations.edit(project, record.id, narrower)
        elif choice == "silent":
            operations.edit(project, record.id, {"silent": True})
    if choice == "erase":
        from remora.app.health.erase import erase_memories  # seldom used, with many imports

        erase_memories(project, [record.id])
        after = record
    else:
        after = operations.find(project, record.id)[1]
    offer = too_many_wrong(project, session)
    return Corrected(choice, after, new, tuple(one.id for one in flagged), in_session, offer)


def session_of(project: OpenProject) -> str:
    """Return the session of a correction: the agent's own, the current one, or the person's day."""
    kind, _, session = project.actor.partition(":")
    if kind == "agent" and session:
        return session
    found = meant(project)
    if found is not None:
        return found.head.id
    return f"{PERSON}:{to_iso(project.clock.now())[:10]}"
