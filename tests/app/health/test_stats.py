"""What is stored, counted."""

from __future__ import annotations

from pathlib import Path

from remora.app.health.stats import VectorCount, database_bytes
from remora.app.memory import Memory
from remora.core.values import Taint
from tests.helpers import FakeEmbedder, Repo


def test_empty(bare: Memory) -> None:
    """A new store holds nothing but itself."""
    with bare as memory:
        found = memory.stats()
        assert (found.memories, found.by_type, found.turns, found.vectors, found.commit) == (
            0,
            {},
            0,
            (),
            None,
        )
        assert found.project == "shop"
        assert found.project_id == memory.project_id
        assert found.home == str(memory.home)
        assert found.database_bytes > 0
        assert found.log_bytes == 0


def test_counts(bare: Memory) -> None:
    """Live memories by type, what is marked among them, what is forgotten, and the user's own apart."""
    with bare as memory:
        first = memory.remember("Tokens expire after 24 h", type="decision")
        memory.remember("Caches are keyed by tenant", type="gotcha", taint=Taint("a web page"))
        pinned = memory.remember("Builds run on Mondays", type="gotcha")
        gone = memory.remember("Nothing runs on Sundays", type="pattern")
        memory.remember("I like tabs", type="preference", user=True)
        memory.verify(first.id)
        memory.pin(pinned.id)
        memory.forget(gone.id)
        memory.session("cli:1").extend(
            [{"role": "user", "content": "hello"}, {"role": "agent", "content": "hi"}]
        )
        found = memory.stats()
    assert found.memories == 3
    assert found.by_type == {"decision": 1, "gotcha": 2}
    assert (found.verified, found.pinned, found.tainted, found.forgotten) == (1, 1, 1, 1)
    assert found.user_memories == 1
    assert (found.sessions, found.turns) == (1, 2)
    assert found.log_bytes > 0


def test_history(repo: Repo, memory: Memory) -> None:
    """After init the files, pairs and commits of the history are counted, the busiest file first."""
    repo.commit("one", {"busy.py": "0"})
    repo.commit("two", {"busy.py": "1", "quiet.py": "0"})
    head = repo.commit("three", {"busy.py": "2"})
    memory.init()
    found = memory.stats()
    assert (found.files, found.commits, found.commit) == (2, 3, head)
    assert found.hottest[0] == "busy.py"


def test_vectors(able: Memory, embedder: FakeEmbedder) -> None:
    """Vectors are counted by owner and model."""
    able.remember("Tokens expire after 24 h", type="decision")
    able.catch_up()
    assert able.stats().vectors == (VectorCount("memory", embedder.model_id, 1, embedder.dims),)


def test_size_of_what_is_not_there(tmp_path: Path) -> None:
    """A database that does not exist has no bytes."""
    assert database_bytes(tmp_path / "memory.db") == 0
