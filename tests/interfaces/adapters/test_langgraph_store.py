"""The LangGraph store does what LangGraph's own stores do, and keeps it."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph.graph")

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from remora import Memory
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, StoreReadOnly
from remora.interfaces.adapters.langgraph_store import RemoraStore
from tests.helpers import SECRET, FakeEmbedder, holds
from tests.tables import table

DIMS = 256
FAKE = FakeEmbedder("fake:words:256", DIMS)
Make = Callable[..., Any]


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return a vector for each text: those that share words are near each other."""
    rows: list[list[float]] = FAKE.embed_documents(list(texts)).tolist()
    return rows


ALL = ["memory", "sqlite", "remora"]
# Ranking, LangGraph's SQLite store needs a Python whose sqlite3 may load extensions. Not every one may.
RANKING = [kind for kind in ALL if kind != "sqlite" or hasattr(sqlite3.Connection, "enable_load_extension")]
ranking = pytest.mark.parametrize("make", RANKING, indirect=True)


@pytest.fixture(params=ALL)
def make(request: pytest.FixtureRequest, able: Memory) -> Iterator[Make]:
    """Make a store of one of the three kinds; with fields, one that ranks by them."""
    open_ones: list[Any] = []

    def build(fields: list[str] | None = None) -> Any:
        index: Any = {"dims": DIMS, "embed": embed, "fields": fields} if fields else None
        if request.param == "memory":
            return InMemoryStore(index=index)
        if request.param == "sqlite":
            # This one has another name for the fields.
            sqlite = pytest.importorskip("langgraph.store.sqlite")
            context = sqlite.SqliteStore.from_conn_string(
                ":memory:", index={**index, "text_fields": fields} if index else None
            )
            store = context.__enter__()
            store.setup()
            open_ones.append(lambda: context.__exit__(None, None, None))
            return store
        store = RemoraStore(able, index=index or False)
        open_ones.append(store.close)
        return store

    yield build
    for close in open_ones:
        close()


@pytest.fixture
def store(make: Make) -> Any:
    """A store of one of the three kinds that ranks nothing."""
    return make()


@pytest.fixture
def ours(memory: Memory) -> Iterator[RemoraStore]:
    """Our store as it is by default, without a model."""
    with RemoraStore(memory) as found:
        yield found


def keys(items: Sequence[Any]) -> list[str]:
    """Return the keys of items, in order."""
    return [item.key for item in items]


def got(store: RemoraStore, namespace: tuple[str, ...], key: str) -> Any:
    """Return an item, which must be there."""
    item = store.get(namespace, key)
    assert item is not None
    return item


# What all three do


def test_put_get_delete(store: Any) -> None:
    """An item comes back as it was put, is replaced by the next put, and is gone when it is deleted."""
    value = {"text": "é 日本", "n": 1.5, "none": None, "list": [1, {"a": [True]}], "empty": {}}
    store.put(("users", "ann"), "k", value)
    item = store.get(("users", "ann"), "k")
    assert (item.value, item.key, item.namespace) == (value, "k", ("users", "ann"))
    assert store.get(("users",), "k") is None
    assert store.get(("users", "ann"), "other") is None
    store.put(("users", "ann"), "k", {"only": "this"})
    assert store.get(("users", "ann"), "k").value == {"only": "this"}
    store.delete(("users", "ann"), "k")
    assert store.get(("users", "ann"), "k") is None
    store.delete(("users", "ann"), "k")


def test_batches(store: Any) -> None:
    """Answers are in the order of the operations; reads see what was before; of two puts the last counts."""
    store.put(("a",), "k", {"v": 1})
    answers = store.batch(
        [
            PutOp(("a",), "k", {"v": 2}),
            GetOp(("a",), "k"),
            PutOp(("a",), "k", {"v": 3}),
            SearchOp(("a",)),
            PutOp(("b",), "new", {"v": 4}),
            ListNamespacesOp(),
            GetOp(("b",), "new"),
            PutOp(("a",), "gone", {"v": 5}),
            PutOp(("a",), "gone", None),
        ]
    )
    assert [answers[i] for i in (0, 2, 4, 7, 8)] == [None] * 5
    assert answers[1].value == {"v": 1}
    assert [(i.key, i.value) for i in answers[3]] == [("k", {"v": 1})]
    assert answers[5] == [("a",)]
    assert answers[6] is None
    assert store.get(("a",), "k").value == {"v": 3}
    assert store.get(("b",), "new").value == {"v": 4}
    assert store.get(("a",), "gone") is None
    assert store.batch([]) == []


def test_filters(store: Any) -> None:
    """A filter is met by every field: a value that is the same, or what its operators, if known, say."""
    store.put(("f",), "a", {"kind": "note", "n": 1, "done": True})
    store.put(("f",), "b", {"kind": "note", "n": 2, "done": False})
    store.put(("f",), "c", {"kind": "plan", "n": 3, "done": False})
    for wanted, found in table(__file__, "filters"):
        hits = store.search(("f",), filter=json.loads(wanted))
        assert sorted(keys(hits)) == list(found.strip("-")), wanted
    with pytest.raises(ValueError, match="operator"):
        store.search(("f",), filter={"n": {"$near": 1}})


def test_a_prefix_is_whole_labels(store: Any) -> None:
    """A search finds a namespace and what is below it, and nothing that only sounds like it."""
    for n, namespace in enumerate(
        [("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("A",), ("b", "a"), ("a*",), ("a", "[b]"), ("a", "%")]
    ):
        store.put(namespace, f"k{n}", {"n": n})
    assert sorted(keys(store.search(("a",)))) == ["k0", "k1", "k2", "k7", "k8"]
    assert sorted(keys(store.search(("a", "b")))) == ["k1", "k2"]
    assert keys(store.search(("a*",))) == ["k6"]
    assert keys(store.search(("a", "[b]"))) == ["k7"]
    assert keys(store.search(("nothing",))) == []
    assert len(store.search((), limit=50)) == 9


def test_namespaces(store: Any) -> None:
    """Namespaces are listed sorted, by prefix and suffix with wildcards, cut at a depth, in pages."""
    given = [
        ("a", "b", "c"),
        ("a", "b", "d", "e"),
        ("a", "b", "d", "i"),
        ("a", "b", "f"),
        ("a", "c", "f"),
        ("b", "a", "f"),
        ("users", "123"),
        ("users", "456", "settings"),
        ("admin", "users", "789"),
    ]
    for namespace in given:
        store.put(namespace, "k", {"n": 1})
        store.put(namespace, "l", {"n": 2})
    ask = store.list_namespaces
    assert ask() == sorted(given)
    assert ask(prefix=("a", "b")) == [g for g in sorted(given) if g[:2] == ("a", "b")]
    assert ask(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f"), ("b", "a", "f")]
    assert ask(prefix=("a",), suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert ask(prefix=("a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert ask(suffix=("*", "f")) == [("a", "b", "f"), ("a", "c", "f"), ("b", "a", "f")]
    assert ask(prefix=("users",), max_depth=2) == [("users", "123"), ("users", "456")]
    assert ask(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert ask(max_depth=1) == [("a",), ("admin",), ("b",), ("users",)]
    assert ask(limit=2) == sorted(given)[:2]
    assert ask(limit=2, offset=8) == sorted(given)[8:]
    assert ask(prefix=("a", "b", "c", "d", "e", "f")) == []
    conditions = (MatchCondition("prefix", ("a",)), MatchCondition("suffix", ("d", "*")))
    assert store.batch([ListNamespacesOp(match_conditions=conditions)])[0] == [
        ("a", "b", "d", "e"),
        ("a", "b", "d", "i"),
    ]


def test_namespaces_that_cannot_be(store: Any) -> None:
    """What cannot be a namespace is refused when it is put."""
    wrong: list[Any] = [(), ("a", ""), ("a.b",), ("a\0",), ("langgraph", "a"), (1,)]
    for namespace in wrong:
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", {"n": 1})


def test_a_query_without_an_index_ranks_nothing(store: Any) -> None:
    """A store that ranks nothing still answers a query, with everything, in pages and without scores."""
    for n in range(25):
        store.put(("p",), f"k{n}", {"even": n % 2 == 0}, index=["even"] if n else False)
    assert len(store.search(("p",))) == 10
    pages = [keys(store.search(("p",), limit=10, offset=at)) for at in (0, 10, 20, 30)]
    assert [len(page) for page in pages] == [10, 10, 5, 0]
    assert len({key for page in pages for key in page}) == 25
    assert len(store.search(("p",), filter={"even": True}, limit=50, offset=3)) == 10
    assert store.search(("p",), limit=0) == []
    found = store.search(("p",), query="cats", limit=50)
    assert len(found) == 25
    assert {item.score for item in found} == {None}


@ranking
def test_a_query_ranks(make: Make) -> None:
    """The nearest comes first, with a score that says how near; filters and pages hold."""
    store = make(["text"])
    store.put(("d",), "cat", {"text": "cats like fish", "n": 1, "more": "gateway"})
    store.put(("d",), "dog", {"text": "dogs like bones", "n": 2})
    store.put(("d",), "sky", {"text": "the blue sky", "n": 3})
    store.put(("e",), "far", {"text": "cats like fish", "n": 4})
    found = store.search(("d",), query="cats like fish")
    assert keys(found)[:2] == ["cat", "dog"]
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(1.0, abs=1e-3)
    assert keys(store.search(("d",), query="cats like fish", filter={"n": {"$gt": 1}}))[0] == "dog"
    assert keys(store.search(("d",), query="cats like fish", limit=1)) == ["cat"]
    assert keys(store.search(("d",), query="cats like fish", limit=1, offset=1)) == ["dog"]
    assert store.search(("d",), query="gateway")[0].score < 0.5
    store.put(("d",), "sky", {"text": "cats like fish very much", "n": 3})
    assert keys(store.search(("d",), query="cats like fish very much"))[0] == "sky"
    store.delete(("d",), "cat")
    assert "cat" not in keys(store.search(("d",), query="cats like fish"))


@ranking
def test_what_an_item_is_ranked_by(make: Make) -> None:
    """Paths of an item come before the store's fields; of several texts the nearest counts."""
    store = make(["text"])
    store.put(("d",), "own", {"text": "x", "title": "red apples"}, index=["title"])
    store.put(("d",), "deep", {"text": "x", "a": {"b": "green pears"}}, index=["a.b"])
    many = [{"t": "one"}, {"t": "blue plums"}]
    store.put(("d",), "many", {"text": "x", "items": many}, index=["items[*].t"])
    for query, key in (("red apples", "own"), ("green pears", "deep"), ("blue plums", "many")):
        assert keys(store.search(("d",), query=query))[0] == key


@ranking
def test_async(make: Make) -> None:
    """The async methods do the same, many at a time."""
    store = make(["text"])
    if type(store).__name__ == "SqliteStore":
        with pytest.raises(NotImplementedError):  # it has another class for that
            asyncio.run(store.abatch([]))
        return

    async def run() -> None:
        await asyncio.gather(
            *(store.aput(("d",), f"k{n}", {"text": f"number {n}", "n": n}) for n in range(20))
        )
        assert (await store.aget(("d",), "k7")).value["n"] == 7
        assert keys(await store.asearch(("d",), query="number 7", limit=1)) == ["k7"]
        assert keys(await store.asearch(("d",), filter={"n": {"$gte": 19}})) == ["k19"]
        await store.adelete(("d",), "k7")
        assert await store.aget(("d",), "k7") is None
        assert await store.alist_namespaces() == [("d",)]
        answers = await store.abatch([GetOp(("d",), "k1"), PutOp(("d",), "k1", {"n": 0}), SearchOp(("d",))])
        assert answers[0].value["n"] == 1
        assert answers[1] is None
        assert len(answers[2]) == 10

    asyncio.run(run())


# What ours does beyond that


def test_the_time_of_creation_is_kept(place: Path) -> None:
    """A put that replaces keeps when the item was created."""
    clock = FixedClock("2026-03-01T12:00:00Z")
    with Memory.open(place, clock=clock) as memory, RemoraStore(memory) as store:
        store.put(("a",), "k", {"v": 1})
        first = got(store, ("a",), "k")
        clock.advance(seconds=60)
        store.put(("a",), "k", {"v": 2})
        second = got(store, ("a",), "k")
        assert first.created_at == first.updated_at == second.created_at
        assert (second.updated_at - first.updated_at).total_seconds() == 60
        assert first.dict()["created_at"] == first.created_at.isoformat() == "2026-03-01T12:00:00+00:00"


def test_filters_inside_values(ours: RemoraStore) -> None:
    """Objects are compared field by field, lists item by item, and what is no number is in no range."""
    ours.put(("f",), "a", {"meta": {"by": "ann", "n": 1, "more": 1}, "tags": ["x", "y"], "n": "12"})
    ours.put(("f",), "b", {"meta": {"by": "bob", "n": 2}, "tags": ["x"], "n": None})
    ours.put(("f",), "c", {"meta": "ann", "tags": "x"})

    def found(**wanted: Any) -> list[str]:
        return sorted(keys(ours.search(("f",), filter=wanted)))

    assert found(meta={"by": "ann"}) == ["a"]
    assert found(meta={"n": {"$gte": 1}}) == ["a", "b"]
    assert found(meta={"by": {"$ne": "ann"}}) == ["b"]
    assert found(tags=["x", "y"]) == ["a"]
    assert found(tags=["x"]) == ["b"]
    assert found(n={"$lt": 100}) == ["a"]
    assert found(n=None) == ["b", "c"]


def test_it_lasts(place: Path, ours: RemoraStore) -> None:
    """Another process finds what this one put, and this one what that one put; so do many threads at once."""
    ours.put(("users", "ann"), "k", {"text": "kept"})
    code = (
        "from remora import Memory\n"
        "from remora.interfaces.adapters.langgraph_store import RemoraStore\n"
        "with Memory.open('.') as memory, RemoraStore(memory) as store:\n"
        "    print(store.get(('users', 'ann'), 'k').value['text'])\n"
        "    store.put(('users', 'ann'), 'theirs', {'n': 1})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=place)
    assert done.stdout == "kept\n"
    assert keys(ours.search(("users",))) == ["theirs", "k"]

    def work(name: str) -> None:
        for n in range(25):
            ours.put((name,), f"k{n}", {"text": f"{name} {n}"})
            assert ours.get((name,), f"k{n}") is not None
            ours.search((name,), query=f"{n}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    assert len(ours.search((), limit=1_000)) == 102


def test_a_batch_is_whole(ours: RemoraStore) -> None:
    """A value that cannot be stored undoes nothing, since nothing of its batch was done."""
    with pytest.raises(InvalidInput, match="JSON"):
        ours.batch([PutOp(("a",), "k", {"v": 1}), PutOp(("a",), "l", {"v": object()})])
    assert ours.search(("a",)) == []
    with pytest.raises(InvalidNamespaceError):
        ours.batch([PutOp(("a",), "k", {"v": 1}), PutOp(("a.b",), "l", {"v": 2})])
    with pytest.raises(InvalidNamespaceError):
        ours.batch([PutOp(("a\x1fb",), "l", {"v": 2})])
    assert ours.search(()) == []


def test_long_values_are_found_by_any_part(able: Memory) -> None:
    """What stands at the end of a long text is found like what stands at its beginning."""
    with RemoraStore(able, index={"fields": ["text"]}) as store:
        filler = "They spoke of this and that for an hour. " * 100
        store.put(("d",), "long", {"text": f"{filler} The vault has the key. {filler}"})
        store.put(("d",), "short", {"text": "They spoke of a vault for an hour"})
        assert store.search(("d",), query="vault has key")[0].key == "long"


def test_models_are_not_mixed(place: Path) -> None:
    """A store that is opened with another model compares nothing with what the first one made."""
    for name, dims in (("fake:a:32", 32), ("fake:b:16", 16)):
        with Memory.open(place, embedder=FakeEmbedder(name, dims)) as memory, RemoraStore(memory) as store:
            store.put(("d",), f"k{dims}", {"text": "cats like fish"})
            found = store.search(("d",), query="cats like fish")
            assert {round(item.score or 0) for item in found} == {1}


def test_times_to_live(place: Path) -> None:
    """Items expire so many minutes after they were last used, if reading is to count as use."""
    clock = FixedClock()
    with Memory.open(place, clock=clock) as memory:
        with RemoraStore(memory, ttl={"default_ttl": 10, "omit_expired": True}) as store:
            assert store.supports_ttl
            store.put(("t",), "default", {"n": 1})
            store.put(("t",), "short", {"n": 2}, ttl=1)
            store.put(("t",), "ever", {"n": 3}, ttl=None)
            clock.advance(seconds=61)
            assert store.get(("t",), "short") is None
            assert sorted(keys(store.search(("t",)))) == ["default", "ever"]
            clock.advance(seconds=540)
            assert store.get(("t",), "default", refresh_ttl=False) is not None  # the search refreshed it
            clock.advance(seconds=61)
            assert keys(store.search(("t",))) == ["ever"]
            assert store.list_namespaces() == [("t",)]
            store.put(("other",), "x", {"n": 4}, ttl=1)
            store.put(("t",), "default", {"n": 5})
            again = got(store, ("t",), "default")
            assert again.created_at == again.updated_at
            clock.advance(seconds=90)
            assert store.list_namespaces() == [("t",)]
        with RemoraStore(memory, ttl={"refresh_on_read": False, "sweep_interval_minutes": 60}) as store:
            store.put(("s",), "a", {"n": 1}, ttl=5)
            for _ in range(2):
                clock.advance(seconds=200)
                assert store.get(("s",), "a") is not None  # expired in the end, but not deleted yet
            store.put(("s",), "b", {"n": 2})
            assert store.get(("s",), "a") is not None
            assert store.sweep_ttl() >= 1
            assert store.get(("s",), "a") is None


def test_secrets_stay_with_the_program(place: Path, tmp_path: Path) -> None:
    """A value is the program's own and stays whole, in this file alone; no model is shown a secret in it."""
    embedder = FakeEmbedder()
    with Memory.open(place, embedder=embedder) as memory, RemoraStore(memory) as store:
        store.put(("d",), "k", {"token": SECRET})
        assert got(store, ("d",), "k").value == {"token": SECRET}
        store.search(("d",), query=f"what is {SECRET}")
    assert embedder.documents
    assert not any(SECRET in text for text in embedder.documents)
    assert {Path(name).name for name in holds(tmp_path, SECRET)} <= {"items.db", "items.db-wal"}


def test_reading_only(place: Path, ours: RemoraStore) -> None:
    """A memory that is open for reading reads, and its time to live is not touched."""
    ours.put(("a",), "k", {"text": "cats"}, ttl=5)
    with Memory.open(place, read_only=True) as memory, RemoraStore(memory) as reader:
        assert keys(reader.search(("a",), query="cats")) == ["k"]
        with pytest.raises(StoreReadOnly):
            reader.put(("a",), "l", {"n": 1})
        assert reader.sweep_ttl() == 0


def test_kinds_of_values(ours: RemoraStore) -> None:
    """What JSON has no word for is stored in its own words, as LangGraph's own stores do."""

    @dataclass
    class Point:
        x: int

    at, name = dt.datetime(2026, 3, 1, tzinfo=dt.UTC), uuid.UUID(int=7)
    ours.put(("v",), "k", {"at": at, "id": name, "point": Point(3), "set": {2, 1}, "tuple": (1, 2)})
    assert got(ours, ("v",), "k").value == {
        "at": "2026-03-01T00:00:00+00:00",
        "id": "00000000-0000-0000-0000-000000000007",
        "point": {"x": 3},
        "set": [1, 2],
        "tuple": [1, 2],
    }


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example of the documentation: a graph remembers in one thread and recalls in another."""
    names = example("LangGraph store", memory=memory)
    graph, store = names["graph"], names["store"]

    def asked(number: int, user: str, text: str) -> tuple[Any, ...]:
        return {"messages": [("user", text)]}, {"configurable": {"thread_id": str(number), "user_id": user}}

    for number, (user, text, answer) in enumerate(
        (
            ("ann", "Remember: the staging database is read-only.", "the staging database is read-only."),
            ("ann", "May I write to the staging database?", "the staging database is read-only."),
            ("bob", "May I write to the staging database?", "nothing"),
        )
    ):
        said = graph.invoke(*asked(number, user, text))
        assert said["messages"][-1].content == f"I know: {answer}"
    said = asyncio.run(graph.ainvoke(*asked(4, "ann", "Which database is read-only?")))
    assert said["messages"][-1].content == "I know: the staging database is read-only."
    store.close()
    with RemoraStore(memory) as again:
        assert again.list_namespaces() == [("facts", "ann")]
