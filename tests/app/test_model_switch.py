"""While another model takes over, in the background and slowly, every search is right and no models mix."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from remora import Memory
from remora.app.recall import search as recall
from remora.core.values import MemoryDraft
from remora.store.nearest import NearestIndex
from tests.app.conftest import Opens
from tests.graph.projects import db_of
from tests.helpers import FakeEmbedder

EACH = 20  # of every kind: more than a batch of the background, so that each kind is seen half done
KINDS = {"memory": "memory", "turn": "turn", "note": "note", "code": "chunk"}  # source of hits: owner
OLD, NEW = "fake:old:32", "fake:new:32"  # of one length: nothing but the id tells them apart


class SteppingEmbedder(FakeEmbedder):
    """As slow as a test wants: a batch of documents waits until it is let through.

    Attributes:
        asked: how many batches have come in; all before the last are stored by then.
        made: the bytes of every vector of a document as it is kept.
    """

    def __init__(self, model_id: str) -> None:
        super().__init__(model_id)
        self.document_prefix = f"{model_id}: "
        self.gate = threading.Semaphore(0)
        self.open = False
        self.asked = 0
        self.made: set[bytes] = set()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the rows once the gate opens."""
        self.asked += 1
        assert self.open or self.gate.acquire(timeout=5), "nobody let this batch through"
        found = super().embed_documents(texts)
        self.made |= {row.astype("<f2").tobytes() for row in found}
        return found

    def _vector(self, text: str) -> NDArray[np.float32]:
        """Return a vector that no other model's could be: the old one's lie on the other side."""
        return super()._vector(text) * np.float32(-1.0 if self.model_id == OLD else 1.0)

    def let_through(self) -> None:
        """Let every batch through from now on."""
        self.open = True
        self.gate.release()


class Compared(NamedTuple):
    """A query's vector and the vectors that it was compared with."""

    owner_kind: str
    query: bytes
    rows: set[bytes]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Compared]:
    """What the searches of a test compare, from the matrices that they multiply."""
    seen: list[Compared] = []

    def spied(original: Callable[..., Any]) -> Callable[..., Any]:
        def spy(index: NearestIndex, query: NDArray[np.float32], *rest: Any) -> Any:
            found = original(index, query, *rest)
            live = index._matrix
            seen.append(Compared(index._kind, query.tobytes(), {row.astype("<f2").tobytes() for row in live}))
            return found

        return spy

    for name in ("search", "cosines"):
        monkeypatch.setattr(NearestIndex, name, spied(getattr(NearestIndex, name)))
    return seen


@pytest.fixture
def old(opens: Opens, folder: Path, monkeypatch: pytest.MonkeyPatch) -> SteppingEmbedder:
    """The model that made the vectors of a store with something of every kind."""
    monkeypatch.setattr(recall, "BACKLOG_SECONDS", 0.0)
    model = SteppingEmbedder(OLD)
    model.let_through()
    for n in range(EACH):
        (folder / f"code{n}.py").write_text(f"def codesubject{n}():\n    return {n}\n", "utf-8")
    with opens(embedder=model) as memory:
        memory.remember_many([MemoryDraft(f"Rule {n} is of memorysubject{n}") for n in range(EACH)])
        for n in range(EACH):
            memory.session("cli:1").append("user", f"What about turnsubject{n}?")
            memory.entries.add(f"page{n}", f"Page {n} is of notesubject{n}")
        memory.index()
        memory.search("everything")
        memory.catch_up()
        assert counts(memory, OLD) == dict.fromkeys(KINDS, EACH)
    return model


@pytest.fixture
def new(old: SteppingEmbedder) -> Iterator[SteppingEmbedder]:
    """The model that takes over."""
    model = SteppingEmbedder(NEW)
    yield model
    model.let_through()


def stored(memory: Memory, source: str, model_id: str) -> set[bytes]:
    """Return the vectors of a kind and model that are stored."""
    return {vector for _, _, vector in db_of(memory).vectors.since(KINDS[source], model_id, 0, 1_000)}


def counts(memory: Memory, model_id: str) -> dict[str, int]:
    """Return how many of each kind have a vector of a model."""
    return {source: db_of(memory).vectors.count(owner, model_id) for source, owner in KINDS.items()}


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another thread brings about."""
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def running(memory: Memory) -> bool:
    """Return whether vectors are being made in the background."""
    background = memory._project.background
    return background is not None and background.running


def check_searches(memory: Memory, new: SteppingEmbedder, compared: list[Compared]) -> None:
    """Search for one of each kind: the right one comes first, only the new model's vectors are looked at."""
    for source, owner in KINDS.items():
        compared.clear()
        query = f"{source}subject7"
        hits = memory.search(query, kinds=[source])
        assert query in hits[0].text
        assert {hit.source for hit in hits} == {source}
        assert {c.query for c in compared} == {new._vector(query).tobytes()}
        looked_at = set[bytes]().union(*(c.rows for c in compared if c.owner_kind == owner))
        assert looked_at == stored(memory, source, NEW) <= new.made
        for hit in hits:
            has = any(hit.text in document for document in new.documents)
            evidence = next(reason.note for reason in hit.why if reason.stage == "evidence")
            assert ("no vector" in evidence) is not has, (hit.text, evidence)


def test_a_search_in_the_middle_of_a_switch(
    opens: Opens, old: SteppingEmbedder, new: SteppingEmbedder, compared: list[Compared]
) -> None:
    """Batch by batch memories, turns, notes and code come over; every search on the way is right and unmixed.

    A search waits for one small batch, never for the whole store.
    """
    half_done: set[str] = set()
    with opens(embedder=new) as memory:
        new.gate.release()
        assert "codesubject3" in memory.search("codesubject3", kinds=["code"])[0].text
        until(lambda: new.asked == 2)
        while running(memory):
            asked = new.asked
            done = counts(memory, NEW)
            half_done |= {source for source, number in done.items() if 0 < number < EACH}
            check_searches(memory, new, compared)
            assert (new.asked, counts(memory, NEW)) == (asked, done)
            new.gate.release()
            until(lambda asked=asked: new.asked > asked or not running(memory))  # type: ignore[misc]
        assert half_done == set(KINDS)
        assert counts(memory, NEW) == counts(memory, OLD) == dict.fromkeys(KINDS, EACH)
        check_searches(memory, new, compared)
        for source in KINDS:
            assert stored(memory, source, OLD) <= old.made
        assert old.made.isdisjoint(new.made)
        beside = "SELECT DISTINCT owner_kind, model_id, dims, prefix FROM embeddings"
        assert set(db_of(memory).connection.rows(beside)) == {
            (kind, model, 32, f"{model}: ") for kind in KINDS.values() for model in (OLD, NEW)
        }


def test_another_process_with_the_old_model_takes_nothing_off_the_queue(
    opens: Opens, old: SteppingEmbedder, new: SteppingEmbedder
) -> None:
    """The old model is in the middle of its work when the new one comes: everything gets its vector."""
    with opens() as memory:
        memory.remember_many([MemoryDraft(f"Fact {n} is of latesubject{n}") for n in range(40)])
    old.open, old.asked, old.gate = False, 0, threading.Semaphore(1)
    with opens(embedder=old) as before, opens(embedder=new) as after:
        before.search("latesubject7")
        until(lambda: old.asked == 2)
        new.gate.release()
        after.search("latesubject7")
        old.let_through()
        until(lambda: not running(before))
        new.let_through()
        until(lambda: not running(after))
        assert after.catch_up() >= 0
        assert counts(after, NEW) == {**dict.fromkeys(KINDS, EACH), "memory": EACH + 40}


def test_reindexing_makes_vectors_that_are_missing(opens: Opens, old: SteppingEmbedder) -> None:
    """A vector that is gone, with nothing in the queue to say so, is made again."""
    with opens(embedder=old) as memory:
        db = db_of(memory).connection
        with db.transaction():
            db.execute("DELETE FROM embeddings WHERE owner_kind IN ('memory', 'chunk') AND id % 2")
        assert memory.catch_up() == 0
        memory.reindex()
        assert counts(memory, OLD) == dict.fromkeys(KINDS, EACH)
