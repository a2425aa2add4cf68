"""Layer 3: what memories of patterns and decisions say of the code."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from remora import Memory
from remora.graph import knowledge
from remora.store.database import Database
from remora.store.layers import UpperEdge, memory_key
from tests.graph.projects import db_of, indexed
from tests.store.made_graphs import knowledge as held

AT = 1_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """The memory of three indexed files."""
    files = {
        "auth/tokens.py": "def make():\n    return 1\n",
        "auth/keys.py": "class Key:\n    def turn(self):\n        return 1\n",
        "web.py": "import auth.tokens\n",
    }
    with indexed(tmp_path, files) as found:
        yield found


def about(db: Database, keys: Collection[str], now: int) -> list[UpperEdge]:
    """Return the edges of the layer at some nodes, after it was brought up to date where that may be."""
    if not db.connection.read_only:
        knowledge.refresh(db, now)
    return db.layers.edges_at(keys, knowledge.KINDS)


def layer(memory: Memory) -> tuple[set[str], set[tuple[str, str, str]]]:
    """Bring layer 3 up to date; return its nodes as "type label", and its edges by labels."""
    db = db_of(memory)
    knowledge.refresh(db, AT)
    nodes, edges = held(db)
    names = {key: label for key, _, label, _ in nodes}
    told = {(names.get(e.from_key, e.from_key), e.type, names.get(e.to_key, e.to_key)) for e in edges}
    return {f"{kind} {label}" for _, kind, label, _ in nodes}, told


def test_patterns_and_decisions(memory: Memory) -> None:
    """A file points at its pattern, a decision at what it explains; other types have no node."""
    memory.remember("Use a factory", type="pattern", related_files=["auth/tokens.py", "gone.py"])
    memory.remember("Keys turn once", type="decision", target_node_id="auth/keys.py:Key.turn")
    memory.remember("Web is slow", type="gotcha", related_files=["web.py"])
    memory.remember("Write tests first", type="pattern")
    assert layer(memory) == (
        {"pattern Use a factory", "decision Keys turn once"},
        {
            ("auth/tokens.py", "applies_pattern", "Use a factory"),
            ("Keys turn once", "documents", "auth/keys.py:Key.turn"),
        },
    )


def test_weights(memory: Memory) -> None:
    """What is said to be impacted weighs half; what is named twice keeps the higher weight."""
    found = memory.remember(
        "Keys are made by tokens",
        type="decision",
        confidence=0.6,
        related_files=["auth/keys.py"],
        target_node_id="auth/tokens.py:make",
        impacted_node_ids=("auth/keys.py:Key", "auth/keys.py"),
    )
    own = memory_key(found.id)
    assert about(db_of(memory), [own], AT) == [
        UpperEdge(own, "auth/keys.py", "documents", 1.0, 0.6),
        UpperEdge(own, "auth/keys.py:Key", "documents", 0.5, 0.6),
        UpperEdge(own, "auth/tokens.py:make", "documents", 1.0, 0.6),
    ]


def test_globs_and_folders(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A glob or a folder stands for the files it names; of one for very many there is no edge."""
    monkeypatch.setattr(knowledge, "MOST_FILES", 2)
    memory.remember("All of auth is pure", type="pattern", related_files=["auth/*.py"])
    memory.remember("Auth came from another project", type="decision", related_files=["auth/"])
    memory.remember("Everything is typed", type="pattern", related_files=["*.py"])
    nodes, edges = layer(memory)
    assert "pattern Everything is typed" in nodes
    auth = ("auth/keys.py", "auth/tokens.py")
    assert edges == {(path, "applies_pattern", "All of auth is pure") for path in auth} | {
        ("Auth came from another project", "documents", path) for path in auth
    }


def test_it_follows_the_memories(memory: Memory) -> None:
    """Edits are taken over, what is forgotten goes and comes back, and a new memory replaces the old one."""
    found = memory.remember("Use a factory", type="pattern", related_files=["auth/tokens.py"])
    layer(memory)
    memory.edit(found.id, related_files=["web.py"], type="decision", content="We chose a factory")
    edited = ({"decision We chose a factory"}, {("We chose a factory", "documents", "web.py")})
    assert layer(memory) == edited
    memory.edit(found.id, type="gotcha")
    assert layer(memory) == (set(), set())
    memory.edit(found.id, type="decision")
    memory.forget(found.id)
    assert layer(memory) == (set(), set())
    memory.restore(found.id)
    assert layer(memory) == edited
    new = memory.supersede(found.id, "We chose a builder")
    assert layer(memory)[1] == {("We chose a builder", "documents", "web.py")}
    assert {key for key, *_ in held(db_of(memory))[0]} == {memory_key(new.id)}


def test_edges_go_with_a_file(memory: Memory) -> None:
    """A run brings the layer up to date: edges go with a file or definition, and return when it does."""
    memory.remember("Use a factory", type="pattern", related_files=["web.py"])
    memory.remember("Keys turn once", type="decision", target_node_id="auth/keys.py:Key.turn")
    both = layer(memory)
    assert not knowledge.refresh(db_of(memory), AT)
    text = (memory.root / "auth" / "keys.py").read_text("utf-8")
    for before, after, keys, edges in (
        ("web.py", "kept", "class Key:\n    pass\n", 0),
        ("kept", "web.py", text, 2),
    ):
        (memory.root / before).rename(memory.root / after)
        (memory.root / "auth" / "keys.py").write_text(keys, "utf-8")
        memory.index()
        assert len(held(db_of(memory))[1]) == edges
    assert layer(memory) == both
