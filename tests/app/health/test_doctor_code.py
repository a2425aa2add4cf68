"""The doctor's look at the code graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora import Memory
from remora.app.codebase.indexing import LEFT_OUT
from remora.app.health.findings import Finding
from tests.graph.projects import db_of
from tests.helpers import FakeEmbedder, Repo, environment


@pytest.fixture
def memory(repo: Repo, memory: Memory) -> Memory:
    """The memory of a repository with two files and a broken one, indexed."""
    files = {
        "lib/a.py": "def make():\n    return 1\n",
        "b.py": "from lib.a import make\n\ndef use():\n    return make()\n",
        "c.py": "def broken(:\n    return\n",
    }
    repo.commit("first", files)
    memory.index()
    return memory


def findings(memory: Memory, what: str = "code graph") -> list[Finding]:
    """Return the doctor's findings about one thing."""
    return [f for f in memory.doctor().findings if f.what == what]


def test_sizes(memory: Memory) -> None:
    """Files, nodes, edges, closure and bytes; files with syntax errors, and those left out by reason."""
    (found,) = findings(memory)
    db = db_of(memory)
    nodes, edges, _ = db.graph.counts()
    assert found.level == "ok"
    assert f"3 files, {nodes} nodes, {edges} edges, 1 rows of closure; the database has " in found.detail
    assert found.detail.endswith(" MB")
    reasons = {"binary": 9, "generated": 4, "a": 3, "b": 2, "c": 1, "d": 1, "e": 1}
    with db.connection.transaction():
        db.meta.set(LEFT_OUT, reasons)
    left_out, broken = findings(memory, "code")
    assert left_out.detail == ("files left out: 9 binary, 4 generated, 3 a, 2 b, 1 c, 2 for other reasons")
    assert broken.detail == "files read in part (syntax errors): 1"


def test_another_commit(memory: Memory) -> None:
    """After a commit the index is behind, also when a few files are read again, until a whole run."""
    before = db_of(memory).graph.state()
    assert before is not None
    assert before.commit is not None
    repo = Repo(memory.root)
    repo.day = 5
    head = repo.commit("another", {"b.py": "X = 1\n"})
    memory.index_files(["b.py"])
    (_, found) = findings(memory)
    assert found.level == "note"
    assert found.detail == f"indexed at commit {before.commit[:10]}, checked out is {head[:10]}"
    memory.index()
    assert len(findings(memory)) == 1


def test_files_that_nobody_read_since_they_changed(memory: Memory) -> None:
    """An edit and a new file are counted once, also before anything marked them; a mark in vain goes."""
    db, root = db_of(memory), memory.root
    (root / "b.py").write_text("x = 1\n")
    (root / "new.py").write_text("y = 2\n")
    with db.connection.transaction():
        db.graph.mark_stale(["lib/a.py", "b.py"], 1)
    (_, found) = findings(memory)
    assert (found.level, found.detail) == ("note", "files changed since the last indexing: 2")
    assert db.overview.stale_files() == 1
    memory.index()
    assert len(findings(memory)) == 1


def test_an_index_that_was_not_finished(memory: Memory) -> None:
    """Files whose names wait to be resolved are a warning."""
    db = db_of(memory)
    with db.connection.transaction():
        db.graph.unlink(["b.py"])
    (_, found) = findings(memory)
    assert found.level == "warning"
    assert found.detail == "indexing was not finished: names in 1 files are not resolved"
    with db.connection.transaction():
        db.connection.execute("DELETE FROM graph_index_state")
    assert findings(memory)[1].detail == "indexing was not finished"


def test_chunks_that_wait(tmp_path: Path, folder: Path) -> None:
    """Parts of code without a vector are counted where there is a model to make them; no code is said."""
    (folder / "a.py").write_text("def make():\n    return 1\n", "utf-8")
    environ = environment(tmp_path, REMORA_EMBEDDING_PROVIDER="auto")
    with Memory.open(folder, environ=environ, embedder=FakeEmbedder()) as memory:
        memory.remember("Tokens are opaque", type="decision")
        (found,) = findings(memory)
        assert (found.level, found.detail) == ("note", "the code is not indexed")
        assert "`remora index`" in found.advice
        memory.index()
        waiting = memory.waiting_chunks()
        assert waiting > 0
        assert findings(memory, "code")[0].detail == f"code chunks without a vector: {waiting} of {waiting}"
