"""Where things are, and what took time to find."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.values import Taint
from remora.observer.candidate import Candidate, Rejected
from remora.observer.places import places
from tests.observer.sessions import on, seen_of, shows
from tests.tables import table


def of(type: str, key: str, *details: dict[str, Any], **fields: Any) -> Candidate | Rejected:  # noqa: A002
    """Return what the last of some sessions proposes, each of which showed a signal."""
    sessions = [
        on(5 + n, f"s{n}", signals=(shows(type, key, detail=d, **fields),)) for n, d in enumerate(details)
    ]
    (found,) = places(sessions[-1], seen_of(*sessions))
    return found


@pytest.mark.parametrize("row", table(__file__, "places"), ids=lambda row: row[0])
def test_enough_sessions_make_a_memory(row: tuple[str, ...]) -> None:
    """Each signal has its minimum of sessions, its type and its sentence; one session less waits.

    Each of two agents that came to it on their own stands for a session, but for a page or a configuration.
    """
    kind, key, needed, told, memory, content = row
    detail, sessions = json.loads(told), int(needed)
    found = of(kind, key, *([detail] * sessions))
    assert isinstance(found, Candidate)
    assert (found.draft.type, (found.draft.payload or {})["sessions"]) == (memory, sessions)
    assert content in found.draft.content
    if sessions == 1:
        return
    waits = of(kind, key, *([detail] * (sessions - 1)))
    assert isinstance(waits, Rejected)
    assert f"{sessions} " in waits.why
    assert waits.why.endswith("are needed")
    if kind not in ("config_touch", "external_reference"):
        both = of(kind, key, *([detail] * (sessions - 1)), agents=2)
        assert isinstance(both, Candidate)
        assert (both.needs, both.seen.sessions) == (sessions - 1, sessions - 1)


@pytest.mark.parametrize(
    ("key", "detail", "why"),
    [
        ("session", {"pattern": "session", "found": "a.go"}, "too common"),
        ("sessionstate", {"pattern": "SessionState", "found": ""}, "different answers"),
    ],
)
def test_searches_that_teach_nothing_are_left_out(key: str, detail: dict[str, Any], why: str) -> None:
    """Common words, and no answer."""
    found = of("repeated_grep", key, detail, detail)
    assert isinstance(found, Rejected)
    assert why in found.why


WEB = Taint("https://x", 2)


def shown(*sessions: tuple[str, Taint | None], agents: int = 1) -> Candidate:
    """Return what the last of some sessions teaches: where each found a name, and what it had read."""
    found = searched(*sessions, agents=agents)
    assert isinstance(found, Candidate)
    return found


def searched(*sessions: tuple[str, Taint | None], agents: int = 1) -> Candidate | Rejected:
    """Return what the last of such sessions proposes."""
    days = []
    for n, (found, taint) in enumerate(sessions):
        detail = {"pattern": "RefreshToken", "found": found}
        signal = shows("repeated_grep", "refreshtoken", detail=detail, taint=taint, agents=agents)
        days.append(on(5 + n, f"s{n}", signals=(signal,)))
    (proposed,) = places(days[-1], seen_of(*days))
    return proposed


@pytest.mark.parametrize("last", ["auth.py", "evil.py"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_sessions_that_read_nothing_from_outside_are_enough(last: str, place: int) -> None:
    """What one shows that did changes neither what is told, nor how often, nor whether it is clean."""
    sessions: list[tuple[str, Taint | None]] = [("auth.py", None), ("auth.py", None)]
    sessions.insert(place, (last, WEB))
    found = shown(*sessions)
    assert (found.draft.taint, found.draft.related_files) == (None, ("auth.py",))
    assert found.seen.sessions == 2


@pytest.mark.parametrize(
    "taints", [(WEB, WEB), (WEB, WEB, None), (WEB, None, WEB), (None, WEB, WEB), (WEB, WEB, WEB)]
)
def test_what_sessions_show_that_read_from_outside_is_tainted(taints: tuple[Taint | None, ...]) -> None:
    """Also where one that did not shows it too, and where that is the one that is judged."""
    found = shown(*[("auth.py", taint) for taint in taints])
    assert (found.draft.taint, found.seen.sessions) == (WEB, taints.count(WEB))


@pytest.mark.parametrize("taints", [(None, WEB), (WEB, None)])
def test_what_takes_a_session_that_read_from_outside_waits(taints: tuple[Taint | None, ...]) -> None:
    """It would be tainted for good; with one clean session more it is clean."""
    found = searched(*[("auth.py", taint) for taint in taints])
    assert isinstance(found, Rejected)
    assert "external" in found.why
    later = shown(*[("auth.py", taint) for taint in (*taints, None)])
    assert (later.draft.taint, later.seen.sessions) == (None, 2)


def test_agents_of_a_session_that_read_from_outside_stand_for_no_other() -> None:
    """Two agents of a clean one do."""
    for taint in (None, WEB):
        found = shown(("auth.py", WEB), ("auth.py", taint), agents=2)
        assert found.draft.taint == taint
        assert found.seen.sessions == (1 if taint is None else 2)  # both agents are of one session
