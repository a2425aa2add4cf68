"""Taint the commits of sessions that repeated text from outside, and the memories read from them.

git does not record who dictated a message. So learning a session stores the subjects of its tainted commits;
a commit is tainted if its subject, or a line of its body (a squash lists them), equals one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from remora.core.change import Change
from remora.core.text import collapse, content_hash
from remora.core.values import Taint
from remora.observer.candidate import TRUST, doubted
from remora.sources.messages import subject_of

if TYPE_CHECKING:
    from remora.core.events import Observation
    from remora.core.values import MemoryDraft
    from remora.store.database import Database

TAINTED = "tainted commit"  # kind of the source items; their path is the taint's source
LEAST = 12  # characters of a subject; a shorter one ("wip") identifies no commit


def note(db: Database, session: Observation, now: str) -> None:
    """Store the tainted commits of a session, and taint the memories read from them; inside a transaction."""
    found = {
        key: commit.taint
        for commit in session.commits
        if commit.taint is not None and (key := _key(commit.message.partition("\n")[0]))
    }
    for key, taint in found.items():
        db.history.set_seen(TAINTED, key, None, (taint.source,), now)
    read = db.history.seen("commit") if found else {}
    for sha, message in db.commits.messages(read).items():
        record = db.memories.get(read[sha][0] or "")
        taints = [found[key] for key in _keys(message) if key in found]
        if not taints or record is None or record.taint or record.user_verified or record.pinned:
            continue
        doubt = record.confidence * TRUST
        changes = {"taint": taints[0], "needs_review": True, "confidence": doubt}
        why = "its commit comes from a session with text from outside"
        db.memories.update(record.id, changes, change=Change("flag", why))


def tainted(db: Database, drafts: list[MemoryDraft]) -> list[MemoryDraft]:
    """Return drafts that were read from commits, with a taint on those of tainted sessions."""
    known: Mapping[str, tuple[str | None, tuple[str, ...]]] = db.history.seen(TAINTED)
    messages = db.commits.messages({draft.commit_sha or "" for draft in drafts}) if known else {}

    def looked_at(draft: MemoryDraft) -> MemoryDraft:
        keys = _keys(messages.get(draft.commit_sha or "", ""))
        source = next((known[key][1][0] for key in keys if key in known), "")
        return doubted(draft._replace(taint=Taint(source))) if source else draft

    return [looked_at(draft) for draft in drafts]


def any_tainted(db: Database, messages: Iterable[str]) -> bool:
    """Return whether a tainted session made one of these commits, or may have made it: "wip" names none."""
    known = db.history.seen(TAINTED).keys()
    return bool(known) and any(not keys or not known.isdisjoint(keys) for keys in map(_keys, messages))


def _keys(message: str) -> list[str]:
    return [key for line in message.split("\n") if (key := _key(line.strip().lstrip("*- ")))]


def _key(subject: str) -> str:
    said = subject_of(collapse(subject)).casefold()
    return content_hash(said) if len(said) >= LEAST else ""
