"""Memories that an agent cited: those it had received helped, and others were invented."""

from __future__ import annotations

from remora.app.learning.citations import take_in
from remora.app.memory import Memory
from remora.core.events import Event
from remora.observer.calls import Call
from remora.observer.citations import Citations
from remora.store.injections import Injection
from remora.store.uses import Use
from tests.observer.sessions import session

AT = "2026-01-05T10:30:00.000Z"


def test_citations_are_read_from_replies_alone() -> None:
    """By id or by words; what a memory tool returned counts as shown, each once."""
    state = Citations()
    state.feed(
        Event("reply", "s", "1", text="As [Memory #1a2b3c4d: redis first] and [^ Memory: Start it] say")
    )
    state.feed(Event("prompt", "s", "2", text="[Memory #99999999]"))
    for key in ("3", "4"):
        state.answered(Call(key, 1, "recall", "memory", text="1 hit\n- 1a2b3c4d gotcha, today: Start redis"))
    state.answered(Call("5", 1, "Bash", "run", text="77777777"))
    assert state.cited == ["1a2b3c4d", "“Start it"]
    assert state.shown == ["1a2b3c4d"]


def test_what_was_received_and_cited_helped(bare: Memory) -> None:
    """By injection or by a tool, by id or by words; learning the session again counts once."""
    told, shown, other = (
        bare.remember(text, type="gotcha").id for text in ("Redis first", "Tea at four", "Milk in last")
    )
    seen = session(host="test", cited=(told[:8], "“Redis first", shown[:8], other[:8]), shown=(shown[:8],))
    db = bare._project.db
    with db.transaction():
        db.injections.put([Injection("test:s1", "", 0, AT, "before", "command", "make", (told,), "x", "y")])
    for _ in range(2):
        take_in(bare._project, seen)
    at = seen.ended or ""
    uses = {name: bare.why(one).uses for name, one in (("told", told), ("shown", shown), ("other", other))}
    assert (uses["told"]["cited"], uses["told"]["helped"]) == (Use(2, 1, at), Use(1, 1, at))
    assert (uses["shown"]["cited"], uses["shown"]["helped"]) == (Use(1, 1, at), Use(1, 1, at))
    assert "cited" not in uses["other"]
    assert bare.stats().uses["invented"] == 1
