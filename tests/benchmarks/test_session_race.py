"""The account of a race finds what is missing, what is there twice and what nobody wrote."""

from __future__ import annotations

from pathlib import Path

from benchmarks.common import environment
from benchmarks.crash import NO_MODEL
from benchmarks.session_race import OWN_NOTES, SHARED, Account, Writer, _Found, _look_for
from benchmarks.texts import numbered
from remora.app.memory import Memory


def project(folder: Path) -> Memory:
    """Open a memory without a model."""
    (folder / "project").mkdir()
    return Memory.open(folder / "project", environ=environment(folder, **NO_MODEL, **OWN_NOTES))


def look(memory: Memory, *accounts: Account) -> _Found:
    """Compare accounts with what is there."""
    found = _Found(memory)
    _look_for(memory, [vars(account) for account in accounts], found)
    return found


def test_a_true_account_is_found_whole(tmp_path: Path) -> None:
    """What one process did in a moment is all there, once, and every message is in a consolidation."""
    with project(tmp_path) as memory:
        writer = Writer(memory, 1)
        writer._append()
        writer.work(0.3)
        for done in memory.journal.consolidate():
            writer._consolidated(done)
        found = look(memory, writer.account)
    assert (found.lost, found.twice, found.strange, writer.account.errors) == ([], [], [], [])
    assert found.there["message by its id"] == found.there["consolidated message"] > 0


def test_what_was_not_stored_is_missed(tmp_path: Path) -> None:
    """A message, a note, an alias, an exchange, an entry and an archive that are not there."""
    account = Account()
    account.messages[SHARED] = [1, 2]
    account.notes["a note"] = "its text", ["another name"]
    account.exchanges.append("[10:00] User: a | Assistant: b")
    account.history.append("an entry")
    account.archives.append("race-shared-1")
    with project(tmp_path) as memory:
        memory.session(SHARED).append("user", numbered(1), external_id="1")
        memory.journal.add_history("of somebody else")
        found = look(memory, account)
    kinds = {problem.split(":")[0] for problem in found.lost}
    assert {"message by its id", "message by its text", "note", "alias", "archive", "exchange"} <= kinds
    assert {"entry of HISTORY.md", "entry of a month", "history entry in the index", "race"} <= kinds
    assert {problem.split(":")[0] for problem in found.strange} >= {"entry of HISTORY.md", "entry of a month"}


def test_what_is_there_twice_is_seen(tmp_path: Path) -> None:
    """A text under two ids, a line twice in the daily note, a message in two consolidations."""
    account = Account()
    account.messages[SHARED] = [1, 2]
    with project(tmp_path) as memory:
        session = memory.session(SHARED)
        session.append("user", numbered(1), external_id="1")
        session.append("user", numbered(1), external_id="2")
        for _ in range(2):
            account.exchanges.append(memory.journal.note("a", "b", at=0.0).strip())
        [done] = memory.journal.consolidate()
        account.consolidated = [(SHARED, 2, done.entry), (SHARED, 2, done.entry)]
        found = look(memory, account)
    assert [problem.split(":")[0] for problem in found.twice] == ["message by its text", "exchange", "race"]
