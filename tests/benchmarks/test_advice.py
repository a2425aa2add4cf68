"""How the replay of sessions counts what was offered, on a session made up for it."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import advice
from benchmarks.advice import Offer, Replayed, Spoken, offers
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
    return AgentSession("s", "t0", "t9", "main", "go", frozenset(), {}, records)


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
    one = Replayed(session(), 3, [said], {}, {}, frozenset(), {"c1": 3}, {})
    assert offers([one]) == [Offer(LABEL, *offered)]
