"""What programs keep under a namespace and a key, by itself: what LangGraph makes of it has its own tests."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.records.items import Index, Items, Put
from remora.core.clock import FixedClock
from remora.core.errors import InvalidInput, StoreError, StoreReadOnly
from tests.helpers import FakeEmbedder, environment
from tests.store.makers import there


def texts(value: dict[str, Any], index: Index) -> list[str]:
    """Return what an item is found by: its text, or the fields it names."""
    return [str(value[name]) for name in (index if isinstance(index, list) else ["text"]) if name in value]


@pytest.fixture
def items(bare: Memory) -> Iterator[Items]:
    """The items of a project without a model."""
    found = Items(bare._project, texts)
    yield found
    found.close()


def keys(found: list[tuple[Any, float | None]]) -> list[str]:
    """Return the keys of what a search found, in order."""
    return [item.key for item, _ in found]


def test_an_item_is_kept_as_it_was_put(items: Items, clock: FixedClock) -> None:
    """Values come back as they were, with the times of their first and their last put."""
    items.write([Put(("a",), "k", {"text": "one", "n": [1, None, {"é": 0.5}]})])
    clock.advance(seconds=5)
    items.write([Put(("a",), "k", {"text": "two"}), Put(("b",), "k", {"n": float("inf")})])
    found = there(items.get(("a",), "k"))
    assert (found.value, found.updated_at - found.created_at) == ({"text": "two"}, 5.0)
    assert items.namespaces() == [("a",), ("b",)]
    items.write([Put(("a",), "k", None), Put(("a",), "never", None)])
    assert items.get(("a",), "k") is None
    items.write([])


def test_no_file_before_the_first_use(bare: Memory, folder: Path, tmp_path: Path, clock: FixedClock) -> None:
    """Making the object touches no disk, nor does one for reading only; a closed one says that it is."""
    closed = Items(bare._project, texts)
    for _ in range(2):
        closed.close()
    with pytest.raises(StoreError, match="closed"):
        closed.namespaces()
    with Memory.open(folder, environ=environment(tmp_path), clock=clock, read_only=True) as reader:
        items = Items(reader._project, texts)
        assert items.get(("a",), "k") is None
        assert items.search((), "x") == []
        assert items.namespaces() == []
        assert items.sweep() == 0
        with pytest.raises(StoreReadOnly):
            items.write([Put(("a",), "k", {})])
    assert not (bare.home / "items.db").exists()


def test_ranked_by_words_or_by_meaning(able: Memory, bare: Memory, embedder: FakeEmbedder) -> None:
    """With a model by meaning, without one by words, and with neither as they were put last."""
    puts = [
        Put(("d",), "cat", {"text": "cats like fish", "n": 1}),
        Put(("d",), "sky", {"text": "the blue sky", "n": 2}),
        Put(("d",), "title", {"text": "x", "title": "blue cheese", "n": 3}, ["title"]),
        Put(("d",), "unseen", {"text": "blue sky", "n": 4}, False),
    ]
    for memory, ranks, first in ((able, True, "sky"), (bare, True, "sky"), (able, False, "unseen")):
        items = Items(memory._project, texts, ranks=ranks)
        items.write(puts)
        assert keys(items.search((), "blue sky"))[0] == first
        others = items.search((), "blue sky", passes=lambda value: value["n"] != 2)
        assert keys(others)[0] in ("title", "unseen")
        assert keys(items.search((), "blue sky", limit=1, offset=99)) == []
        items.close()
    assert embedder.documents == ["cats like fish", "the blue sky", "blue cheese"]


def test_vectors_are_made_later_where_they_are_missing(able: Memory, embedder: FakeEmbedder) -> None:
    """An item that was put while the model was away gets its vector at a search, once."""
    items = Items(able._project, texts)
    embedder.broken = True
    items.write([Put(("d",), "cat", {"text": "cats like fish"}), Put(("d",), "none", {"n": 1})])
    assert keys(items.search((), "fish"))[0] == "cat"
    embedder.broken = False
    assert [score is None for _, score in items.search((), "cats like fish")] == [False, True]
    items.search((), "fish")
    assert embedder.documents == ["cats like fish"]
    items.close()


def test_what_is_no_json_object_is_refused(items: Items) -> None:
    """Values that JSON cannot hold are refused before anything is written."""

    class Colour(Enum):
        RED = 1

    loop: dict[str, Any] = {}
    loop["self"] = loop
    refused: list[Any] = [{"v": object()}, {"v": b"bytes"}, loop, {(1, 2): 3}]
    for wrong in refused:
        with pytest.raises(InvalidInput, match="JSON object"):
            items.write([Put(("a",), "good", {"n": 1}), Put(("a",), "bad", wrong)])
    assert items.namespaces() == []
    items.write([Put(("a",), "k", {"colour": Colour.RED, "path": Path("x")})])
    assert there(items.get(("a",), "k")).value == {"colour": 1, "path": "x"}
