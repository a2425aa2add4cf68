"""What was said to agents, kept with what followed."""

from __future__ import annotations

from remora.store.database import Database
from remora.store.injections import Injection


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


def test_storing_again_adds_only_what_followed(db: Database):
    """The work that follows a session may be done twice."""
    with db.connection.transaction():
        db.injections.put([said("one", "m1")])
        db.injections.put([said("one", "m1", followed="the file was changed")])
        db.injections.put([said("one", "m1")])
    assert [i.followed for i in db.injections.latest()] == ["the file was changed"]
