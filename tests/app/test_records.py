"""Memories and records of what happened: one store, told apart wherever they are counted, listed or found."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from remora import Memory
from remora.core.evidence import hit_source
from remora.core.values import MEMORY_KINDS, MEMORY_SOURCES, MEMORY_TYPES, Filters, MemoryDraft

NOW = 1_900_000_000.0


@pytest.fixture
def memory(bare: Memory) -> Memory:
    """Give a project with two memories, one commit and two records of sessions."""
    bare.remember("Access tokens expire after 24 h", type="decision", related_files=["auth.py"])
    bare.remember("Cookies are signed with the session key", type="gotcha")
    auth: dict[str, Any] = {"source": "commit_auto", "related_files": ("auth.py",)}
    kept = [
        MemoryDraft("An earlier commit: tokens were compared as text", "gotcha", **auth),
        MemoryDraft("The tokens module was split", "work_unit_outcome", source="observer_inferred"),
        MemoryDraft("The tokens still lack a test", "work_state", source="observer_inferred"),
    ]
    bare._project.store("project").intake.remember_many(kept)
    return bare


def test_a_list_is_of_memories(memory: Memory) -> None:
    """Records come alone when they are asked for, and beside memories by their type or source."""
    assert {m.type for m in memory.list()} == {"decision", "gotcha"}
    assert len(memory.list()) == 2
    assert {m.source for m in memory.list(records=True)} == {"commit_auto", "observer_inferred"}
    assert len(memory.list(records=True)) == 3
    assert [m.type for m in memory.list(types=["work_unit_outcome"])] == ["work_unit_outcome"]
    assert [m.source for m in memory.list(source="commit_auto")] == ["commit_auto"]


def test_they_are_counted_apart(memory: Memory) -> None:
    """By stats, by status, and at the end of a brief."""
    assert (memory.stats().memories, dict(memory.stats().records)) == (2, {"commit": 1, "session": 2})
    assert sum(memory.stats().by_type.values()) == 2
    status = memory.status()
    assert (status.memories, dict(status.records)) == (2, {"commit": 1, "session": 2})
    assert "(2 memories in all;" in status.brief


def test_they_are_found_together_and_told_apart(memory: Memory) -> None:
    """A search finds all; each hit says what it is, and kinds choose."""
    assert {h.source for h in memory.search("tokens")} == set(MEMORY_KINDS)
    for kind in MEMORY_KINDS:
        assert {h.source for h in memory.search("tokens", kinds=[kind])} == {kind}
    assert {h.source for h in memory.search("tokens", kinds=["commit", "memory"])} == {"commit", "memory"}


def test_the_store_says_what_the_rule_says(bare: Memory) -> None:
    """For every source and type the condition of the database is that of the one function."""
    store = bare._project.store("project")
    pairs = product(MEMORY_SOURCES, MEMORY_TYPES)
    drafts = [MemoryDraft(f"{source} has {kind}", kind, source=source) for source, kind in pairs]
    store.intake.remember_many(drafts)
    for wanted in MEMORY_KINDS:
        found = store.db.memories.find(Filters(kinds=(wanted,)), limit=1_000)
        assert found
        assert {hit_source(m.source, m.type) for m in found} == {wanted}
