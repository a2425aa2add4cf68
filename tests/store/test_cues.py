"""What makes a memory worth saying unasked, kept and looked up."""

from __future__ import annotations

import pytest

from remora.store.cues import Cue
from remora.store.space import Space
from tests.store.makers import add, record


@pytest.fixture
def filled(space: Space) -> Space:
    """A database with two memories."""
    for name in ("m1", "m2"):
        add(space.memories, record(name))
    return space


def test_cues_replace_each_other(filled: Space):
    """All are made anew; one that comes twice counts once."""
    with filled.db.transaction():
        assert filled.cues.replace([Cue("term", "a", "m1"), Cue("term", "a", "m1")]) == 2
    assert filled.cues.count() == 1
    with filled.db.transaction():
        filled.cues.replace([Cue("command", "gh", "m2", ("pr", "--stat"), 2.5)])
    assert filled.cues.of("m1") == []
    assert filled.cues.of("m2") == [Cue("command", "gh", "m2", ("pr", "--stat"), 2.5)]
    assert (filled.cues.any_of(["m1", "m2"]), filled.cues.any_of(["m1"])) == (True, False)


def test_cues_go_with_their_memory(filled: Space):
    """A memory that is deleted for good speaks no more."""
    with filled.db.transaction():
        filled.cues.replace([Cue("term", "a", "m1"), Cue("term", "b", "m2")])
        filled.db.execute("DELETE FROM memories WHERE id = 'm1'")
    assert filled.cues.count() == 1


def test_cues_are_found_by_their_words(filled: Space):
    """Those of one kind, of memories that are not forgotten, in order."""
    wanted = Cue("command", "gh", "m1", ("pr", "--stat"), 2.0)
    with filled.db.transaction():
        filled.cues.replace(
            [wanted, Cue("command", "gh", "m2"), Cue("term", "gh", "m1"), Cue("command", "go", "m1")]
        )
        filled.db.execute("UPDATE memories SET deprecated = 1 WHERE id = 'm2'")
    assert filled.cues.of_words("command", ["gh", "pr", "gh"]) == [wanted]
    assert filled.cues.of_words("command", []) == []
