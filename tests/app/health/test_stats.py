"""What is stored, counted."""

from __future__ import annotations

from remora.app.health.stats import VectorCount
from remora.app.memory import Memory
from remora.core.values import Taint
from tests.helpers import FakeEmbedder, Repo


def test_counts(able: Memory, embedder: FakeEmbedder) -> None:
    """Live memories by type, what is marked or has vectors, what is forgotten, and the user's own apart."""
    found = able.stats()
    assert (found.memories, found.by_type, found.turns, found.vectors) == (0, {}, 0, ())
    assert (found.project, found.project_id, found.commit) == ("shop", able.project_id, None)
    assert found.home == str(able.home)
    assert (found.database_bytes > 0, found.log_bytes) == (True, 0)
    first = able.remember("Tokens expire after 24 h", type="decision")
    able.remember("Caches are keyed by tenant", type="gotcha", taint=Taint("a web page"))
    pinned = able.remember("Builds run on Mondays", type="gotcha")
    gone = able.remember("Nothing runs on Sundays", type="pattern")
    able.remember("I like tabs", type="preference", user=True)
    able.verify(first.id)
    able.pin(pinned.id)
    able.forget(gone.id)
    able.catch_up()
    able.session("cli:1").extend([{"role": "user", "content": "hello"}, {"role": "agent", "content": "hi"}])
    found = able.stats()
    assert found.memories == 3
    assert found.by_type == {"decision": 1, "gotcha": 2}
    assert (found.verified, found.pinned, found.tainted, found.forgotten) == (1, 1, 1, 1)
    assert found.user_memories == 1
    assert (found.sessions, found.turns) == (1, 2)
    assert found.log_bytes > 0
    assert found.vectors == (VectorCount("memory", embedder.model_id, 3, embedder.dims),)


def test_history(repo: Repo, memory: Memory) -> None:
    """After init the files, pairs and commits of the history are counted, the busiest file first."""
    repo.commit("one", {"busy.py": "0"})
    repo.commit("two", {"busy.py": "1", "quiet.py": "0"})
    head = repo.commit("three", {"busy.py": "2"})
    memory.init()
    found = memory.stats()
    assert (found.files, found.commits, found.commit) == (2, 3, head)
    assert found.hottest[0] == "busy.py"
