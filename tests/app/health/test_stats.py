"""What is stored, counted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from remora.app.health.stats import VectorCount, database_bytes
from remora.app.memory import Memory
from remora.core.clock import FixedClock
from remora.core.values import Taint


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Settings that keep everything in tmp_path, without an embedding model."""
    return {
        "REMORA_HOME": str(tmp_path / "data"),
        "REMORA_CONFIG": str(tmp_path / "config"),
        "HOME": str(tmp_path),
        "REMORA_EMBEDDING_PROVIDER": "none",
    }


@pytest.fixture
def memory(tmp_path: Path, environ: dict[str, str]) -> Memory:
    """The memory of a folder without git."""
    folder = tmp_path / "shop"
    folder.mkdir()
    return Memory.open(folder, environ=environ, clock=FixedClock())


def test_empty(memory: Memory) -> None:
    """A new store holds nothing but itself."""
    with memory:
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


def test_counts(memory: Memory) -> None:
    """Live memories by type, what is marked among them, what is forgotten, and the user's own apart."""
    with memory:
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


def test_history(tmp_path: Path, environ: dict[str, str]) -> None:
    """After init the files, pairs and commits of the history are counted, the busiest file first."""
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for number in range(3):
        (root / "busy.py").write_text(f"{number}")
        if number == 1:
            (root / "quiet.py").write_text("0")
        subprocess.run(["git", "add", "."], cwd=root, check=True)
        subprocess.run(["git", *who, "commit", "-q", "-m", f"change {number}"], cwd=root, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True)
    with Memory.open(root, environ=environ) as memory:
        memory.init()
        found = memory.stats()
    assert (found.files, found.commits, found.commit) == (2, 3, head.stdout.strip())
    assert found.hottest[0] == "busy.py"


def test_vectors(tmp_path: Path, environ: dict[str, str]) -> None:
    """Vectors are counted by owner and model."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with Memory.open(folder, environ={**environ, "REMORA_EMBEDDING_PROVIDER": "onnx"}) as memory:
        memory.remember("Tokens expire after 24 h", type="decision")
        memory.catch_up()
        (count,) = memory.stats().vectors
    assert count == VectorCount("memory", count.model_id, 1, 384)


def test_size_of_what_is_not_there(tmp_path: Path) -> None:
    """A database that does not exist has no bytes."""
    assert database_bytes(tmp_path / "memory.db") == 0
