"""What was said to agents, kept with what followed."""

from __future__ import annotations

from remora.core.triggers import Trigger
from remora.store.database import Database
from remora.store.injections import Injection
from tests.store.makers import add, record, save


def said(text: str, *ids: str, at: str = "2026-01-02T08:00:00.000Z", followed: str = "") -> Injection:
    """Return one injection."""
    return Injection("h:s1", "", 3, at, "before", "gotchas", "a.py", ids, text, "about a.py", followed)


def test_what_was_said_is_found_by_time_session_and_memory(db: Database):
    """Newest first; storing it again adds only what followed."""
    later = said("two", "m2", "m1", at="2026-01-03T08:00:00.000Z")
    save(db, db.injections.put, [said("one", "m1"), later])
    assert [i.text for i in db.injections.latest()] == ["two", "one"]
    assert [i.text for i in db.injections.of("m1")] == ["two", "one"]
    assert db.injections.of("m2") == [later]
    assert db.injections.latest(session_id="h:other") == []
    assert db.injections.latest(1) == [later]
    assert [i.text for i in db.injections.of_session("h:s1")] == ["one", "two"]
    assert db.injections.of_session("s1") == []
    assert db.injections.known(["m2", "m3"]) == {"m2"}
    with db.connection.transaction():
        db.injections.put([said("one", "m1", followed="the file was changed")])
        db.injections.put([said("one", "m1")])
    assert [i.followed for i in db.injections.latest()] == ["", "the file was changed"]


def test_triggers_replace_each_other_and_are_found_by_their_words(db: Database):
    """One that comes twice counts once; those of memories that are forgotten or deleted are not found."""
    add(db.memories, record("m1"), record("m2"))
    wanted = Trigger("command", "gh", "m1", ("pr", "--stat"), 2.5)
    others = [Trigger("command", "gh", "m2"), Trigger("term", "gh", "m1"), Trigger("command", "go", "m1")]
    with db.connection.transaction():
        assert db.triggers.replace([Trigger("term", "a", "m1"), Trigger("term", "a", "m1")]) == 2
        assert db.triggers.of("m1") == [Trigger("term", "a", "m1")]
        db.triggers.replace([wanted, *others])
    assert db.triggers.of("m2") == others[:1]
    assert db.triggers.of_words("command", ["gh", "pr", "gh"]) == [wanted, others[0]]
    assert db.triggers.of_words("command", []) == []
    save(db, db.memories.update, "m2", {"deprecated": True})
    assert db.triggers.of_words("command", ["gh"]) == [wanted]
    save(db, db.memories.delete, ["m1"])
    assert (db.triggers.any_of(["m1"]), db.triggers.any_of(["m2"])) == (False, True)
