"""Parts are built from settings, on first use, and closed with the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory, ScriptedModel
from remora.app.project.locate import DATABASE
from remora.app.project.open_project import OpenProject
from remora.core.errors import NotFound, StoreError
from tests.helpers import FakeEmbedder, environment, texts


class Closing(FakeEmbedder):
    """A model that notes when it is closed."""

    closed = False

    def close(self) -> None:
        """Note it."""
        self.closed = True


def test_rooms(tmp_path: Path, folder: Path) -> None:
    """The project's database is made when it is asked for; the user's only when something goes in."""
    project = OpenProject(folder, environment(tmp_path))
    home = project.location.home
    assert not home.exists()
    assert [store.db.realm for store in project.stores()] == ["project"]
    assert (home / DATABASE).exists()
    assert not project.user_home.exists()
    project.store("user")
    assert [store.db.realm for store in project.stores()] == ["project", "user"]
    assert project.store("user") is project.store("user")
    assert project.user_home == tmp_path / "data/user"
    project.close()


def test_a_damaged_user_database(tmp_path: Path, folder: Path) -> None:
    """The project's memory goes on without a user's database that cannot be opened, and says so."""
    (tmp_path / "data/user").mkdir(parents=True)
    (tmp_path / "data/user" / DATABASE).write_bytes(b"no database at all" * 100)
    with Memory.open(folder, environ=environment(tmp_path)) as memory:
        memory.remember("Tokens expire after 24 h")
        assert texts(memory.search("tokens expire")) == texts(memory.list()) == ["Tokens expire after 24 h"]
        assert any("your own memories cannot be read" in note for note in memory.notes)
        (said,) = memory.reminders()
        assert said.startswith("your own memories cannot be read: ")
        assert (memory.stats().notes, memory.stats().memories) == ((said,), 1)
        with pytest.raises(StoreError, match="is damaged or not a database"):
            memory.remember("Tabs, not spaces", user=True)


def test_reading_where_nothing_is(tmp_path: Path, folder: Path) -> None:
    """Opening for reading a project without a memory says so, and makes nothing."""
    with pytest.raises(NotFound, match="shop has no memory yet") as caught:
        Memory.open(folder, environ=environment(tmp_path), read_only=True)
    assert "remora init" in caught.value.hint
    assert not (tmp_path / "data").exists()


def test_after_close(tmp_path: Path, folder: Path) -> None:
    """A closed memory can be closed again, and used no more."""
    memory = Memory.open(folder, environ=environment(tmp_path))
    session = memory.session("cli:1")
    memory.close()
    memory.close()
    uses: tuple[Callable[[], object], ...] = (
        memory.list,
        memory.stats,
        lambda: memory.search("x"),
        lambda: memory.remember("x y"),
        lambda: session.append("user", "hello"),
        lambda: memory.journal.write("x"),
        lambda: memory.entries.add("deploy", "x"),
    )
    for use in uses:
        with pytest.raises(StoreError, match="this memory is closed"):
            use()
    assert session.history() == []
    assert not (memory.home / "memory").exists()


def test_given_parts_stay_the_callers(tmp_path: Path, folder: Path) -> None:
    """A model that was handed in is used, and left open for its owner."""
    embedder, llm = Closing(), ScriptedModel([])
    project = OpenProject(folder, environment(tmp_path), embedder=embedder, llm=llm)
    used, model = project.embedder(), project.llm("ask")
    assert used is not None
    assert used.embed_query("tokens").tobytes() == embedder.embed_query("tokens").tobytes()
    assert model is not None
    assert model.model_id == llm.model_id
    assert project.choice().tier == "given"
    assert project.reranker() is None
    project.close()
    assert not embedder.closed


def test_parts_that_cannot_be_made(tmp_path: Path, folder: Path) -> None:
    """A language model or a reranker without its key leaves a note; the search goes on."""
    environ = environment(tmp_path, REMORA_LLM_PROVIDER="anthropic", REMORA_RERANK_PROVIDER="cohere")
    with Memory.open(folder, environ=environ) as memory:
        memory.remember("Tokens expire after 24 h")
        assert texts(memory.search("tokens expire")) == ["Tokens expire after 24 h"]
        assert any(note.startswith("no language model: ") for note in memory.notes)
        assert any(note.startswith("no reranker: ") for note in memory.notes)
