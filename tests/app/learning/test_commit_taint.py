"""A commit of a session that repeated words of others stays tainted, whichever way its message is read."""

from __future__ import annotations

import pytest

from remora import Memory
from remora.app.learning import commit_taint
from remora.core.events import CommitMade
from remora.core.values import Taint
from tests.helpers import Repo
from tests.observer.sessions import session

SUBJECT = "fix: token refresh failed when the clock of the client was behind the server"
WHY = "The reader took the first value it saw, so a later change of the settings never reached the worker."
TAINT = Taint("printed by `docker logs api`", 3)
MADE = session(commits=(CommitMade(f"{SUBJECT}\n\nAs the log says.", 5, taint=TAINT),))


def note(memory: Memory) -> None:
    """Note the commits of the tainted session."""
    db = memory._project.db
    with db.connection.transaction():
        commit_taint.note(db, MADE, "2026-01-05T11:00:00.000Z")


OTHER = "fix: invoice totals were rounded twice when a discount applied"


@pytest.mark.parametrize(
    ("message", "tainted"),
    [(SUBJECT, True), (f"{SUBJECT} (#12)", True), (f"{OTHER}\n\n* {SUBJECT}", True), (OTHER, False)],
)
def test_a_commit_that_is_read_later_is_tainted(
    repo: Repo, memory: Memory, message: str, tainted: bool
) -> None:
    """By its subject, with the number of a request behind it, or as a line of a squash; others are not."""
    repo.commit(f"{message}\n\n{WHY}", {"src/auth/tokens.py": "1"})
    note(memory)
    memory.init()
    (found,) = [m for m in memory.list(records=True) if m.source == "commit_auto"]
    assert found.taint == (Taint(TAINT.source) if tainted else None)
    assert found.needs_review or not tainted


def test_a_commit_that_was_read_before_is_tainted_when_its_session_is_learnt(
    repo: Repo, memory: Memory
) -> None:
    """`init` may come first; what a person confirmed stays."""
    repo.commit(f"{SUBJECT}\n\n{WHY}", {"src/auth/tokens.py": "1"})
    memory.init()
    (before,) = [m for m in memory.list(records=True) if m.source == "commit_auto"]
    assert before.taint is None
    note(memory)
    after = memory.show(before.id)
    assert after.taint == TAINT
    assert after.confidence < before.confidence
    memory.verify(before.id)
    note(memory)
    assert memory.show(before.id).taint is None
