"""Hosts that leave no transcript: what their events tell of a session is enough to learn from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from remora import Memory
from remora.app.agent.session_end import work
from remora.interfaces.hooks.hosts import HOSTS, host_named
from tests.interfaces.hooks.called import World
from tests.interfaces.hooks.schemas import goldens
from tests.tables import table

ASKED = "Make the cache longer. From now on always use tenant keys in the cache, never global ones."
FAST, PLAIN = "pytest --fast tests", "pytest tests"
ERROR = "pytest: error: unrecognized arguments: --fast"
ANSWER = "The cache is longer now, with a tenant key for each entry and a test of both."
# A flag that fails, a change, the flag again, the command without it: each moment by the file of its event.
TOLD = {host: names.split() for host, names in table(__file__, "told")}
CALLS = ("u1", "u3", "tool-1", "tool-3", "call_1", "call_2")


def told(world: World, host: str, number: int, name: str) -> dict[str, Any]:
    """Return the event of a file, with the words of our session, and ids of calls of its own."""
    text = json.dumps(goldens(host)[name]["stdin"])
    command = FAST if "fail" in name.lower() else PLAIN
    words = {
        "/w/app/src": str(world.root),
        "/w/app": str(world.root),
        "fix the cache test": ASKED,
        "pytest -q": command,
        "npm test": command,
        "2 failed": ERROR,
        "2 failing": ERROR,
        "Done.": ANSWER,
        **{f'"{call}"': f'"{call}-{number}"' for call in CALLS},
    }
    for old, new in words.items():
        text = text.replace(old, new)
    found: dict[str, Any] = json.loads(text)
    return found


def test_every_host_without_transcripts_is_here() -> None:
    """Whoever adds a host says here how a session of it looks."""
    assert set(TOLD) == {name for name in HOSTS if not host_named(name).TRANSCRIPTS}


@pytest.mark.parametrize("host", sorted(TOLD))
def test_a_session_is_learnt(
    world: World, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """What the person wants from now on, and the error of the command; nothing was left open."""
    monkeypatch.chdir(world.root)  # where Windsurf's hook for a prompt finds itself
    for number, name in enumerate(TOLD[host]):
        ask(told(world, host, number, name), host)
    (done,) = work(world.environ, idle=0.0)
    assert done.problem == ""
    with Memory.open(world.root, environ=world.environ, read_only=True) as memory:
        (session,) = memory._project.db.sessions.sessions()
        assert (session.host, session.kind, session.outcome) == (host, "build", "success")
        learnt = {
            m.type: m.content for m in memory.list() if m.source in ("observer_inferred", "user_taught")
        }
        assert "always use tenant keys in the cache" in learnt["preference"]
        ((_, _, message),) = memory._project.db.sessions.errors_met()
        assert "unrecognized arguments: --fast" in message
        assert "work_state" not in learnt
