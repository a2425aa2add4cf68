"""What was said to agents, kept with what followed."""

from __future__ import annotations

from remora.store.injections import Injection
from remora.store.space import Space


def said(text: str, *ids: str, at: str = "2026-01-02T08:00:00.000Z", followed: str = "") -> Injection:
    """Return one injection."""
    return Injection("h:s1", "", 3, at, "before", "gotchas", "a.py", ids, text, "about a.py", followed)


def test_what_was_said_is_found_by_time_session_and_memory(space: Space):
    """Newest first."""
    later = said("two", "m2", "m1", at="2026-01-03T08:00:00.000Z")
    with space.db.transaction():
        space.injections.put([said("one", "m1"), later])
    assert [i.text for i in space.injections.latest()] == ["two", "one"]
    assert [i.text for i in space.injections.of("m1")] == ["two", "one"]
    assert space.injections.of("m2") == [later]
    assert space.injections.latest(session_id="h:other") == []
    assert space.injections.latest(1) == [later]
    assert [i.text for i in space.injections.of_session("h:s1")] == ["one", "two"]
    assert space.injections.of_session("s1") == []


def test_storing_again_adds_only_what_followed(space: Space):
    """The work that follows a session may be done twice."""
    with space.db.transaction():
        space.injections.put([said("one", "m1")])
        space.injections.put([said("one", "m1", followed="the file was changed")])
        space.injections.put([said("one", "m1")])
    assert [i.followed for i in space.injections.latest()] == ["the file was changed"]
