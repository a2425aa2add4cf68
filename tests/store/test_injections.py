"""What was said to agents, kept with what followed."""

from __future__ import annotations

import pytest

from remora.core.triggers import Trigger
from remora.store.database import Database
from remora.store.injections import Injection
from tests.store.makers import add, record


def said(text: str, *ids: str, at: str = "2026-01-02T08:00:00.000Z", followed: str = "") -> Injection:
    """Return one injection."""
    return Injection("h:s1", "", 3, at, "before", "gotchas", "a.py", ids, text, "about a.py", followed)


def test_what_was_said_is_found_by_time_session_and_memory(db: Database):
    """Newest first."""
    later = said("two", "m2", "m1", at="2026-01-03T08:00:00.000Z")
    with db.connection.transaction():
        db.injections.put([said("one", "m1"), later])
    assert [i.text for i in db.injections.latest()] == ["two", "one"]
    assert [i.text for i in db.injections.of("m1")] == ["two", "one"]
    assert db.injections.of("m2") == [later]
    assert db.injections.latest(session_id="h:other") == []
    assert db.injections.latest(1) == [later]
    assert [i.text for i in db.injections.of_session("h:s1")] == ["one", "two"]
    assert db.injections.of_session("s1") == []
    assert db.injections.known(["m2", "m3"]) == {"m2"}


def test_storing_again_adds_only_what_followed(db: Database):
    """The work that follows a session may be done twice."""
    with db.connection.transaction():
        db.injections.put([said("one", "m1")])
        db.injections.put([said("one", "m1", followed="the file was changed")])
        db.injections.put([said("one", "m1")])
    assert [i.followed for i in db.injections.latest()] == ["the file was changed"]


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
