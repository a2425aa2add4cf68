"""Every host: what comes in at each event, the moment it makes, and what goes out, as files beside this."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.events import ACTIONS
from remora.core.moments import KINDS, OTHER, SILENCE, Moment, Reply
from remora.interfaces.hooks.hosts import HOSTS, host_named
from tests.interfaces.hooks.schemas import goldens, wrong

EVENTS = [(host, stem) for host in HOSTS for stem in goldens(host)]
REPLY = Reply("src/cache.py: clear the cache before the tests", "Remora: one memory")


@pytest.fixture(params=EVENTS, ids="-".join)
def golden(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One event: `stdin`, `environ`, and the `moment` and `output` that are expected."""
    host, stem = request.param
    return {"host": host, "environ": {}, **goldens(host)[stem]}


def test_an_event_and_a_reply(golden: dict[str, Any]) -> None:
    """Each part that the host tells is where it belongs; what is said goes out where the host takes it.

    INJECTS and what is printed agree; a long text is cut at a line, and it is said that there is more.
    """
    host, stdin = host_named(golden["host"]), golden["stdin"]
    made = host.parse(stdin, golden["environ"])
    assert made == Moment(**{**golden["moment"], "paths": tuple(golden["moment"].get("paths", ()))})
    printed = host.render(stdin, made, REPLY)
    assert printed == golden["output"]
    long = host.render(stdin, made, Reply("ein Satz über Mäuse\n" * 5_000, "n" * 50_000))
    for output in (printed, long):
        assert wrong(golden["host"], stdin, output) == ""
    for silence in (SILENCE, Reply(" \n", "\t")):
        assert host.render(stdin, made, silence) is None
    printed = host.render(stdin, made, Reply("a lesson"))
    # Cursor tells of some tools twice, and listens only once.
    if not stdin.get("hook_event_name", "").startswith(("after", "before")):
        assert (printed is not None) is (made.kind in host.INJECTS)
    if printed is not None:
        assert made.kind in host.INJECTS
        text = json.dumps(long, ensure_ascii=False)
        assert "über Mäuse\\n[Truncated; search_memory" in text
        assert len(text) > 5_000


@pytest.mark.parametrize("name", HOSTS)
def test_every_kind_of_event_stands_beside_here(name: str) -> None:
    """Each host has a file for every event that it knows, and one for an event that is none of ours."""
    host: Any = host_named(name)
    moments = [golden["moment"] for golden in goldens(name).values()]
    kinds = {moment["kind"] for moment in moments}
    assert kinds <= set(KINDS)
    assert kinds == {*host._KINDS.values(), OTHER} | (kinds & {"before", "after", "subagent_start"})
    actions = {moment.get("action", "other") for moment in moments}
    assert actions <= set(ACTIONS)
    assert kinds >= host.INJECTS
    assert host.TRANSCRIPTS is (name in ("claude-code", "codex"))
    assert host.parse({}, {}) == Moment("other", host=name)
