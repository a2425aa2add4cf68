"""What makes a memory worth saying unasked, kept and looked up."""

from __future__ import annotations

import pytest

from remora.core.triggers import Trigger
from remora.store.database import Database
from tests.store.makers import add, record


@pytest.fixture
def filled(db: Database) -> Database:
    """A database with two memories."""
    for name in ("m1", "m2"):
        add(db.memories, record(name))
    return db


def test_triggers_replace_each_other(filled: Database):
    """All are made anew; one that comes twice counts once."""
    with filled.connection.transaction():
        assert filled.triggers.replace([Trigger("term", "a", "m1"), Trigger("term", "a", "m1")]) == 2
    assert filled.triggers.of("m1") == [Trigger("term", "a", "m1")]
    with filled.connection.transaction():
        filled.triggers.replace([Trigger("command", "gh", "m2", ("pr", "--stat"), 2.5)])
    assert filled.triggers.of("m1") == []
    assert filled.triggers.of("m2") == [Trigger("command", "gh", "m2", ("pr", "--stat"), 2.5)]
    assert (filled.triggers.any_of(["m1", "m2"]), filled.triggers.any_of(["m1"])) == (True, False)


def test_triggers_go_with_their_memory(filled: Database):
    """A memory that is deleted for good speaks no more."""
    with filled.connection.transaction():
        filled.triggers.replace([Trigger("term", "a", "m1"), Trigger("term", "b", "m2")])
        filled.connection.execute("DELETE FROM memories WHERE id = 'm1'")
    assert (filled.triggers.any_of(["m1"]), filled.triggers.any_of(["m2"])) == (False, True)


def test_triggers_are_found_by_their_words(filled: Database):
    """Those of one kind, of memories that are not forgotten, in order."""
    wanted = Trigger("command", "gh", "m1", ("pr", "--stat"), 2.0)
    with filled.connection.transaction():
        filled.triggers.replace(
            [
                wanted,
                Trigger("command", "gh", "m2"),
                Trigger("term", "gh", "m1"),
                Trigger("command", "go", "m1"),
            ]
        )
        filled.connection.execute("UPDATE memories SET deprecated = 1 WHERE id = 'm2'")
    assert filled.triggers.of_words("command", ["gh", "pr", "gh"]) == [wanted]
    assert filled.triggers.of_words("command", []) == []
