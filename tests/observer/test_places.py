"""Where things are, and what took time to find."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.values import Taint
from remora.observer.candidate import Candidate, Rejected
from remora.observer.places import places
from tests.observer.sessions import on, seen_of, shows


def of(type: str, key: str, *details: dict[str, Any], **fields: Any) -> Candidate | Rejected:  # noqa: A002
    """Return what the last of some sessions proposes, each of which showed a signal."""
    sessions = [
        on(5 + n, f"s{n}", signals=(shows(type, key, detail=d, **fields),)) for n, d in enumerate(details)
    ]
    (found,) = places(sessions[-1], seen_of(*sessions))
    return found


@pytest.mark.parametrize(
    ("type", "key", "sessions", "detail", "memory", "content"),
    [
        (
            "repeated_grep",
            "getworktreepath",
            2,
            {"pattern": "func GetWorktreePath", "found": "strategy/common.go", "changed": True},
            "module_insight",
            "`GetWorktreePath` is handled in `strategy/common.go`: searched for again and again (seen in",
        ),
        (
            "glob_ignore",
            "**/enable*.go",
            2,
            {"instead": "cli/setup.go"},
            "gotcha",
            "leads nowhere; what is meant is",
        ),
        ("read_abandon", "a/state.go", 3, {"instead": "b/state.go"}, "gotcha", "meant is `b/state.go`"),
        (
            "config_touch",
            ".golangci.yaml",
            2,
            {"with": ["a.go", "b.md"]},
            "causal_dependency",
            "changes of `a.go`",
        ),
        (
            "import_chase",
            "a.go -> c.go",
            4,
            {},
            "causal_dependency",
            "To understand `a.go` one ends up in `c.go`",
        ),
        ("parallel_conflict", "a.go", 1, {}, "gotcha", "Parallel agents both changed `a.go`"),
        (
            "external_reference",
            "https://x.dev/doc",
            3,
            {"then": "ci.yml"},
            "module_insight",
            "`https://x.dev/doc` is what changes of `ci.yml` are looked up in",
        ),
    ],
)
def test_enough_sessions_make_a_memory(
    type: str,  # noqa: A002
    key: str,
    sessions: int,
    detail: dict[str, Any],
    memory: str,
    content: str,
) -> None:
    """Each signal has its minimum of sessions, its type and its sentence; one session less waits."""
    found = of(type, key, *([detail] * sessions))
    assert isinstance(found, Candidate)
    assert found.draft.type == memory
    assert content in found.draft.content
    assert found.draft.payload is not None
    assert found.draft.payload["sessions"] == sessions
    if sessions > 1:
        waits = of(type, key, *([detail] * (sessions - 1)))
        assert isinstance(waits, Rejected)
        assert f"{sessions} " in waits.why
        assert waits.why.endswith("are needed")


@pytest.mark.parametrize(
    ("type", "key", "detail", "sessions"),
    [
        (
            "repeated_grep",
            "getworktreepath",
            {"pattern": "GetWorktreePath", "found": "strategy/common.go"},
            1,
        ),
        ("glob_ignore", "**/enable*.go", {"instead": "cli/setup.go"}, 1),
        ("read_abandon", "a/state.go", {"instead": "b/state.go"}, 2),
        ("import_chase", "a.go -> c.go", {}, 3),
    ],
)
def test_what_two_agents_showed_needs_a_session_less(
    type: str,  # noqa: A002
    key: str,
    detail: dict[str, Any],
    sessions: int,
) -> None:
    """Each agent that came to it on its own stands for a session; one alone stands for none."""
    found = of(type, key, *([detail] * sessions), agents=2)
    assert isinstance(found, Candidate)
    assert (found.needs, found.seen.sessions) == (sessions, sessions)
    assert found.why.endswith("by 2 agents at once")
    assert isinstance(of(type, key, *([detail] * sessions)), Rejected)


@pytest.mark.parametrize(
    ("key", "detail", "why"),
    [
        ("session", {"pattern": "session", "found": "a.go"}, "too common"),
        ("sessionstate", {"pattern": "SessionState", "found": "cli/session_state.go"}, "file's name"),
        ("sessionstate", {"pattern": "SessionState", "found": ""}, "different answers"),
    ],
)
def test_searches_that_teach_nothing_are_left_out(key: str, detail: dict[str, Any], why: str) -> None:
    """Common words, answers that the name gives away, and no answer."""
    found = of("repeated_grep", key, detail, detail)
    assert isinstance(found, Rejected)
    assert why in found.why


WEB = Taint("https://x", 2)


def searched(*sessions: tuple[str, Taint | None], agents: int = 1) -> Candidate | Rejected:
    """Return what the last of some sessions proposes: where each found a name, and what it had read."""
    detail = {"pattern": "RefreshToken"}
    days = [
        on(
            5 + n,
            f"s{n}",
            signals=(
                shows(
                    "repeated_grep",
                    "refreshtoken",
                    detail={**detail, "found": found},
                    taint=taint,
                    agents=agents,
                ),
            ),
        )
        for n, (found, taint) in enumerate(sessions)
    ]
    (found,) = places(days[-1], seen_of(*days))
    return found


@pytest.mark.parametrize("last", ["auth.py", "evil.py"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_sessions_that_read_nothing_from_outside_are_enough(last: str, place: int) -> None:
    """What one shows that did changes neither what is told, nor how often, nor whether it is clean."""
    sessions: list[tuple[str, Taint | None]] = [("auth.py", None), ("auth.py", None)]
    sessions.insert(place, (last, WEB))
    found = searched(*sessions)
    assert isinstance(found, Candidate)
    assert (found.draft.taint, found.draft.related_files) == (None, ("auth.py",))
    assert found.seen.sessions == 2


@pytest.mark.parametrize(
    "taints", [(WEB, WEB), (WEB, WEB, None), (WEB, None, WEB), (None, WEB, WEB), (WEB, WEB, WEB)]
)
def test_what_sessions_show_that_read_from_outside_is_tainted(taints: tuple[Taint | None, ...]) -> None:
    """Also where one that did not shows it too, and where that is the one that is judged."""
    found = searched(*[("auth.py", taint) for taint in taints])
    assert isinstance(found, Candidate)
    assert (found.draft.taint, found.seen.sessions) == (WEB, len(taints))


@pytest.mark.parametrize("taints", [(None, WEB), (WEB, None)])
def test_what_takes_a_session_that_read_from_outside_waits(taints: tuple[Taint | None, ...]) -> None:
    """It would be tainted for good; with one clean session more it is clean."""
    found = searched(*[("auth.py", taint) for taint in taints])
    assert isinstance(found, Rejected)
    assert "external" in found.why
    later = searched(*[("auth.py", taint) for taint in (*taints, None)])
    assert isinstance(later, Candidate)
    assert (later.draft.taint, later.seen.sessions) == (None, 2)


def test_agents_of_a_session_that_read_from_outside_stand_for_no_other() -> None:
    """Two agents of a clean one do."""
    for taint in (None, WEB):
        found = searched(("auth.py", WEB), ("auth.py", taint), agents=2)
        assert isinstance(found, Candidate)
        assert found.draft.taint == taint
        assert found.seen.sessions == (1 if taint is None else 2)  # both agents are of one session
