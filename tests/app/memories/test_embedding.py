"""Vectors are made in bounded passes, kept apart by model, and never needed for an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from remora import Memory
from remora.app.memories import embedding as worker
from remora.app.memories.embedding import BATCH, SMALL_BATCH
from remora.core.clock import FixedClock
from remora.core.errors import StoreReadOnly
from remora.core.values import MemoryDraft
from remora.embeddings.context import memory_text
from remora.store.database import Database
from tests.app.learning.test_learn import several
from tests.helpers import FakeEmbedder, environment, texts

FACTS = ["Tokens expire after 24 h", "Cookies are small", "The parser is slow"]


class SlowEmbedder(FakeEmbedder):
    """Takes twenty milliseconds for each text."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the rows, later."""
        time.sleep(0.02 * len(texts))
        return super().embed_documents(texts)


class FailingEmbedder(FakeEmbedder):
    """Fails from the second batch of documents on."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the rows of the first batch."""
        self.broken = bool(self.documents)
        return super().embed_documents(texts)


def db_of(memory: Memory, realm: str = "project") -> Database:
    """Return a database of a memory."""
    return memory._project.store(realm).db


def models(memory: Memory) -> dict[tuple[str, str], int]:
    """Return how many owners of each kind have a vector of each model."""
    return {key: owners for key, (owners, _) in db_of(memory).vectors.models().items()}


def fill(memory: Memory, number: int) -> None:
    """Remember many different statements at once."""
    memory.remember_many([MemoryDraft(f"Statement {n} speaks of subject{n}") for n in range(number)])


def backlog(tmp_path: Path, folder: Path, number: int) -> Memory:
    """Return a memory with a slow model, which another process left a backlog."""
    with Memory.open(folder, environ=environment(tmp_path)) as memory:
        fill(memory, number)
    return Memory.open(folder, environ=environment(tmp_path), embedder=SlowEmbedder())


def test_the_queue_is_drained(able: Memory, embedder: FakeEmbedder) -> None:
    """Everything that waits gets one vector, memories of both databases and turns; then nothing waits."""
    for fact in FACTS:
        able.remember(fact)
    able.remember("Tabs, not spaces", user=True)
    able.session("cli:1").append("user", "Why is the parser slow?")
    assert embedder.documents == []
    steps: list[tuple[str, int, int]] = []
    assert able.catch_up(progress=lambda *step: steps.append(step)) == 5
    assert steps == [("embedding", 4, 4), ("embedding", 5, 5)]
    assert models(able) == {("memory", "fake:a:32"): 3, ("turn", "fake:a:32"): 1}
    assert db_of(able, "user").vectors.count("memory", "fake:a:32") == 1
    assert db_of(able).vectors.pending_count() == 0
    assert able.catch_up() == 0
    assert len(embedder.documents) == 5


def test_what_is_learnt_has_its_vectors_at_once(able: Memory, tmp_path: Path) -> None:
    """The model was needed to tell what is new; the first search need not embed."""
    several(tmp_path, able)
    assert able.learn(tmp_path / "talks").learnt
    assert db_of(able).vectors.pending_count() == 0


def test_what_is_embedded(able: Memory, embedder: FakeEmbedder) -> None:
    """A memory with its context before its words, anew after an edit; a turn by its words, in parts.

    What was forgotten before it had a vector gets none until it is restored.
    """
    files, modules = ["auth/mw.py"], ["auth"]
    gone = able.forget(able.remember(FACTS[0]).id)
    record = able.remember("Refresh in the middleware", related_files=files, related_modules=modules)
    able.session("cli:1").append("user", "Why?")
    able.catch_up()
    assert "auth/mw.py" in memory_text(record)
    assert set(embedder.documents) == {memory_text(record), "Why?"}
    able.edit(record.id, content="Sessions end after an hour")
    assert able.catch_up() == 1
    assert embedder.documents[-1].endswith("Sessions end after an hour")
    able.session("cli:1").append("user", "\n".join(f"Line {n} is about subject{n}." for n in range(100)))
    able.restore(gone.id)
    able.catch_up()
    assert models(able) == {("memory", "fake:a:32"): 2, ("turn", "fake:a:32"): 2}
    assert db_of(able).vectors.count("turn", "fake:a:32") > 4


def test_seconds_are_kept(tmp_path: Path, folder: Path) -> None:
    """A backlog is worked off for about the time that was given; what was just written comes first."""
    with backlog(tmp_path, folder, 52) as memory:
        assert memory.catch_up(0.0) == SMALL_BATCH
        assert SMALL_BATCH <= memory.catch_up(0.15) < 36
        own = memory.remember("The crane lifts eight tons")
        assert memory.catch_up(0.0) > 0
        assert own.id not in {owner for _, _, owner in db_of(memory).vectors.pending(1_000)}
        memory.catch_up()
        assert db_of(memory).vectors.count("memory", "fake:a:32") == 53


def test_files_that_are_read_anew_come_after_what_was_written(tmp_path: Path, folder: Path) -> None:
    """Many notes in a file are a backlog for the background; what was stored is embedded before them."""
    with Memory.open(folder, environ=environment(tmp_path), embedder=SlowEmbedder()) as memory:
        memory.journal.note("Where is the anchor?", "In the harbour.")
        day = next((memory.home / "memory").glob("????-??-??.md"))
        day.write_text("".join(f"[10:00] User: {n}? | Assistant: {n}.\n" for n in range(100)), "utf-8")
        record = memory.remember("The crane lifts eight tons")
        memory.search("anchor")
        waiting = db_of(memory).vectors.pending(1_000)
        assert waiting
        assert record.id not in {owner for _, _, owner in waiting}
        assert memory._project.background is not None


@pytest.mark.parametrize("stop", [Memory.close, lambda _: worker._stop_all()], ids=["close", "exit"])
def test_closing_stops_the_background(tmp_path: Path, folder: Path, stop: Callable[[Memory], None]) -> None:
    """After the batch at hand, as the end of a process does; what is left waits for the next process."""
    memory = backlog(tmp_path, folder, 64)
    memory.search("subject7")
    background = memory._project.background
    assert background is not None
    started = time.monotonic()
    stop(memory)
    assert time.monotonic() - started < 5.0
    assert not background.running
    memory.close()
    with Memory.open(folder, environ=environment(tmp_path)) as memory:
        assert 0 < db_of(memory).vectors.pending_count() < 64
        assert db_of(memory).connection.check() == []


def test_a_switch_of_models(tmp_path: Path, folder: Path, clock: FixedClock) -> None:
    """After a switch vectors of the old model are never asked for; words find everything, then both do."""
    a, b = FakeEmbedder("fake:a:32"), FakeEmbedder("fake:b:16", dims=16)

    def opened(embedder: FakeEmbedder) -> Memory:
        return Memory.open(folder, environ=environment(tmp_path), clock=clock, embedder=embedder)

    with opened(a) as memory:
        for fact in FACTS:
            memory.remember(fact)
        memory.catch_up()
    b.broken = True
    with opened(b) as memory:
        assert texts(memory.search("parser slow"))[0] == "The parser is slow"
        assert models(memory) == {("memory", "fake:a:32"): 3}
        b.broken = False
        hit = memory.search("parser slow")[0]
        assert any("dense" in str(reason) for reason in hit.why)
        assert models(memory) == {("memory", "fake:a:32"): 3, ("memory", "fake:b:16"): 3}
    with opened(a) as memory:
        memory.remember("The lexer is fast")
        assert texts(memory.search("lexer fast"))[0] == "The lexer is fast"
        assert models(memory) == {("memory", "fake:a:32"): 4, ("memory", "fake:b:16"): 3}
    with opened(b) as memory:
        memory.reindex()
        assert models(memory) == {("memory", "fake:b:16"): 4}


def test_old_vectors_stay_until_the_new_ones_are_there(tmp_path: Path, folder: Path) -> None:
    """Reindexing with a model that fails drops no vector of the model before, in either database."""
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ, embedder=FakeEmbedder()) as memory:
        fill(memory, BATCH + 1)
        memory.remember("Tabs, not spaces", user=True)
        memory.catch_up()
    with Memory.open(folder, environ=environ, embedder=FailingEmbedder("fake:b:32")) as memory:
        assert memory.reindex() == BATCH
        assert models(memory) == {("memory", "fake:a:32"): BATCH + 1, ("memory", "fake:b:32"): BATCH}
        assert db_of(memory, "user").vectors.count("memory", "fake:a:32") == 1


def test_reindex_makes_the_word_index_again(bare: Memory) -> None:
    """A full-text index that lost rows, or was made by older rules, is whole after reindexing."""
    record = bare.remember("getUserById is slow")
    gone = bare.remember("The lexer is fast")
    bare.forget(gone.id)
    db = db_of(bare).connection
    with db.transaction():
        db.execute("UPDATE memories SET search_terms = ''")
        db.execute("DELETE FROM memories_fts")
    assert db.check() != []
    assert bare.search("user") == []
    bare.reindex()
    assert db.check() == []
    assert [h.id for h in bare.search("user")] == [record.id]
    assert bare.show(record.id) == record._replace(receipt=None)


def test_a_failing_model_fails_nothing(able: Memory, embedder: FakeEmbedder) -> None:
    """While the model is down everything works by words, and the reason can be seen."""
    embedder.broken = True
    for fact in FACTS:
        able.remember(fact)
    able.session("cli:1").append("user", "Why is the parser slow?")
    assert texts(able.search("tokens expire"))[0] == FACTS[0]
    assert list(able.notes) == ["no vector: the fake model is loading"]
    assert able.init().rules_found == 0
    assert able.context("slow parser").hits[0].text in (FACTS[2], "Why is the parser slow?")
    assert able.catch_up() == 0
    assert any("the fake model is loading" in f.detail for f in able.doctor().findings)
    embedder.broken = False
    able.search("tokens")
    assert not able.notes
    assert not able._project.trouble
    assert db_of(able).vectors.pending_count() == 0


def test_reading_only_makes_nothing(tmp_path: Path, folder: Path, embedder: FakeEmbedder) -> None:
    """A memory that was opened for reading embeds nothing, and cannot be reindexed."""
    environ = environment(tmp_path)
    with Memory.open(folder, environ=environ) as memory:
        memory.remember(FACTS[0])
    with Memory.open(folder, environ=environ, embedder=embedder, read_only=True) as memory:
        assert memory.catch_up() == 0
        assert texts(memory.search("tokens")) == [FACTS[0]]
        assert embedder.documents == []
        with pytest.raises(StoreReadOnly):
            memory.reindex()
