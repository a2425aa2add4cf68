"""The end of a session: what was remembered in it, and what was learned from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora import Memory
from remora.app.learning.run_summary import SessionSummary
from remora.core.errors import Conflict
from remora.core.values import Used
from remora.store.injections import Injection
from tests.app.learning.test_learn import work


def learnt(memory: Memory, tmp_path: Path, *days: int) -> None:
    """Learn sessions, all in one run."""
    for day in days:
        work(f"s{day}", day, memory.root).save(tmp_path / "talks")
    memory.learn(tmp_path / "talks")


def said(memory: Memory, session: str, memory_id: str, followed: str = "") -> None:
    """Record that something was said to an agent."""
    at = f"2026-01-01T08:00:0{len(followed) % 10}.000Z"
    about = ("before", "command", "make lint", (memory_id,), f"text {followed}", "why", followed)
    db = memory._project.db
    with db.connection.transaction():
        db.injections.put([Injection(session, "", 1, at, *about)])


def test_a_run(memory: Memory, tmp_path: Path) -> None:
    """The request, the outcome, and everything that was learned; nothing of a session that nobody knows."""
    assert memory.session_summary() == SessionSummary(0, "", "", (), (), ())
    learnt(memory, tmp_path, 1)
    found = memory.session_summary()
    assert (found.run, found.outcome, found.sessions) == (1, "success", ("claude-code:s1",))
    assert found.title == "Please make the token lifetime a setting of the server"
    assert [one.memory.id for one in found.learned] == [one.memory.id for one in memory.learned()]
    assert found.remembered == ()
    learnt(memory, tmp_path, 2, 3)
    whole = memory.session_summary()
    assert whole.title == "3 sessions"  # the first is seen again in what they show
    assert len(whole.sessions) == 3
    assert memory.session_summary(session_id="nobody") == SessionSummary(2, "", "", (), (), ())


def test_a_session_is_found_in_every_run(memory: Memory, tmp_path: Path) -> None:
    """By its id or how that begins, with what other runs learned, too, where it was seen again."""
    for day in (1, 2, 11):
        learnt(memory, tmp_path, day)

    def of(session_id: str, run: int | None = None) -> SessionSummary:
        return memory.session_summary(run, session_id=session_id)

    one = of("s2")
    assert (one.sessions, bool(one.learned)) == (("claude-code:s2",), True)
    assert of("claude-code:s2") == one
    assert of("s11") == of("claude-code:s11")
    assert of("s1").sessions == ("claude-code:s1",)  # a whole id comes first
    assert {o.memory.id for o in of("s11", 1).learned} < {o.memory.id for o in of("s11").learned}
    with pytest.raises(Conflict, match="several ids: claude-code:s1, claude-code:s11, claude-code:s2"):
        of("s")


def test_what_was_said_counts_as_remembered(memory: Memory, tmp_path: Path) -> None:
    """Each memory once, with what followed the last time, and how often; a caller may know better."""
    used = memory.remember("Start redis before `make test`", type="gotcha")
    learnt(memory, tmp_path, 1)
    said(memory, "claude-code:s1", used.id)
    said(memory, "claude-code:s1", used.id, "the next command worked")
    said(memory, "claude-code:other", used.id, "elsewhere")
    (one,) = memory.session_summary().remembered
    assert (one.memory_id, one.type, one.times, one.ok) == (used.id, "gotcha", 2, None)
    assert one.how == "the next command worked"
    assert one.text == "Start redis before `make test`"
    given = [Used(used.id, "used when planning", ok=True), Used("nobody")]
    (one,) = memory.session_summary(used=given).remembered
    assert (one.text, one.how, one.ok) == ("Start redis before `make test`", "used when planning", True)
    assert memory.session_summary(used=()).remembered == ()


def test_what_was_learnt_is_called_by_what_it_says(memory: Memory, tmp_path: Path) -> None:
    """Where it was seen stands in its origins; a row that is called by that still has a name."""
    learnt(memory, tmp_path, 1, 2)
    (one,) = (m for m in memory.list() if "never the client" in m.content)
    assert one.citation_text == "We always use the gateway for…"
    assert [origin.session_id for origin in one.origins] == ["s1", "s2"]
    db = memory._project.db
    with db.connection.transaction():
        db.connection.execute("UPDATE memories SET citation_text = '2 sessions, 2026-01-01 to 2026-01-02;…'")
    found = memory.session_summary(used=[Used(one.id)]).remembered
    assert [r.text for r in found] == ["We always use the gateway for…"]
    block = memory.context("refresh tokens through the gateway").text
    assert "[^ Memory: We always use the gateway for…]" in block
