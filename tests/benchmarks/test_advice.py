"""How the replay of sessions counts what was offered, on a session made up for it."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import advice
from benchmarks.advice import Replayed, Spoken, offers, right
from benchmarks.agent_sessions import AgentSession
from benchmarks.session_errors import Label

LABEL = Label("nilerr-1", "nilerr", "s", "t3", "r", "returns nil", "nilerr", "nolint", "…")


def session() -> AgentSession:
    """Return a session in which `c1` is begun, then `c2`, and `c1` fails."""
    records: list[dict[str, Any]] = [
        {"type": "assistant", "message": {"content": [tool(c)]}} for c in ("c0", "c1", "c2")
    ]
    failed = {"type": "tool_result", "tool_use_id": "c1", "is_error": True, "content": "returns nil"}
    records.append({"type": "user", "timestamp": "t3", "message": {"content": [failed]}})
    return AgentSession("s", "t0", "t9", "main", "go", frozenset(), records)


def tool(call: str) -> dict[str, Any]:
    """Return the use of a tool."""
    return {"type": "tool_use", "id": call, "name": "Bash", "input": {}}


@pytest.mark.parametrize(
    ("said", "offered"),
    [
        (Spoken(0, "before", "gotchas", ("m",), "- nilerr: nolint", call="c0"), (True, True, False, False)),
        (Spoken(-1, "start", "brief", ("m",), "- nilerr: nolint"), (True, False, False, False)),
        (Spoken(1, "before", "command", ("m",), "- nilerr: nolint", call="c1"), (False, False, True, False)),
        (Spoken(3, "failed", "error", ("m",), "- nilerr: nolint", call="c1"), (False, False, False, True)),
        # Said while the command ran already.
        (Spoken(2, "before", "gotchas", ("m",), "- nilerr: nolint", call="c2"), (False,) * 4),
        # One memory names the error and another one a remedy.
        (Spoken(0, "before", "recurring", ("m", "n"), "- nilerr: x\n- y: nolint", call="c0"), (False,) * 4),
    ],
    ids=["early", "brief", "with it", "after", "beside it", "two memories"],
)
def test_when_a_remedy_was_offered(said: Spoken, offered: tuple[bool, ...], monkeypatch: pytest.MonkeyPatch):
    """Early is before the command was begun, by one memory that names both."""
    monkeypatch.setattr(advice, "labels", lambda: [LABEL])
    one = Replayed(session(), 3, [said], {}, {}, {}, {}, {"c1": 3}, {})
    (offer,) = offers([one])
    assert (offer.early, offer.action, offer.with_it, offer.after) == offered
    assert offer.triggers == ((said.trigger,) if offered[0] else ())


@pytest.mark.parametrize(
    ("said", "told"),
    [
        # Of two memories one is about an error that came at this very step, one about an error of before.
        (Spoken(3, "before", "gotchas", ("met", "past"), "x", call="c1"), [True, False]),
        (Spoken(3, "after", "gotchas", ("met",), "x", call="c1"), [False]),  # it was met by then
        (Spoken(3, "before", "gotchas", ("prose",), "x", call="c1"), []),
        (Spoken(3, "before", "partners", ("pair",), "x", path="a.go", call="c1"), [True]),
        (Spoken(9, "before", "partners", ("pair",), "x", path="a.go", call="c1"), [False]),
        (Spoken(3, "before", "command", ("met", "prose"), "x", call="c1"), [True, True]),
        (Spoken(3, "before", "command", ("met",), "x", call="c2"), [False]),
        (Spoken(3, "failed", "error", ("met",), "x", call="c1"), []),
    ],
)
def test_what_the_recording_bears_out(said: Spoken, told: list[bool]):
    """Each memory for itself, and only what came after it was said."""
    keys = {"met": "a" * 16, "past": "b" * 16, "prose": ""}
    errors, steps = {"a" * 16: 4, "b" * 16: 2}, {"c1": 4, "c2": 5}
    files = {"pair": ("a.go", "b.go")}
    one = Replayed(session(), 3, [said], keys, files, errors, steps, {"c1": 3}, {"b.go": 7})
    assert right(one, said) == told
