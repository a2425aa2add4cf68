"""What never leaves, and what leaves only by a person's word."""

from __future__ import annotations

import getpass
import socket
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.change import Change
from remora.core.errors import InvalidInput
from remora.core.values import Taint
from tests.app.sharing.conftest import Machine, founder
from tests.app.sharing.test_sync import everything_in


@pytest.fixture
def sender(machine: Machine, shared: Path) -> Memory:
    """Return the memory of a machine that shares what it learns."""
    return founder(machine, shared, "one")


def test_what_is_ones_own_stays(sender: Memory, shared: Path) -> None:
    """Preferences, the user's own memories, conversations, notes and the journal never reach the log."""
    sender.remember("WALRUS1: I prefer tabs", type="preference")
    sender.remember("WALRUS2 in every project", user=True)
    sender.session("cli:1").append("user", "WALRUS3: please fix the build")
    sender.entries.add("WALRUS4", "a note: WALRUS5")
    sender.journal.write("WALRUS6 in the long-term memory")
    sender.journal.note("WALRUS7 asks", "WALRUS8 answers")
    sender.sharing.sync()
    assert "WALRUS" not in everything_in(shared)


def test_what_needs_a_word_waits_for_it(sender: Memory, shared: Path) -> None:
    """What waits for review, had a secret taken out or belongs to a branch stays until a person names it."""
    kept = [
        sender.remember("WALRUS with text from outside", taint=Taint("web")),
        sender.remember(f"WALRUS: the CI pushes with ghp_{'a1B2' * 9}"),
        sender.remember("WALRUS found by the observer", source="observer_inferred", needs_review=True),
    ]
    branch = sender.remember("WALRUS on a branch", branch="feature")
    sender.sharing.sync()
    assert "WALRUS" not in everything_in(shared)
    sender.sharing.share([kept[0].id], "project")
    sender.sharing.sync()
    assert everything_in(shared).count("WALRUS with text from outside") > 0
    assert "WALRUS found" not in everything_in(shared)
    with pytest.raises(InvalidInput, match="not merged"):
        sender.sharing.share([branch.id], "project")


def test_names_of_the_machine_stay(sender: Memory, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that names a folder, the user or the machine stays, also at a person's word, and says why."""
    monkeypatch.setattr(getpass, "getuser", lambda: "walrususer")
    monkeypatch.setattr(socket, "gethostname", lambda: "walrushost.local")
    home, root = f"{Path.home()}/notes", f"{sender.root}/src"
    for named in (home, root, "ask walrususer", "on walrushost", "/Users/jane/notes"):
        record = sender.remember(f"The WALRUS config lies in {named} since May")
        sender.sharing.sync()
        assert "WALRUS" not in everything_in(shared)
        assert record.id in sender.sharing.status().leaving.waiting
        with pytest.raises(InvalidInput, match="names"):
            sender.sharing.share([record.id], "project")


def test_one_by_one(machine: Machine, shared: Path) -> None:
    """Who shares one by one shares what is named, and nothing else; to look shares nothing."""
    memory = machine("one")
    memory.sharing.init(f"folder:{shared}", me="Ann", automatic=False)
    named, other = memory.remember("WALRUS named"), memory.remember("SEAL not named")
    memory.sharing.share([named.id])
    assert memory.sharing.status() == memory.sharing.status()
    assert memory.sharing.status().leaving.memories == (named.id,)
    memory.sharing.sync()
    found = everything_in(shared)
    assert ("WALRUS" in found, "SEAL" in found) == (True, False)
    assert memory.show(other.id).trust_level_scope == "personal"


def test_housekeeping_is_one_machines_own(sender: Memory, machine: Machine) -> None:
    """What expires here is forgotten here; the others forget by their own use."""
    record = sender.remember("The gateway rejects RS256")
    sender.sharing.sync()
    other = machine("other")
    other.sharing.join(sender.sharing.invite())
    db = sender._project.db
    with db.transaction():
        db.memories.update(record.id, {"deprecated": True}, change=Change("retire", author="system:prune"))
    sender.sharing.sync()
    other.sharing.sync()
    assert not other.show(record.id).deprecated
