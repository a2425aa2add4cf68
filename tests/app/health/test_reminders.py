"""Sentences about what stands in the way of good answers."""

from __future__ import annotations

from pathlib import Path

from remora import Memory
from tests.helpers import FakeEmbedder, environment


def test_all_is_well(bare: Memory) -> None:
    """Where nothing is wrong there is nothing to say."""
    bare.remember("Tokens expire after 24 h", type="decision")
    assert bare.reminders() == bare.reminders(vectors=True) == ()


def test_what_waits_for_a_vector(able: Memory, embedder: FakeEmbedder) -> None:
    """A backlog is counted, with the command that works it off; not where the model itself fails."""
    able.remember("Tokens expire after 24 h", type="decision")
    assert able.reminders() == ()
    assert able.reminders(vectors=True) == ("1 memory has no vector yet; `remora reindex` computes it",)
    able.remember("Caches are keyed by tenant", type="gotcha")
    able.session("cli:1").append("user", "We moved the refresh into the gateway")
    assert able.reminders(vectors=True)[0].startswith("3 memories and turns have no vector yet;")
    embedder.broken = True
    able.catch_up()
    assert able.reminders(vectors=True) == ()
    embedder.broken = False
    able.reindex()
    assert able.reminders(vectors=True) == ()


def test_own_database_that_cannot_be_opened(tmp_path: Path, folder: Path) -> None:
    """Lists and counts go on without the user's database and say why."""
    environ = environment(tmp_path)
    user = Path(environ["REMORA_HOME"]) / "user"
    user.mkdir(parents=True)
    (user / "memory.db").write_text("no database " * 100)
    with Memory.open(folder, environ=environ) as memory:
        kept = memory.remember("Tokens expire after 24 h", type="decision")
        assert [m.id for m in memory.list()] == [kept.id]
        (said,) = memory.reminders()
        assert said.startswith("your own memories cannot be read: ")
        assert memory.stats().notes == (said,)
        assert memory.stats().memories == 1
